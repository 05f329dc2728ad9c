"""Cause: one defect of a server behind one or more findings.

rank 0    kills the server
rank 1    loses data, or exposes data to another caller
rank 2    breaks clients: a valid request fails, or an answer is wrong
rank 3    an invalid request returns another status than expected
rank 4    the form of an answer
"""

from __future__ import annotations

from typing import Literal

import msgspec

from conformance.values.requirement import Level
from conformance.values.verdict import RequirementId, Text, Verdict

Rank = Literal[0, 1, 2, 3, 4]
RANKS: dict[Rank, str] = {
    0: "Kills the server",
    1: "Loses or shows data",
    2: "Breaks clients",
    3: "Wrong status",
    4: "Form",
}
LEVELS: tuple[Level, ...] = ("MUST", "SHOULD", "MAY")


class Cause(msgspec.Struct, kw_only=True):
    """A defect behind findings: a sentence, the worst level and rank of the findings, and an example.

    `operations` are those that showed the defect. `example` is the requirement with the shortest reproduction,
    `requirements` are the findings, and `blocked` the requirements that it kept from being tested.
    """

    sentence: Text
    level: Level
    rank: Rank
    operations: list[str]
    example: RequirementId
    requirements: list[RequirementId]
    blocked: list[RequirementId] = msgspec.field(default_factory=lambda: [])

    @property
    def title(self) -> str:
        """The meaning of its rank."""
        return RANKS[self.rank] if self.requirements else "Not tested"

    @property
    def verdict(self) -> Verdict:
        """The verdict on the requirements that it breaks; reports use its colour."""
        if not self.requirements:
            return "blocked"
        return "fail" if self.level == "MUST" or self.fatal else "warn"

    @property
    def fatal(self) -> bool:
        """True when the server died: that fails at any level."""
        return self.rank == 0

    @property
    def size(self) -> str:
        """The number of requirements that it breaks or blocks, in words."""
        unmet, blocked = len(self.requirements), len(self.blocked)
        counts = [f"{unmet:,} requirement{'s' if unmet != 1 else ''}"] if unmet else []
        return ", ".join([*counts, f"{blocked:,} not tested"] if blocked else counts)
