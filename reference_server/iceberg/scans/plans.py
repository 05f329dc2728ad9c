"""Scan plans that clients may come back to: a record in storage for each, and results that are still being made.

plan / warehouse / <id>  ->  a `ScanPlan` as JSON

The record says what was asked for, and of which snapshot and schema, so its tasks can be made again at any time, also
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

from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.kept import Kept
from reference_server.iceberg.catalog.keys import plan_key, plan_prefix
from reference_server.iceberg.errors import PlanNotFound
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.content import BOUNDS_FORMS
from reference_server.iceberg.scans.manifests import Fetch, Manifests
from reference_server.iceberg.scans.scan import Pin, Scan
from specs.problems import Problem

SYNC, ASYNC = "sync", "async"
MODES = (SYNC, ASYNC)
"""When a scan plan is done: at once, or in the background."""
LIFETIME_SECONDS = 60 * 60
KEPT_RESULTS = 100


@dataclass(frozen=True, slots=True)
class ScanPlan:
    """A scan plan: of which table, for which request (JSON text), and until when it is kept (seconds since 1970)."""

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
        """Which snapshot and schema it is for."""
        return Pin(self.snapshot, self.schema)

    def scan_request(self) -> Json:
        """Return the request; filters in it may be nested more deeply than can be written again."""
        request: Json = orjson.loads(self.request)
        return request

    def task(self, number: int) -> str:
        """Return the plan task with this number."""
        return f"{self.id}-{number}"


def new_plan(scan: Scan, request: bytes, *, background: bool) -> ScanPlan:
    """Return a scan plan for a request body, with an id that nobody can guess; later ones have greater ids."""
    now = time.time()
    name = f"{int(now * 1000):012x}{secrets.token_hex(10)}"
    table, pin = scan.metadata["table-uuid"], scan.pin
    return ScanPlan(name, table, request.decode(), pin.snapshot, pin.schema, now + LIFETIME_SECONDS, background)


def find_plan(get: Callable[[bytes], bytes | None], warehouse: str, plan_id: str, table: str) -> ScanPlan:
    """Return a scan plan of a table, by its UUID; `get` reads a key. Raises PlanNotFound."""
    value = get(plan_key(warehouse, plan_id))
    plan = ScanPlan(**orjson.loads(value)) if value else None
    if plan is None or plan.table != table or plan.until < time.time():
        raise PlanNotFound(f"There is no scan plan {plan_id!r:.100} of this table.")
    return plan


async def keep_plan(change: Change, kept: Kept, plan: ScanPlan) -> None:
    """Let a change store a scan plan, for a time, while there is room."""
    key = plan_key(change.warehouse, plan.id)
    await kept.put(change.transaction, plan_prefix(change.warehouse), key, orjson.dumps(asdict(plan)), plan.until)


def cancelled(plan: ScanPlan) -> ScanPlan:
    """Return a scan plan as it is after its cancellation."""
    return replace(plan, cancelled=True)


@dataclass(frozen=True, slots=True)
class ScanServices:
    """What all scan plans share; `background` tells clients to wait for results and ask for them again.

    `bounds` is how those of columns are written, see content.py.
    """

    manifests: Manifests
    results: Results
    background: bool
    bounds: str


def scan_services(fetch: Fetch, mode: str, bounds: str) -> ScanServices:
    """Return what scan plans share; `fetch` reads files, `mode` is `sync` or `async`, `bounds` as in content.py.

    Raises Problem for another mode or form of bounds.
    """
    if mode not in MODES:
        raise Problem(f"Unknown mode of scan planning: {mode!r}.", f"Use {' or '.join(MODES)}.")
    if bounds not in BOUNDS_FORMS:
        raise Problem(f"Unknown form of bounds: {bounds!r}.", f"Use {' or '.join(BOUNDS_FORMS)}.")
    return ScanServices(Manifests(fetch), Results(), mode == ASYNC, bounds)


class Results:
    """Results of scan plans in the background, the latest of them; a scan plan whose result is gone is made again."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Future[Any]] = OrderedDict()

    def find(self, plan_id: str) -> Future[Any] | None:
        """Return what was started for a scan plan, None for nothing."""
        return self._kept.get(plan_id)

    def start(self, plan_id: str, executor: Executor, make: Callable[[], Any]) -> None:
        """Begin to make a result in a thread."""
        self._kept[plan_id] = executor.submit(make)
        while len(self._kept) > KEPT_RESULTS:
            self.forget(next(iter(self._kept)))

    def forget(self, plan_id: str) -> None:
        """Drop a result; if it is not begun, it never will be."""
        dropped = self._kept.pop(plan_id, None)
        if dropped is not None:
            dropped.cancel()
