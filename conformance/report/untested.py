"""Why requirements of a run were not tested: each reason once, with the option of the run that helps."""

from __future__ import annotations

from collections import Counter, defaultdict

from conformance.values.results import Result, Results
from conformance.values.verdict import would_test

MOST = 8
TOLD = ("unoffered", "skipped", "blocked")


def why_untested(results: Results, most: int | None = MOST) -> list[str]:
    """Return a line for each reason, the most frequent first; those after the first `most` share the last line.

    A reason is an operation that the server lacks or refuses, or the message of the requirements. What was blocked and
    no option would test is shown by the causes alone.
    """
    reasons: dict[tuple[str, str, str], list[Result]] = defaultdict(list)
    for result in results.requirements:
        if result.verdict in TOLD and (result.option or result.verdict != "blocked"):
            subject = result.lacks or result.blocked_by or result.option or result.message
            reasons[result.verdict, subject, result.option].append(result)
    lines = sorted(reasons.values(), key=len, reverse=True)
    told, untold = lines[:most], lines[most:] if most is not None else []
    rest = sum(map(len, untold))
    others = [f"{rest:,} not tested for {len(untold)} other reasons: see the report"] if rest else []
    return [*(f"{len(alike):,} {alike[0].verdict}: {_reason(alike)}" for alike in told), *others]


def _reason(alike: list[Result]) -> str:
    """Return the reason that results share, with the option that would test them."""
    first = alike[0]
    if first.lacks:
        return f"{first.lacks} is not offered{would_test(first.option)}"
    if first.verdict == "blocked":
        return f"{first.blocked_by} failed{would_test(first.option)}"
    (message, _), *_ = Counter(result.message for result in alike).most_common()
    return message
