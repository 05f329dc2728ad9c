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

from conformance.values.evidence import Aspect, Relation, Request, State
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
OPERATION = "‹operation›"  # stands for an operation in the words of several findings
LEVELS: tuple[Level, ...] = ("MUST", "SHOULD", "MAY")


class Claims(msgspec.Struct, kw_only=True, omit_defaults=True, frozen=True):
    """The claims of a cause's sentence: each holds for every finding of the cause. A default claims nothing.

    `operations`  the operations that the findings show; all of them are named or counted
    `status`      the received status, 0 for a closed connection; `page` adds that it came with an HTML page
    `request`     the kind of request
    `statuses`    the expected ones; `due` is their class where they differ: 4 for any 4xx
    `callers`     who got the answers, where privileges decide
    `kind`        the type of the server's error, where its messages share too few words
    `said`        words that the server's messages share, in this order
    `aspect`      the wrong part of an answer, its `place` or the name of its `field`, the `relation` and the values
    `state`       the outcome of experiments about a `write`, as the `reader` shows it
    `writes`      several that have this outcome; `returned` is the status of their answers
    `only`        the smallest world in which all of them occur, in words, or that each occurs in a drawn world alone;
                  the plain one shows none of them
    `norm`        words that the statements of the requirements share, or the text of their common clause
    `message`     words that the sentences of the findings share; OPERATION stands for the name of the operation
    """

    operations: tuple[str, ...] = ()
    status: int | None = None
    page: bool = False
    request: Request = "unknown"
    statuses: tuple[int, ...] = ()
    due: int = 0
    callers: tuple[str, ...] = ()
    kind: str = ""
    said: str = ""
    aspect: Aspect = ""
    place: str = ""
    field: str = ""
    relation: Relation = "stated"
    expected: str = ""
    actual: str = ""
    state: State = ""
    write: str = ""
    writes: tuple[str, ...] = ()
    returned: int = 0
    reader: str = ""
    only: str = ""
    norm: str = ""
    message: str = ""


class Cause(msgspec.Struct, kw_only=True):
    """A defect behind findings: a sentence, the worst level and rank of the findings, and an example.

    `operations` are those that showed the defect. `example` is the requirement with the shortest reproduction,
    `requirements` are the findings that state it, `consequences` those whose wrong answer it predicts, and `blocked`
    the requirements that it kept from being tested. `claims` are what the sentence states; causes of older kits have
    none. `weaker` counts the findings whose level is below its own.
    """

    sentence: Text
    level: Level
    rank: Rank
    operations: list[str]
    example: RequirementId
    requirements: list[RequirementId]
    consequences: list[RequirementId] = msgspec.field(default_factory=lambda: [])
    blocked: list[RequirementId] = msgspec.field(default_factory=lambda: [])
    claims: Claims | None = None
    weaker: int = 0

    @property
    def findings(self) -> list[RequirementId]:
        """The requirements that the server does not meet because of it."""
        return [*self.requirements, *self.consequences]

    @property
    def members(self) -> list[RequirementId]:
        """The findings, and the requirements that it kept from being tested."""
        return [*self.findings, *self.blocked]

    @property
    def weight(self) -> str:
        """Its level, with the number of findings that have it where others have a lower one."""
        count = len(self.findings)
        return f"{self.level} ({count - self.weaker:,} of {count:,})" if self.weaker else self.level

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
        unmet, blocked = len(self.findings), len(self.blocked)
        counts = [f"{unmet:,} requirement{'s' if unmet != 1 else ''}"] if unmet else []
        return ", ".join([*counts, f"{blocked:,} not tested"] if blocked else counts)
