"""Cause: the one thing wrong with a server that stands behind findings.

rank 1    loses data, or shows them to somebody else
rank 2    breaks clients: a valid request is not done, or an answer is wrong
rank 3    an invalid request has another answer than it should have
rank 4    the form of an answer
"""

from __future__ import annotations

from typing import Literal

import msgspec

from conformance.values.requirement import Level
from conformance.values.verdict import RequirementId, Text, Verdict

Rank = Literal[1, 2, 3, 4]
RANKS: dict[Rank, str] = {1: "Loses or shows data", 2: "Breaks clients", 3: "Wrong status", 4: "Form"}
LEVELS: tuple[Level, ...] = ("MUST", "SHOULD", "MAY")


class Cause(msgspec.Struct, kw_only=True):
    """What stands behind findings: a sentence, the worst level and rank of them, and where to see it.

    `operations` are those that answered so. `example` is the requirement with the shortest way to see it,
    `requirements` are the findings, and `blocked` the requirements that could not be tested because of it.
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
        """What its rank means."""
        return RANKS[self.rank] if self.requirements else "Not tested"

    @property
    def verdict(self) -> Verdict:
        """The verdict on the requirements that it breaks, in whose colour it is shown."""
        return "blocked" if not self.requirements else "fail" if self.level == "MUST" else "warn"

    @property
    def size(self) -> str:
        """How many requirements it is behind."""
        unmet, blocked = len(self.requirements), len(self.blocked)
        counts = [f"{unmet:,} requirement{'s' if unmet != 1 else ''}"] if unmet else []
        return ", ".join([*counts, f"{blocked:,} not tested"] if blocked else counts)
