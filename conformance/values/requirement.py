"""Requirement: one statement about a server, with a permanent id and a level."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from conformance.values.worlds import Pins

VIEWS = ("spark", "fuzz")  # suites that test an API through another tool: their ids start with their name
Level = Literal["MUST", "SHOULD", "MAY"]
ID = r"^[a-z0-9_]+(\.[a-z0-9_-]+)+$"  # the form of ids, in results too


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    `operations` are its subjects: any other call of its test is a prerequisite. `needs` are requirements that must be
    met first: an unmet one blocks it. `since` is the first revision of its API that includes it, "" for all. `drawn` is
    true when its test draws arguments or commands. `reads` is true when it holds for every object, whoever created it,
    and its test needs no request that writes: a read-only run tests it on existing objects. `world` are the values
    that it bears of some dimensions, all of the others; see conformance/values/worlds.py. `twin` is true when its test
    sees with few requests that each of its operations takes effect: drawn worlds go to it first.
    """

    id: str
    level: Level
    kind: str
    operations: tuple[str, ...]
    clause: str
    statement: str
    where: str
    needs: tuple[str, ...] = ()
    since: str = ""
    drawn: bool = False
    reads: bool = False
    world: Pins = field(default_factory=dict, hash=False, compare=False)
    twin: bool = False

    @property
    def suite(self) -> str:
        """The suite that declares it and owns its clause: the first part of its id."""
        return self.id.partition(".")[0]

    @property
    def api(self) -> str:
        """The API that the requirement tests: the first part of its id, or the second after a view."""
        return self.id.split(".")[self.suite in VIEWS]

    @property
    def resource(self) -> str:
        """The resource that the requirement tests: the part of its id after the API."""
        return self.id.split(".")[1 + (self.suite in VIEWS)]
