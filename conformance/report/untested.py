"""Why requirements of a run were not tested: operations that the server does not offer, options of the run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from conformance.values.results import Result, Results

MOST = 6


def why_untested(results: Results) -> list[str]:
    """Return a line for what the server does not offer, and one for what the run lacks, none without such."""
    unoffered = [result for result in results.requirements if result.verdict == "unoffered"]
    skipped = [result for result in results.requirements if result.verdict == "skipped"]
    lines = []
    if unoffered:
        needs = _most(unoffered, lambda result: f"need {result.lacks}" if result.lacks else "for reasons in the report")
        lines.append(f"not offered: {needs}")
    if skipped:
        needs = _most(skipped, lambda result: f"need {result.option}" if result.option else "saw no response to judge")
        lines.append(f"skipped: {needs}")
    return lines


def _most(results: list[Result], reason: Callable[[Result], str]) -> str:
    """Return the most frequent reasons with the number of requirements for each."""
    counts = Counter(map(reason, results)).most_common()
    rest = sum(count for _, count in counts[MOST:])
    named = [f"{count:,} {text}" for text, count in counts[:MOST]]
    return ", ".join([*named, f"{rest:,} others"] if rest else named)
