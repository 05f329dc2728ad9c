"""Requirement: one statement about a server, with an id for life and a level."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

VIEWS = ("spark", "fuzz")  # suites that look at an API through something else: their ids start with their name
Level = Literal["MUST", "SHOULD", "MAY"]
ID = r"^[a-z0-9_]+(\.[a-z0-9_-]+)+$"  # the form of ids, in results too


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    `operations` are its subjects: what else its test calls is a prerequisite. `needs` are requirements
    without which it says nothing new: where one of them is not met, it is blocked by it. `since` is the first revision
    of its API by which it is tested, "" for all. `drawn` tells whether its test draws arguments, or commands.
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

    @property
    def suite(self) -> str:
        """Whose requirement it is, and whose clauses it follows: the first part of its id."""
        return self.id.partition(".")[0]

    @property
    def api(self) -> str:
        """The API that the requirement is about: the first part of its id, or the second behind a view."""
        return self.id.split(".")[self.suite in VIEWS]

    @property
    def resource(self) -> str:
        """What the requirement is about: the part of its id behind the API."""
        return self.id.split(".")[1 + (self.suite in VIEWS)]
