"""Gaps of a server: operations that it lacks in a group of which it offers others, by what depends on them."""

from __future__ import annotations

from collections import Counter

from conformance.values.results import Results
from specs.problems import Problem
from specs.profiles import find_profile

MOST = 3
LEAST = 50  # a gap leaves one in so many requirements untested, or more


def gaps(results: Results) -> list[str]:
    """Return a sentence for each large gap, the largest first.

    A group that a server lacks as a whole, such as views, is its choice and no gap.
    """
    untested = Counter(result.lacks for result in results.requirements if result.verdict == "unoffered")
    offered = {operation.id for operation in results.target.operations if operation.offered}
    whole = [group for group in _groups(results) if not group & offered]
    found = [
        (operation, count)
        for operation, count in untested.most_common()
        if operation and count * LEAST >= len(results.requirements) and not any(operation in group for group in whole)
    ]
    return [
        f"{operation} is not offered: {count:,} requirement{'s' * (count != 1)} could not be tested"
        for operation, count in found[:MOST]
    ]


def _groups(results: Results) -> list[frozenset[str]]:
    try:
        return list(find_profile(results.target.profile).groups().values())
    except Problem:  # a profile of another release of the kit
        return []
