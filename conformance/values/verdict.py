"""The outcome of one requirement in `results.json`."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

import msgspec

from conformance.values.evidence import Evidence
from conformance.values.exchange import Step, StepResponse
from conformance.values.requirement import ID, Level, Requirement
from specs.clauses import clauses

Verdict = Literal["pass", "fail", "warn", "known", "unoffered", "skipped", "blocked", "error"]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
RequirementId = Annotated[str, msgspec.Meta(pattern=ID)]

ExpectationState = Literal["known", "stale", "orphan", "expired", "different", "unseen", "untested"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
FINDINGS: tuple[Verdict, ...] = ("fail", "warn")
FAILED: tuple[Verdict, ...] = (*FINDINGS, "blocked")
UNTESTED: tuple[Verdict, ...] = ("unoffered", "skipped")
GOOD: tuple[Verdict, ...] = ("pass", *UNTESTED)
BREAKING: tuple[ExpectationState, ...] = ("stale", "orphan", "expired")


class ClauseRecord(msgspec.Struct, kw_only=True):
    """The clause that a requirement follows; results of older kits have no `place` in the norms."""

    id: str
    text: str
    source: str
    place: list[str] = msgspec.field(default_factory=lambda: [])


class Result(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The outcome of one requirement.

    `message` is a sentence made from the `evidence`; `notes` are further sentences, and `flaky` means that the same
    steps returned different answers. `steps` are the exchanges that show it, `reached` the expected operations and
    statuses that occurred, `blocked_by` the operation or requirement that failed before. `lacks` is the operation that
    the server does not offer, `option` the one that would test it if it was not. `reference` are the answers of
    the reference server to the steps that were sent to it. `worlds` are the drawn worlds in which it was tested, too.
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
    lacks: str = ""
    option: str = ""
    reference: list[StepResponse] = []
    evidence: Evidence | None = None
    flaky: bool = False
    notes: list[str] = []
    worlds: list[str] = []

    @property
    def text(self) -> str:
        """The message, and the notes on it, a line each."""
        return "\n".join([self.message, *self.notes])

    def fails_gate(self, *, strict: bool) -> bool:
        """True for a MUST, with `strict` also a SHOULD, that is not met or blocked; at any level for a failure."""
        counted = ("MUST", "SHOULD") if strict else ("MUST",)
        return self.verdict == "fail" or (self.verdict in FAILED and self.level in counted)

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
        lacks: str = "",
        option: str = "",
        evidence: Evidence | None = None,
        flaky: bool = False,
        notes: list[str] | None = None,
        worlds: list[str] | None = None,
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
            lacks=lacks,
            option=option,
            evidence=evidence,
            flaky=flaky,
            notes=notes or [],
            worlds=worlds or [],
        )


class ExpectationRecord(msgspec.Struct, kw_only=True):
    """The outcome of an expected finding (conformance/replay/expectations.py); `seen` is its text in the file.

    `different` is a finding that failed in another way, `unseen` one that this run might have missed, `untested` one
    that it did not test.
    """

    requirement: str
    state: ExpectationState
    cause: str
    reason: str
    link: str
    expires: str
    seen: str


def would_test(option: str) -> str:
    """Return the end of a sentence that names the option with which a requirement would be tested, "" without one."""
    return f": {option} would test this" if option else ""
