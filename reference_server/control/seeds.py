"""Seeds of a tenant: the parts of its APIs, planted in their order."""

from __future__ import annotations

from concurrent.futures import Executor
from functools import partial
from typing import Any

from reference_server.context import run_in_thread
from reference_server.control.tenants import Tenant
from reference_server.seeding.nodes import Node
from reference_server.seeding.planting import Planter
from specs.problems import did_you_mean


async def plant_seed(tenant: Tenant, value: Any, executor: Executor) -> dict[str, Any]:
    """Plant a seed and return the credentials that it created, by API and name.

    The seed has a part for each API, by its name; for a tenant with one API it may be that part. Everything is read
    before anything is planted. Raises Problem with the place of a mistake, and with that of a refused request.
    """
    apis = {api.name: api for api in tenant.apis.values()}
    seed = Node(value)
    parts = seed.entries()
    if len(apis) == 1 and not apis.keys() & {name for name, _ in parts}:
        parts = [(next(iter(apis)), seed)]
    for name, _ in parts:
        if name not in apis:
            raise seed.problem(f"there is no API {name!r} here", did_you_mean(name, apis))
    plan = [(apis[name], await run_in_thread(executor, partial(apis[name].read_seed, part))) for name, part in parts]
    created = {}
    for api, steps in plan:
        planter = Planter(api.document, api.seeder, api.answer, executor)
        for step in steps:
            await step.plant(planter)
        if planter.credentials:
            created[api.name] = planter.credentials
    return created
