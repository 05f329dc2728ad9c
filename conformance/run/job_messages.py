"""What the process of a run and its workers tell each other, pickled: see jobs.py and worker.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from conformance.http.wire import Seen
from conformance.target.target import Found
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Stopped
from conformance.values.resources import Names, Resource
from conformance.values.results import Result
from conformance.values.settings import Settings


@dataclass(frozen=True, slots=True)
class Start:
    """The first message, to all workers together: how many they are, and what they may be asked to test.

    `ends` is when the run's time is over, on the monotonic clock, None for never.
    """

    settings: Settings
    found: Found
    of: int
    ids: list[str]
    ends: float | None


@dataclass(frozen=True, slots=True)
class Task:
    """A requirement to test, the verdicts on what it needs, and the operations that have succeeded by now."""

    id: str
    verdicts: Mapping[str, str]
    done: frozenset[str]


@dataclass(frozen=True, slots=True)
class End:
    """Why the run is over for a worker: what Stopped has."""

    message: str
    by: str
    gone: bool
    exchange: Exchange | None

    @classmethod
    def of(cls, stopped: Stopped) -> End:
        """Return what is told of it."""
        return cls(str(stopped.msg), stopped.by, stopped.gone, stopped.exchange)

    def stopped(self) -> Stopped:
        """Return it as it was raised."""
        return Stopped(self.message, self.by, gone=self.gone, exchange=self.exchange)


@dataclass(frozen=True, slots=True)
class News:
    """What a worker has seen since it last told: exchanges as lines of the log, and what they show.

    `result` is the verdict, None where there is none; `lacking` the operation that the server seems to lack, and the
    finding that stands in the verdict's place if it has it after all. `traffic` are the counts of Traffic.absorb.
    """

    id: str
    result: Result | None
    lacking: tuple[str, Result | None] | None
    lines: bytes
    requests: int
    traffic: tuple[int, int, int, float]
    done: frozenset[str]
    wire: Seen
    end: End | None


@dataclass(frozen=True, slots=True)
class Rest:
    """The last message of a worker: what it noted over its whole time, and what it could not clearly drop."""

    news: News
    cells: Mapping[str, set[str]]
    looks: Mapping[str, set[str]]
    doubtful: Mapping[Resource, str]
    registrations: set[Names | str]
    errors: list[str]
