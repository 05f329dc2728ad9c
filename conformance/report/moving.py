"""Requests of an API's newest revision that a run by an older one has not sent."""

from __future__ import annotations

from conformance.values.results import Results
from specs.moving import move
from specs.problems import Problem
from specs.profiles import find_profile, newest_profile


def moving(results: Results) -> list[str]:
    """Return a sentence about the move to the newest revision; none for a run by it, for a part, or a foreign profile.

    It follows from the documents alone: the run has not asked the server for any of it.
    """
    if results.partial or results.run.interrupted:
        return []
    try:
        tested = find_profile(results.target.profile)
        newest = newest_profile(tested.api)
        if tested.revision not in tested.facts.revisions or tested == newest:
            return []
        difference = move(tested.document(), newest.document())
    except Problem:  # a profile of another release of the kit
        return []
    return [
        f"Moving to {newest.name}: {difference.counts()}; `lakeproof spec diff {tested.name} {newest.name}` names them."
    ]
