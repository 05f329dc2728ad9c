"""Differences between two runs: requirements that pass in one and fail in the other, by cause."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from conformance.after.comparing.mirror import Deviation
from conformance.former_ids import followed, is_former
from conformance.replay.expectations import same_evidence
from conformance.values.causes import LEVELS
from conformance.values.results import Result, Results
from conformance.values.verdict import FAILED
from specs.problems import Problem

Change = Literal["broken", "blocked", "fixed", "changed", "appeared", "gone"]
CHANGES: tuple[Change, ...] = ("broken", "changed", "blocked", "appeared", "fixed", "gone")
FAILING: tuple[Change, ...] = ("broken", "changed", "blocked")  # fail the gate of a newer run
OF_OLD: tuple[Change, ...] = ("fixed", "gone")  # shown by the older run
BAD = (*FAILED, "known")


@dataclass(frozen=True)
class Difference:
    """Requirements of one cause that differ in the same way.

    `before` and `after` are the results of the first of them, None for a run that did not test it; `shown` is the one
    that is a finding.
    """

    change: Change
    cause: str
    requirements: tuple[str, ...]
    before: Result | None
    after: Result | None
    shown: Result

    def fails_gate(self, *, strict: bool) -> bool:
        """True for a new or changed failure of a MUST, with `strict` also of a SHOULD; at any level for a death."""
        counted = ("MUST", "SHOULD") if strict else ("MUST",)
        return self.change in FAILING and (self.shown.level in counted or self.shown.verdict == "fail")


def differences(old: Results, new: Results) -> list[Difference]:
    """Return the differences between two runs, the worst first.

    broken     passed before and fails now
    changed    fails in both, in different ways
    blocked    passed before, and is blocked now
    appeared   fails now, and was not tested before
    fixed      passes now
    gone       failed before, and is not tested now

    Raises Problem for runs of two APIs: their requirements have nothing in common.
    """
    if old.target.api != new.target.api:
        raise Problem(f"The runs tested {old.target.profile} and {new.target.profile}.", "Compare runs of one API.")
    after = {result.id: result for result in new.requirements}
    before = _under_present_ids(old, after)
    sides = {change: (before, _causes(old)) if change in OF_OLD else (after, _causes(new)) for change in CHANGES}
    groups: dict[tuple[Change, str, str], list[str]] = {}
    for name in [*after, *(name for name in before if name not in after)]:
        if change := _change(before.get(name), after.get(name)):
            seen, causes = sides[change]
            groups.setdefault((change, causes.get(name, name), seen[name].level), []).append(name)
    changes = [
        Difference(change, cause, tuple(names), before.get(names[0]), after.get(names[0]), sides[change][0][names[0]])
        for (change, cause, _), names in groups.items()
    ]
    return sorted(
        changes,
        key=lambda difference: (
            CHANGES.index(difference.change),
            LEVELS.index(difference.shown.level),
            -len(difference.requirements),
            difference.cause,
        ),
    )


def unexplained(changes: Iterable[Difference], deviations: Iterable[Deviation]) -> list[Difference]:
    """Return the differences of requirements whose answers were all equal."""
    seen = {name for deviation in deviations for name in deviation.requirements}
    return [difference for difference in changes if not seen & {*difference.requirements}]


def counts(changes: Iterable[Difference]) -> Mapping[Change, int]:
    """Return the number of requirements by change."""
    counted: dict[Change, int] = dict.fromkeys(CHANGES, 0)
    for difference in changes:
        counted[difference.change] += len(difference.requirements)
    return counted


def _under_present_ids(old: Results, after: Mapping[str, Result]) -> dict[str, Result]:
    """Return the results of an older run by the ids that the requirements have now; see conformance/former_ids.py."""
    now = {name: result.verdict in BAD for name, result in after.items()}
    before = {result.id: result for result in old.requirements if not is_former(result.id)}
    for result in old.requirements:
        if is_former(result.id):
            before |= {
                name: result for name in followed(result.id, result.verdict in BAD, now) if name not in before
            } or {result.id: result}
    return before


def _change(before: Result | None, after: Result | None) -> Change | None:
    was, now = (result is not None and result.verdict in BAD for result in (before, after))
    if before is None or after is None:
        return "appeared" if now else "gone" if was else None
    if was and now:
        same = same_evidence(after, before) and (before.verdict == "blocked") == (after.verdict == "blocked")
        return None if same or before.id != after.id else "changed"
    if now and not was:
        return "blocked" if after.verdict == "blocked" else "broken"
    return "fixed" if was else None


def _causes(results: Results) -> dict[str, str]:
    """Return the cause of each finding, including expected ones."""
    expected = {record.requirement: record.cause for record in results.expectations if record.cause}
    return expected | {name: cause.sentence for cause in results.causes for name in cause.members}
