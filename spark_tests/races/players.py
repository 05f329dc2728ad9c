"""One client of a race: what it remembers, how it chooses, how it writes down what it was told."""

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
from spark_tests.races.wire import Reply, Sender

HANG_UP, REPEAT = 0.02, 0.03  # how often a client loses patience, or sends the same again
PATIENCE = 0.004  # seconds, at most, of who hangs up
TOKENS_EACH = 1_000_000
Act = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a race takes place: what all clients know. `objects` is the number of objects of each kind.

    `facts` is what an API needs besides.
    """

    home: tuple[str, ...]
    objects: Mapping[str, int]
    seed: int
    keys: bool
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Action:
    """Something that a client can do: how often, on which kind of object, and the operations it takes."""

    weight: int
    kind: str
    operations: tuple[str, ...]
    act: Act


class Player:
    """See the module."""

    def __init__(self, number: int, sender: Sender, scene: Scene, offset: Offset) -> None:
        self.number = number
        self.sender = sender
        self.scene = scene
        self.records: list[Record] = []
        self.choose = random.Random(f"{scene.seed}/{number}")  # noqa: S311 - the same choices in every run
        self._offset = offset
        self._tokens = itertools.count((number + 1) * TOKENS_EACH)
        self._share = 1
        self._host = host_name()

    def actions(self) -> Iterable[Action]:
        """Return what this client can do. An API says it."""
        raise NotImplementedError

    async def look_last(self) -> None:
        """Read everything when all others have finished. An API says how."""
        raise NotImplementedError

    async def play(self, operations: int) -> None:
        """Do things until so many are written down."""
        self._share = max(1, operations)
        able = [one for one in self.actions() if self.sender.offers(*one.operations) and self.scene.objects[one.kind]]
        weights = [one.weight for one in able]
        while able and len(self.records) < operations:
            await self.choose.choices(able, weights)[0].act()

    @property
    def progress(self) -> float:
        """How much of its operations this client has done, from 0 to 1."""
        return min(1.0, len(self.records) / self._share)

    def new_token(self) -> int:
        """Return a number that no client of the race has chosen; its first digits say whose it is."""
        return next(self._tokens)

    def pick(self, kind: str) -> int:
        """Choose an object of a kind."""
        return self.choose.randrange(self.scene.objects[kind])

    def now(self) -> float:
        """Return the time on the driver's clock."""
        return time.monotonic() + self._offset.seconds

    def note(self, action: str, key: Key, start: float, reply: Reply, *, value: Any = None, result: Any = None) -> None:
        """Write down an operation that began at `start` and is over now."""
        slack = self._offset.slack
        self.records.append(
            Record(self._host, self.number, action, key, value, result, start, self.now(), slack, reply.status)
        )

    async def once(self, operation: str, path: Mapping[str, str], body: Any = None, **options: Any) -> Reply:
        """Send a write; now and then hang up before the answer, and then nobody knows what was done."""
        hangs_up = self.choose.random() < HANG_UP
        patience = self.choose.random() * PATIENCE if hangs_up else None
        return await self.sender.send(operation, path, body, patience=patience, **options)
