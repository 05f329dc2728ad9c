"""Findings of a server with strange answers, told in other words by each check: their causes rest on fields."""

from __future__ import annotations

import codecs

import pytest
from msgspec import structs

from conformance.after.causes import find_causes
from conformance.after.claims import true_of_all
from lakeproof import check, serve
from tests.conformance.drawing import drawn
from tests.conformance.strange_server import RUN_SETTINGS, SERVER_OPTIONS, Habits, StrangeServer

WORDS = "not so, whatever was due; lacks it: expected 1, got 2"


@pytest.mark.parametrize(("seed", "api"), [(1, "iceberg"), (3, "lance")])
def test_rewording_every_sentence_changes_no_cause(seed, api, tmp_path):
    with serve(api, **SERVER_OPTIONS.get(api, {})) as server, StrangeServer(server.url, Habits.drawn(seed)) as strange:
        settings = {"api": api, "depth": "smoke", "world": ("plain",), "report": str(tmp_path), "timeout": 2.0}
        settings |= RUN_SETTINGS.get(api, {})
        results, _ = check(strange.url, runner=drawn(api, seed), leave_behind=True, **settings)
    found = [entry for entry in results.requirements if entry.evidence]
    assert len(found) > 20
    reworded = [
        structs.replace(
            entry,
            message=f"{number} {WORDS}",
            statement=f"{WORDS} {number}",
            evidence=structs.replace(
                entry.evidence,
                thing=f"{WORDS} {number}",
                expected=codecs.encode(entry.evidence.expected, "rot13"),
                actual=codecs.encode(entry.evidence.actual, "rot13"),
            ),
        )
        for number, entry in enumerate(found)
    ]
    before, after = find_causes(found), find_causes(reworded)
    by_id = {entry.id: entry for entry in found}
    findings = [cause for cause in before if cause.requirements]
    assert [cause for cause in findings if not true_of_all(cause, [by_id[name] for name in cause.requirements])] == []
    assert [structs.replace(cause, sentence="-", claims=None) for cause in after] == [
        structs.replace(cause, sentence="-", claims=None) for cause in before
    ]
    assert [cause.sentence for cause in after] != [cause.sentence for cause in before]
