"""Measurements of faults: kept, continued, counted, and shown beside those of other judges."""

from __future__ import annotations

import json

import pytest

from conformance.apis import requirements
from mutants.page import publish_mutants
from mutants.scores import Keeper, Mutant, by_requirement, counted, difficulty_of, kind_of, survivors
from specs.problems import Problem

CONFLICT = "lance.namespace.create.conflict"
BREAKS = "A conflict is answered with 400."


def mutant(fault, reached=True, how="", **noticed):
    return Mutant(fault=fault, breaks=BREAKS, noticed_by=noticed, reached=reached, seconds=2.0, how=how)


SEEN = mutant("conflict-as-400", **{CONFLICT: 3})
LEFT = mutant("left-over", how="one fault in 3, seed 0")
NOTHING = mutant("changes-nothing", reached=False)


@pytest.fixture
def folder(tmp_path):
    for measured in (SEEN, LEFT, NOTHING):
        Keeper.of(tmp_path, "lance", "lakeproof").add(measured)
    Keeper.of(tmp_path, "lance", "other").add(mutant(SEEN.fault, how="60 s for each fault"))
    Keeper.of(tmp_path, "lance", "other").add(mutant(LEFT.fault, **{"GET /x": 0, "GET /y": 0}))
    return tmp_path


def test_measurements_are_kept_and_continued(folder):
    kept = Keeper.of(folder, "lance", "lakeproof")
    assert list(kept.read().values()) == [SEEN, LEFT, NOTHING]
    kept.add(mutant("another"))
    assert list(kept.read())[-1] == "another"
    assert Keeper.of(folder, "iceberg", "lakeproof").read() == {}


def test_faults_are_counted_by_what_it_takes_to_see_them():
    known = requirements("lance")
    race = next(name for name, requirement in known.items() if requirement.kind == "race")
    assert survivors([SEEN, LEFT, NOTHING]) == [LEFT]
    assert counted([SEEN, LEFT, NOTHING]) == [SEEN, LEFT]
    assert [kind_of(measured) for measured in (SEEN, LEFT)] == ["error", "nobody"]
    several = [mutant("f", **{CONFLICT: count, race: 2}) for count in (3, 4, 9)]
    assert [difficulty_of(measured) for measured in several] == ["up to 3 requests"] * 3
    assert difficulty_of(mutant("f", **{CONFLICT: 9})) == "more"
    assert difficulty_of(mutant("f", **{race: 9})) == "clients at the same time"
    assert by_requirement([SEEN, LEFT]) == {CONFLICT: [SEEN.fault]}


def test_a_page_shows_all_judges_and_names_survivors(folder):
    paths = publish_mutants(folder, {"lance": {SEEN.fault: BREAKS, "nobody-sees-it": "It is not seen."}})
    page = (folder / "README.md").read_text()
    assert {path.name for path in paths} == {"README.md", "lance.md", "shipped.md", "badge.json"}
    assert "- `left-over`" in page
    assert "| [lance](lance.md) | 2 | 1 (50%) | 2 | 1 (50%) |" in page
    assert "Shown again: 2 faults (one fault in 3, seed 0), in 4 s" in page
    assert "| other (60 s for each fault) | 2 | 1 (50%) | 1 (50%) |" in page
    assert "| noticed: GET /x and 1 more |" in page
    both_ways = (folder / "lance.md").read_text()
    assert f"- `{CONFLICT}`: {SEEN.fault}" in both_ways
    assert "- `nobody-sees-it`: It is not seen. (not in noticed.toml)" in both_ways
    assert json.loads((folder / "badge.json").read_text())["message"] == "1/2"


def test_the_page_about_worlds_stays_without_its_measurements(folder):
    """They are not in the repository, and take hours."""
    link = "Faults that occur in one world alone have [a page of their own](worlds.md)."
    publish_mutants(folder, {"lance": {}})
    assert link not in (folder / "README.md").read_text()
    (folder / "worlds.md").write_text("measured\n")
    publish_mutants(folder, {"lance": {}})
    assert link in (folder / "README.md").read_text()
    assert (folder / "worlds.md").read_text() == "measured\n"


def test_a_folder_without_measurements_has_no_page(tmp_path):
    with pytest.raises(Problem, match="has no measurements"):
        publish_mutants(tmp_path, {})
