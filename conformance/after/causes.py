"""The causes of findings: what comes from one place of the server is told once.

rank 1    loses data, or shows them to somebody else
rank 2    breaks clients: a right request is not done, or an answer is wrong
rank 3    a wrong request has another answer than it should have
rank 4    the form of an answer
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from conformance.values.requirement import Level

from conformance.after.cause_sentences import sentence_of
from conformance.after.grouping import group
from conformance.replay.evidence import RIGHT, WRONG, Evidence
from conformance.values.exchange import ERROR_STATUS
from conformance.values.verdict import FINDINGS, RequirementId, Result, Text, Verdict

Rank = Literal[1, 2, 3, 4]
RANKS: dict[Rank, str] = {1: "Loses or shows data", 2: "Breaks clients", 3: "Wrong status", 4: "Form"}
LEVELS: tuple[Level, ...] = ("MUST", "SHOULD", "MAY")
OF_DATA = ("data", "model", "race", "hostile")
"""Kinds of requirement whose checks are about losing and showing data."""


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


def find_causes(results: Iterable[Result]) -> list[Cause]:
    """Return the causes of a run's findings, and of what could not be tested: the worst first."""
    known = {result.id: result for result in results}
    shown: list[Evidence] = []
    behind: dict[str, str] = {}
    for result in known.values():
        if result.verdict in FINDINGS:
            shown.append(Evidence.of(result))
        elif result.verdict == "blocked":
            behind[result.id] = blocker = _blocker(result, known)
            if blocker == result.id:
                shown.append(Evidence.of(result))
    blocked: dict[str, list[str]] = {}
    for name, blocker in behind.items():
        blocked.setdefault(blocker, []).append(name)
    causes = [_cause(findings, blocked) for findings in group(shown)]
    return sorted(causes, key=lambda cause: (not cause.requirements, *_order(cause)))


def _order(cause: Cause) -> tuple[int, int, int, str]:
    return cause.rank, LEVELS.index(cause.level), -len(cause.requirements) - len(cause.blocked), cause.example


def _blocker(result: Result, known: dict[str, Result]) -> str:
    """Return the finding that blocks a requirement in the end, or the requirement itself where none does."""
    passed = {result.id}
    blocker = known.get(result.blocked_by or "")
    while blocker and blocker.verdict == "blocked" and blocker.id not in passed:
        passed.add(blocker.id)
        result, blocker = blocker, known.get(blocker.blocked_by or "")
    return blocker.id if blocker and blocker.verdict in FINDINGS else result.id


def _cause(findings: Sequence[Evidence], blocked: dict[str, list[str]]) -> Cause:
    real = [finding for finding in findings if finding.result.verdict in FINDINGS] or findings
    example = min(real, key=_effort)
    return Cause(
        sentence="".join(sign for sign in sentence_of(example, real) if sign.isprintable()),
        level=min((finding.result.level for finding in real), key=LEVELS.index),
        rank=min(map(_rank, real)),
        operations=sorted({finding.operation for finding in real} - {""}),
        example=example.result.id,
        requirements=[finding.result.id for finding in real if finding.result.verdict in FINDINGS],
        blocked=[name for finding in findings for name in blocked.get(finding.result.id, ())],
    )


def _effort(finding: Evidence) -> tuple[bool, bool, bool, int, int, str]:
    """Return how much it takes to see a finding: one that shows what clients cannot do, and then a MUST, is best."""
    result = finding.result
    sent = sum(len(step.request.curl) for step in result.steps)
    return not result.steps, finding.request != RIGHT, result.level != "MUST", len(result.steps), sent, result.id


def _rank(finding: Evidence) -> Rank:
    kind = finding.result.kind
    if finding.about_status:
        done = finding.request == WRONG and 0 < finding.got < ERROR_STATUS
        return 1 if done and kind in ("auth", "data") else 2 if finding.request == RIGHT or not finding.got else 3
    if kind == "wire" or finding.got >= ERROR_STATUS:
        return 4
    return 1 if kind in OF_DATA else 2
