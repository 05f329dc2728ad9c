"""Scan plans that clients may fetch later: a stored record for each, and results in progress.

plan / warehouse / <id>  ->  a `ScanPlan` as JSON

The record contains the request and the ids of snapshot and schema, so its tasks can be made again at any time, even
after a restart. A plan task is the id of its scan plan and a number.
"""

from __future__ import annotations

import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import asdict, dataclass, replace
from typing import Any

import orjson

from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.expiring import ExpiringValues
from reference_server.iceberg.catalog.keys import plan_key, plan_prefix
from reference_server.iceberg.errors import PlanNotFound
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.content import BOUNDS_FORMS
from reference_server.iceberg.scans.manifests import Fetch, Manifests
from reference_server.iceberg.scans.scan import Pin, Scan
from specs.problems import Problem

SYNC, ASYNC = "sync", "async"
MODES = (SYNC, ASYNC)
"""Modes of planning: at once, or in the background."""
KEPT_RESULTS = 100


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan plan: its table, its request (JSON text), and its expiry (seconds since 1970)."""

    id: str
    table: str
    request: str
    snapshot: int | None
    schema: int
    until: float
    background: bool
    cancelled: bool = False

    @property
    def pin(self) -> Pin:
        """The snapshot and schema of the plan."""
        return Pin(self.snapshot, self.schema)

    def scan_request(self) -> Json:
        """Return the request; its filters may be nested too deeply to be serialized again."""
        request: Json = orjson.loads(self.request)
        return request

    def task(self, number: int) -> str:
        """Return the plan task with this number."""
        return f"{self.id}-{number}"


def new_plan(scan: Scan, request: bytes, seconds: int, *, background: bool) -> ScanPlan:
    """Return a scan plan for a request body, valid for some seconds.

    Its id is unguessable; later plans have greater ids.
    """
    now = time.time()
    name = f"{int(now * 1000):012x}{secrets.token_hex(10)}"
    table, pin = scan.metadata["table-uuid"], scan.pin
    return ScanPlan(name, table, request.decode(), pin.snapshot, pin.schema, now + seconds, background)


def find_plan(get: Callable[[bytes], bytes | None], warehouse: str, plan_id: str, table: str) -> ScanPlan:
    """Return a scan plan by its id and the UUID of its table; `get` reads a key. Raises PlanNotFound."""
    value = get(plan_key(warehouse, plan_id))
    plan = ScanPlan(**orjson.loads(value)) if value else None
    if plan is None or plan.table != table or plan.until < time.time():
        raise PlanNotFound(f"There is no scan plan {plan_id!r:.100} of this table.")
    return plan


async def keep_plan(change: WarehouseChange, kept: ExpiringValues, plan: ScanPlan) -> None:
    """Store a scan plan in a change, until it expires, if there is room."""
    key = plan_key(change.warehouse, plan.id)
    await kept.put(change.transaction, plan_prefix(change.warehouse), key, orjson.dumps(asdict(plan)), plan.until)


def cancelled(plan: ScanPlan) -> ScanPlan:
    """Return a scan plan in the cancelled state."""
    return replace(plan, cancelled=True)


@dataclass(frozen=True, slots=True)
class ScanServices:
    """Services of all scan plans; with `background` clients wait for results and fetch them later.

    `bounds` is the form of column bounds, see content.py.
    """

    manifests: Manifests
    results: PlanResults
    background: bool
    bounds: str


def scan_services(fetch: Fetch, mode: str, bounds: str) -> ScanServices:
    """Return the services of scan plans; `fetch` reads files, `mode` is `sync` or `async`, `bounds` as in content.py.

    Raises Problem for another mode or form of bounds.
    """
    if mode not in MODES:
        raise Problem(f"Unknown mode of scan planning: {mode!r}.", f"Use {' or '.join(MODES)}.")
    if bounds not in BOUNDS_FORMS:
        raise Problem(f"Unknown form of bounds: {bounds!r}.", f"Use {' or '.join(BOUNDS_FORMS)}.")
    return ScanServices(Manifests(fetch), PlanResults(), mode == ASYNC, bounds)


class PlanResults:
    """Latest results of scan plans in the background; a scan plan whose result was dropped is planned again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Future[Any]] = OrderedDict()

    def find(self, plan_id: str) -> Future[Any] | None:
        """Return the future result of a scan plan, None for one that was not started."""
        return self._kept.get(plan_id)

    def start(self, plan_id: str, executor: Executor, make: Callable[[], Any]) -> None:
        """Start making a result in a thread."""
        self._kept[plan_id] = executor.submit(make)
        while len(self._kept) > KEPT_RESULTS:
            self.forget(next(iter(self._kept)))

    def forget(self, plan_id: str) -> None:
        """Drop a result, and cancel it if it has not started."""
        dropped = self._kept.pop(plan_id, None)
        if dropped is not None:
            dropped.cancel()
