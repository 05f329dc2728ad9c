"""A run's verdict in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from conformance.values.causes import Cause
from conformance.values.results import Result, Results
from conformance.values.verdict import BREAKING, UNTESTED

SCENARIO = "scenario"
MOST_NAMED = 3
NOTHING_WRITTEN = "Read-only: nothing was written."


def sentence(results: Results) -> str:
    """Return the run's verdict in one sentence. A partial run claims no conformance; a read-only run is one."""
    return f"{NOTHING_WRITTEN} {_verdict(results)}" if results.read_only else _verdict(results)


def _verdict(results: Results) -> str:
    counts = Counter((entry.level, entry.verdict) for entry in results.requirements)
    if not results.requirements:
        return "No requirement was tested."
    if results.run.interrupted:
        return f"Interrupted: {_tested(results)}."
    profile, stopped = results.target.profile, results.run.stopped
    if not stopped and all(entry.kind == SCENARIO for entry in results.requirements):
        return _scenarios(results)
    must = sum(count for (level, verdict), count in counts.items() if level == "MUST" and verdict not in UNTESTED)
    broken, blocked, known = (counts["MUST", verdict] for verdict in ("fail", "blocked", "known"))
    gone, fatal = bool(stopped and stopped.gone), any(cause.fatal for cause in results.causes)
    if gone or fatal:
        opening = "Does not conform to" if broken or fatal or results.target.lacking else "No verdict on"
        return f"{opening} {profile}: {'; '.join([*_deadly(results, known), *_also(results, blocked)])}."
    details = "; ".join([_cause_counts(results.causes, broken, known, must), *_also(results, blocked)])
    if broken or blocked or results.target.lacking:
        return f"Does not conform to {profile}: {details}.{_data(results.causes)}"
    if results.totals["error"] or stopped:
        return f"No verdict on {profile}: {details}."
    if known:
        return f"Does not conform to {profile}, as expected: {details}."
    if results.partial:
        details = details.removesuffix(f"; {_part(results)} tested")
        return f"{_part(results)} of {profile} tested: {details}."
    return f"Conforms to {profile}{_in_part(results)}: {details}."


def _in_part(results: Results) -> str:
    """Return the operations for which the verdict holds, "" when the server offers all."""
    target = results.target
    if target.offers_all:
        return ""
    return f" in the {_counted(target.offered, 'operation')} of {len(target.operations)} that it offers"


def _scenarios(results: Results) -> str:
    """Return the number of passing scenarios: a client's scenarios do not show conformance of a server."""
    rest = [f"{count:,} {verdict}" for verdict, count in results.totals.items() if count and verdict != "pass"]
    total = len(results.requirements)
    passed = f"{results.totals['pass']:,} of {_counted(total, 'scenario')} pass{'es' * (total == 1)}"
    return f"{passed} on a server of {results.target.profile}{': ' if rest else ''}{', '.join(rest)}."


def _also(results: Results, blocked: int) -> Iterator[str]:
    if lacking := results.target.lacking:
        rest = f" and {len(lacking) - MOST_NAMED} more" if len(lacking) > MOST_NAMED else ""
        verb = "is" if len(lacking) == 1 else "are"
        yield f"{', '.join(lacking[:MOST_NAMED])}{rest} {verb} not offered (--require)"
    if blocked:
        yield f"{blocked:,} could not be tested"
    if results.totals["error"]:
        yield f"{_counted(results.totals['error'], 'error')} of the kit"
    if broken := sum(record.state in BREAKING for record in results.expectations):
        yield f"{_counted(broken, 'expectation')} no longer {'holds' if broken == 1 else 'hold'}"
    if results.run.stopped and results.run.stopped.gone:
        unexplained = not any(map(_kills, results.requirements))
        reason = ", and no request is known to have caused it" if unexplained else ""
        yield f"the server went away after {_tested(results).removesuffix(' tested')}{reason}"
    elif results.run.stopped:
        yield f"stopped: {_tested(results)}"
    elif results.partial:
        yield f"{_part(results)} tested"


def _kills(entry: Result) -> bool:
    """True for a finding, also a known one, that the server died of a request."""
    return bool(entry.evidence and entry.evidence.died) and entry.verdict != "blocked"


def _deadly(results: Results, known: int) -> Iterator[str]:
    """Yield the numbers of causes that kill the server, and of others."""
    fatal = sum(cause.fatal for cause in results.causes)
    others = sum(not cause.fatal and bool(cause.requirements) for cause in results.causes)
    if fatal:
        yield f"{_counted(fatal, 'cause')} {'kills' if fatal == 1 else 'kill'} the server"
    if others:
        yield f"{_counted(others, 'other cause' if fatal else 'cause')} of findings"
    if known:
        yield f"{_counted(known, 'known failure')}"


def _data(causes: Sequence[Cause]) -> str:
    """Return a sentence on the first cause if it breaks a MUST by losing or showing data, else ""."""
    loses = [cause for cause in causes[:1] if cause.rank == 1 and cause.level == "MUST" and cause.requirements]
    return "".join(f" {cause.title}: {cause.sentence}." for cause in loses)


def _part(results: Results) -> str:
    """Return the number of tested requirements: a read-only run leaves most of them out."""
    tested = [entry for entry in results.requirements if not results.read_only or entry.verdict not in UNTESTED]
    return f"{len(tested):,} of {results.run.available:,} requirements"


def _cause_counts(causes: Sequence[Cause], broken: int, known: int, must: int) -> str:
    """Return the number of causes and of broken MUST requirements, including known ones."""
    are_known = "is a known failure" if known == 1 else "are known failures"
    failing = [cause for cause in causes if cause.requirements]
    hard = sum(cause.level == "MUST" for cause in failing)
    soft = len(failing) - hard
    if not hard:
        more = f"; {_counted(soft, 'cause')} {_breaks(soft)} SHOULD or MAY" if soft else ""
        if known:
            return f"{known:,} of {must:,} MUST requirements {are_known}, no other is broken{more}"
        return f"none of {must:,} MUST requirements is broken{more}"
    more = f", {known:,} more {are_known}" if known else ""
    counts = f"{_breaks(hard)} MUST ({broken:,} of {must:,} requirements{more})"
    if not soft:
        return f"{_counted(hard, 'cause')} {counts}"
    return f"{_counted(len(failing), 'cause')}: {hard:,} {counts}, {soft:,} only SHOULD or MAY"


def _breaks(count: int) -> str:
    return "breaks" if count == 1 else "break"


def _tested(results: Results) -> str:
    """Return the progress of a run that ended early."""
    tested, selected = len(results.requirements), results.run.selected
    part = f"{tested:,} of {selected:,} requirements" if selected else _counted(tested, "requirement")
    return f"{part} tested"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
