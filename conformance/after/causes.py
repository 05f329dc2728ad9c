"""Causes of findings: findings that share a defect of the server are reported once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from conformance.after.cause_sentences import sentence_of
from conformance.after.claims import claims_of
from conformance.after.defects import Defect, find_defects
from conformance.after.grouping import Reached, Sighting, group
from conformance.values.causes import LEVELS, Cause, Rank
from conformance.values.exchange import ERROR_STATUS
from conformance.values.results import Results
from conformance.values.verdict import FINDINGS, Result

OF_DATA = ("data", "model", "race", "hostile")
"""Kinds of requirement whose violations lose or expose data."""

PAGINATION = "pagination"
SEVERAL_CLIENTS = ("race", "model")
"""Kinds whose steps are hard to follow: concurrent ones, and drawn sequences."""
MOST_PLAIN = 20  # steps of a plain example
SHOULD_AT_MOST: Rank = 2


def with_causes(results: Results) -> Results:
    """Return results with their causes; those of older kits, which have no claims, are found anew."""
    if results.causes and all(cause.claims for cause in results.causes):
        return results
    return msgspec.structs.replace(results, causes=find_causes(results.requirements))


def find_causes(results: Iterable[Result]) -> list[Cause]:
    """Return the causes of a run's findings and blocked requirements, the worst first."""
    known = {result.id: result for result in results}
    reached = Reached.of(known.values())
    shown: list[Sighting] = []
    behind: dict[str, str] = {}
    for result in known.values():
        if result.verdict in FINDINGS:
            shown.append(Sighting.of(result, reached))
        elif result.verdict == "blocked":
            behind[result.id] = blocker = _blocker(result, known)
            if blocker == result.id:
                shown.append(Sighting.of(result, reached))
    blocked: dict[str, list[str]] = {}
    for name, blocker in behind.items():
        blocked.setdefault(blocker, []).append(name)
    defects = find_defects(shown, reached)
    told = {finding.result.id for defect in defects for finding in (*defect.own, *defect.consequences)}
    causes = [_cause(defect.own, blocked, defect) for defect in defects]
    causes += [_cause(findings, blocked) for findings in group([one for one in shown if one.result.id not in told])]
    return sorted(causes, key=lambda cause: (not cause.requirements, *_order(cause, known)))


def _order(cause: Cause, results: Mapping[str, Result]) -> tuple[int, int, bool, int, str]:
    """Return the sort key of causes; among those of one rank and level, holes in access control come first."""
    is_hole = any(results[name].kind == "auth" for name in cause.findings)
    return cause.rank, LEVELS.index(cause.level), not is_hole, -len(cause.members), cause.example


def _blocker(result: Result, known: dict[str, Result]) -> str:
    """Return the finding at the end of a requirement's chain of blockers, or the last blocked requirement."""
    passed = {result.id}
    blocker = known.get(result.blocked_by or "")
    while blocker and blocker.verdict == "blocked" and blocker.id not in passed:
        passed.add(blocker.id)
        result, blocker = blocker, known.get(blocker.blocked_by or "")
    return blocker.id if blocker and blocker.verdict in FINDINGS else result.id


def _cause(findings: Sequence[Sighting], blocked: dict[str, list[str]], defect: Defect | None = None) -> Cause:
    """Return the cause of findings that share their evidence, or of a defect with what it predicts."""
    real = [finding for finding in findings if finding.result.verdict in FINDINGS] or findings
    following = defect.consequences if defect else []
    every = [*real, *(finding for finding in following if finding.result.verdict in FINDINGS)]
    claims = defect.claim.claims(real) if defect else claims_of(real)
    level = min((finding.result.level for finding in every), key=LEVELS.index)
    return Cause(
        sentence=sentence_of(claims),
        level=level,
        rank=min(_rank_of_all(real), defect.claim.most) if defect else _rank_of_all(real),
        operations=sorted({finding.evidence.operation for finding in real} - {""}),
        example=min(defect.shown if defect else real, key=_effort).result.id,
        requirements=[finding.result.id for finding in real if finding.result.verdict in FINDINGS],
        consequences=[finding.result.id for finding in every[len(real) :]],
        blocked=[name for finding in (*findings, *following) for name in blocked.get(finding.result.id, ())],
        claims=claims,
        weaker=sum(finding.result.level != level for finding in every if finding.result.verdict in FINDINGS),
    )


def _effort(finding: Sighting) -> tuple[bool, bool, bool, int, int, bool, int, int, str]:
    """Return the sort key of examples: plain findings first, then the strongest, then few and short steps."""
    result = finding.result
    sent = sum(len(step.request.curl) for step in result.steps)
    return (
        not result.steps,
        result.kind in SEVERAL_CLIENTS,
        len(result.steps) > MOST_PLAIN,
        LEVELS.index(result.level),
        _rank(finding),
        finding.evidence.request != "valid",
        len(result.steps),
        sent,
        result.id,
    )


def _rank_of_all(findings: Sequence[Sighting]) -> Rank:
    """Return the worst rank of the MUST among findings; a SHOULD alone never comes before what breaks clients."""
    must = [finding for finding in findings if finding.result.level == "MUST" or finding.evidence.died]
    if must:
        return min(map(_rank, must))
    return max(SHOULD_AT_MOST, min(map(_rank, findings)))


def _rank(finding: Sighting) -> Rank:
    kind, evidence = finding.result.kind, finding.evidence
    if evidence.died and finding.result.verdict in FINDINGS:
        return 0
    if evidence.caller and evidence.request == "invalid" and (evidence.aspect == "effect" or not evidence.refused):
        return 1
    if evidence.about_status:
        if evidence.request == "invalid" and not evidence.refused and kind in ("auth", "data"):
            return 1
        return 2 if evidence.request == "valid" or not evidence.status else 3
    if kind == PAGINATION and evidence.omits:
        return 1  # a listing that leaves out objects loses them for clients
    if kind == "wire" or evidence.status >= ERROR_STATUS:
        return 4
    return 1 if kind in OF_DATA else 2
