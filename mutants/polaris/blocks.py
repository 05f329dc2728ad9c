"""Building blocks of the Polaris faults here, beside those of the server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from reference_server.auth import Principal
from reference_server.faults import Call, Proceed
from reference_server.iceberg.faults.blocks import performed
from reference_server.polaris.entities.bootstrap import ROOT_PRINCIPAL, SERVICE_ADMIN

Json = dict[str, Any]
ADMIN = Principal(ROOT_PRINCIPAL, (SERVICE_ADMIN,))


@dataclass(frozen=True, slots=True)
class Entity:
    """The operations on one kind of entity, and the names of its fields.

    `parameter` is its name in paths, `wrapper` the field around it in bodies, `listed` that of a list.
    """

    kind: str
    parameter: str
    wrapper: str
    listed: str

    @property
    def lists(self) -> str:
        """The operation that lists all."""
        return f"list{self.kind}s"

    @property
    def operations(self) -> tuple[str, str, str, str]:
        """The operations that create, get, update and delete one."""
        return f"create{self.kind}", f"get{self.kind}", f"update{self.kind}", f"delete{self.kind}"


CATALOG = Entity("Catalog", "catalogName", "catalog", "catalogs")
PRINCIPAL = Entity("Principal", "principalName", "principal", "principals")
PRINCIPAL_ROLE = Entity("PrincipalRole", "principalRoleName", "principalRole", "roles")
CATALOG_ROLE = Entity("CatalogRole", "catalogRoleName", "catalogRole", "roles")
ENTITIES = (CATALOG, PRINCIPAL, PRINCIPAL_ROLE, CATALOG_ROLE)


def read(text: bytes) -> Json:
    """Return the JSON object in a body, an empty one for anything else."""
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}


def named(call: Call, entity: Entity) -> str:
    """Return the name of the entity in the path, or else in the body, wrapped or bare."""
    if entity.parameter in call.path:
        return call.path[entity.parameter]
    body = read(call.request.body)
    return str((body.get(entity.wrapper) or body).get("name"))


async def by_root(
    call: Call,
    proceed: Proceed,
    operation: str,
    body: Any = None,
    at: Mapping[str, str] | None = None,
    principal: Principal = ADMIN,
    query: Json | None = None,
) -> Json:
    """Do another operation as root by the way and return the object in its answer, an empty one for an error.

    `at` are path parameters beside those of the call, `principal` another caller than root, `query` the query.
    """
    caller, path = call.request.principal, call.path
    names = call.document.operation(operation).path_names
    call.request.principal = principal
    call.path = {name: value for name, value in {**path, **(at or {})}.items() if name in names}
    try:
        reply = await performed(call, proceed, operation, body, query=query)
    finally:
        call.request.principal, call.path = caller, path
    return read(reply.body) if reply.status < 300 else {}
