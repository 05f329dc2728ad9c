"""Workload of a race, and the client that creates the traffic: its state, its choices and its records."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.history import Key
from spark_tests.races.clock import Offset, host_name
from spark_tests.races.records import Record
from spark_tests.races.wire import Sender, WireReply

HANG_UP, REPEAT = 0.02, 0.03  # shares of requests that a client hangs up on, or repeats
PATIENCE = 0.004  # seconds, at most, before a client hangs up
TOKENS_EACH = 1_000_000
Act = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Workload:
    """Workload that all clients of a race share: the namespace `home`, the number of objects of each kind, and a seed.

    `keys` is true if the server accepts idempotency keys, `details` are further values of an API.
    """

    home: tuple[str, ...]
    objects: Mapping[str, int]
    seed: int
    keys: bool
    details: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ClientAction:
    """Action of a client: its weight among all actions, the kind of its object, and the operations that it needs."""

    weight: int
    kind: str
    operations: tuple[str, ...]
    act: Act


class TrafficClient:
    """Client of a race; a subclass for each API defines its actions."""

    def __init__(self, number: int, sender: Sender, workload: Workload, offset: Offset) -> None:
        self.number = number
        self.sender = sender
        self.workload = workload
        self.records: list[Record] = []
        self.choose = random.Random(f"{workload.seed}/{number}")  # noqa: S311 - reproducible
        self._offset = offset
        self._tokens = itertools.count((number + 1) * TOKENS_EACH)
        self._share = 1
        self._host = host_name()

    def actions(self) -> Iterable[ClientAction]:
        """Return the actions of this client; defined by an API."""
        raise NotImplementedError

    async def read_final_state(self) -> None:
        """Read every object after all other clients have finished; defined by an API."""
        raise NotImplementedError

    async def run(self, operations: int) -> None:
        """Run actions until this number of operations is recorded."""
        self._share = max(1, operations)
        possible = [action for action in self.actions() if self._can(action)]
        weights = [action.weight for action in possible]
        while possible and len(self.records) < operations:
            await self.choose.choices(possible, weights)[0].act()

    def _can(self, action: ClientAction) -> bool:
        return self.sender.offers(*action.operations) and self.workload.objects[action.kind] > 0

    @property
    def progress(self) -> float:
        """Share of this client's operations that are completed, from 0 to 1."""
        return min(1.0, len(self.records) / self._share)

    def new_token(self) -> int:
        """Return a number that no client of the race has used; its first digits are the client's number."""
        return next(self._tokens)

    def pick(self, kind: str) -> int:
        """Choose an object of a kind."""
        return self.choose.randrange(self.workload.objects[kind])

    def now(self) -> float:
        """Return the time on the driver's clock."""
        return time.monotonic() + self._offset.seconds

    def note(
        self, action: str, key: Key, start: float, reply: WireReply, *, value: Any = None, result: Any = None
    ) -> None:
        """Record an operation that began at `start` and ended now."""
        slack = self._offset.slack
        self.records.append(
            Record(self._host, self.number, action, key, value, result, start, self.now(), slack, reply.status)
        )

    async def once(self, operation: str, path: Mapping[str, str], body: Any = None, **options: Any) -> WireReply:
        """Send a write; now and then hang up before the response, so that the outcome is unknown."""
        hangs_up = self.choose.random() < HANG_UP
        patience = self.choose.random() * PATIENCE if hangs_up else None
        return await self.sender.send(operation, path, body, patience=patience, **options)
