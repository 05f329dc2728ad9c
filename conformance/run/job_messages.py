"""Pickled messages between the process of a run and its workers: see jobs.py and worker.py."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any

from conformance.http.wire import Seen
from conformance.run.ledger import Judged
from conformance.run.suspects import Suspicion
from conformance.target.standing import Doubt
from conformance.target.target import Found
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Stopped
from conformance.values.purposes import Purpose
from conformance.values.resources import Names, Resource
from conformance.values.settings import Settings
from conformance.values.verdict import Verdict

if TYPE_CHECKING:
    AnyPipe = Connection[Any, Any]
else:
    AnyPipe = Connection


@dataclass(frozen=True, slots=True)
class Start:
    """The first message, to all workers together: their number, and the ids that they may test.

    `ends` is the end of the run's time on the monotonic clock, None for no end.
    """

    settings: Settings
    found: Found
    of: int
    ids: list[str]
    ends: float | None


@dataclass(frozen=True, slots=True)
class Task:
    """A requirement to test, the verdicts on its `needs`, and the operations that have succeeded so far."""

    id: str
    verdicts: Mapping[str, Verdict]
    done: frozenset[str]


@dataclass(frozen=True, slots=True)
class End:
    """Why the run is over for a worker: the fields of Stopped."""

    message: str
    by: str
    gone: bool
    exchange: Exchange | None

    @classmethod
    def of(cls, stopped: Stopped) -> End:
        """Return the message for an exception."""
        return cls(str(stopped.msg), stopped.by, stopped.gone, stopped.exchange)

    def stopped(self) -> Stopped:
        """Return the exception of the message."""
        return Stopped(self.message, self.by, gone=self.gone, exchange=self.exchange)


@dataclass(frozen=True, slots=True)
class News:
    """The observations of a worker since its last message: exchanges as lines of the log, and further data.

    `judged` are the facts about the requirement, None without any. `traffic` are the counts of Traffic.absorb,
    `suspicions` and `disturbed` the requirements during which the server died, `span` the time of the test.
    """

    id: str
    judged: Judged | None
    lines: bytes
    requests: int
    purposes: Counter[Purpose]
    traffic: tuple[int, int, int, float]
    done: frozenset[str]
    wire: Seen
    suspicions: list[Suspicion]
    disturbed: Mapping[str, float]
    span: tuple[float, float]
    end: End | None


@dataclass(frozen=True, slots=True)
class Rest:
    """The last message of a worker: the notes of its whole time, and the objects that it could not clearly drop.

    `restricts` is what its sandbox knows of drops of full namespaces.
    """

    news: News
    cells: Mapping[str, set[str]]
    looks: Mapping[str, set[str]]
    doubtful: Mapping[Resource, Doubt]
    registrations: set[Names | str]
    restricts: bool
    errors: list[str]
