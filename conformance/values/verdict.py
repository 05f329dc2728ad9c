"""How one requirement ended, as `results.json` has it."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec
from conformance.values.requirement import ID, Level, Requirement

from conformance.values.exchange import Step, StepResponse
from specs.clauses import clauses

Verdict = Literal["pass", "fail", "warn", "known", "unoffered", "blocked", "error"]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
RequirementId = Annotated[str, msgspec.Meta(pattern=ID)]

ExpectationState = Literal["known", "stale", "orphan", "expired", "different", "unseen", "untested"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
FINDINGS: tuple[Verdict, ...] = ("fail", "warn")
GOOD: tuple[Verdict, ...] = ("pass", "unoffered")
SHRINKING_STOPPED = "shrinking stopped after "  # so a line of a message begins whose steps may not be the shortest
BREAKING: tuple[ExpectationState, ...] = ("stale", "orphan", "expired")


class ClauseRecord(msgspec.Struct, kw_only=True):
    """The clause that a requirement follows; results of older kits do not say at which `place` the norms have it."""

    id: str
    text: str
    source: str
    place: list[str] = msgspec.field(default_factory=lambda: [])


class Result(msgspec.Struct, kw_only=True, omit_defaults=True):
    """How one requirement ended.

    `message` says what was seen, `steps` are the exchanges that show it, `reached` the operations and
    statuses that the requirement asked for and got, `blocked_by` what failed before. `reference` is what the reference
    server answers to the steps, as far as they were sent to it.
    """

    id: RequirementId
    level: Level
    kind: str
    operations: list[str]
    clause: ClauseRecord
    statement: Text
    where: str
    needs: list[str]
    verdict: Verdict
    message: str
    seconds: Seconds
    requests: Count
    steps: list[Step]
    reached: list[str]
    blocked_by: str | None
    reference: list[StepResponse] = []

    def fails_gate(self, *, strict: bool) -> bool:
        """True when it is a MUST, with `strict` also a SHOULD, that is not met or could not be tested."""
        counted = ("MUST", "SHOULD") if strict else ("MUST",)
        return self.verdict in (*FINDINGS, "blocked") and self.level in counted

    @classmethod
    def of(
        cls,
        requirement: Requirement,
        verdict: Verdict,
        message: str = "",
        *,
        seconds: float = 0.0,
        requests: int = 0,
        steps: list[Step] | None = None,
        reached: list[str] | None = None,
        blocked_by: str = "",
    ) -> Result:
        """Return the result of a requirement."""
        clause = clauses(requirement.suite)[requirement.clause]
        return cls(
            id=requirement.id,
            level=requirement.level,
            kind=requirement.kind,
            operations=list(requirement.operations),
            clause=ClauseRecord(id=clause.id, text=clause.text, source=clause.source, place=list(clause.place)),
            statement=requirement.statement,
            where=requirement.where,
            needs=list(requirement.needs),
            verdict=verdict,
            message=message,
            seconds=round(seconds, 6),
            requests=requests,
            steps=steps or [],
            reached=reached or [],
            blocked_by=blocked_by or None,
        )


class ExpectationRecord(msgspec.Struct, kw_only=True):
    """How a finding that was expected ended (conformance/replay/expectations.py); `seen` is what the file has of it.

    `different` is a finding that was seen in another way, `unseen` one that this run could not be sure to see,
    `untested` one that it did not look for.
    """

    requirement: str
    state: ExpectationState
    cause: str
    reason: str
    link: str
    expires: str
    seen: str
