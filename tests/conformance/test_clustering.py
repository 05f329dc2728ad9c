"""Causes measured against known faults: scores over made findings, the seeded draw, the page, and a small real run."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from mutants import clustering_page, trials, trying
from mutants.__main__ import mutants
from mutants.clustering import labels_of, measure, score
from mutants.clustering_page import Measured, measured_file, read_measured, write_measured
from mutants.page import publish_mutants
from mutants.scores import Keeper, Mutant
from mutants.trials import Trial, TrialFile, broad, choose
from specs.problems import Problem
from tests.conformance.made_findings import finding

CRASH = {"body": {"json": {"error": "the cell is broken, and nobody knows why or how"}}}
ASKED = [f"api.it.{name}" for name in ("a", "b", "both", "c", "d")]
REFUSED = {"body": {"json": {"error": "there is no way to read a cell of this kind at all"}}, "status": 403}


def trial(*results, faults):
    return Trial(faults=list(faults), asked=ASKED, seconds=1.0, results=list(results))


def crash(name, **more):
    return finding(name, **CRASH, where=f"c:test_{name}", **more)


def refused(name):
    return finding(name, "GetIt: expected 400, got 403", **REFUSED, where=f"c:test_{name}")


ALONE = {
    "crash": trial(crash("a"), crash("b"), faults=["crash"]),
    "refuse": trial(refused("c"), refused("both"), faults=["refuse"]),
    "split": trial(crash("both"), refused("d"), faults=["split"]),
}


def measured(*results, faults=("crash", "refuse"), operations=None):
    made = trial(*results, faults=faults)
    return measure(made, labels_of(made, ALONE), operations or {})


def test_each_fault_in_a_cause_of_its_own_is_pure():
    two = measured(crash("a"), crash("b"), refused("c"))
    assert two.causes_of == {"crash": 1, "refuse": 1}
    scored = score([two])
    assert (scored.findings, scored.causes, scored.median, scored.ninety, scored.most, scored.told) == (
        3,
        2,
        1,
        1,
        1,
        2,
    )
    assert scored.purity == 1
    assert scored.untrue == scored.unlabelled == scored.blocked == 0


def test_a_cause_with_findings_of_two_faults_is_impure_and_counts_for_both():
    joined = measured(crash("a"), crash("b"), crash("c"))
    (card,) = joined.cards
    assert (card.label, card.fitting, card.others) == ("crash", 2, ["refuse"])
    assert joined.causes_of == {"crash": 1, "refuse": 1}
    assert score([joined]).purity == pytest.approx(2 / 3)
    assert score([joined]).mixed == 1


def test_a_fault_in_two_causes_is_split():
    split = measured(crash("both"), refused("d"), faults=["split"])
    assert split.causes_of == {"split": 2}
    assert score([split, measured(crash("a"), faults=["crash"])]).median == 1.5


def test_a_finding_belongs_to_the_fault_that_makes_the_same_or_to_any():
    same = measured(crash("both"), faults=["refuse", "split"])
    assert [(card.label, card.fitting) for card in same.cards] == [("split", 1)]
    changed = finding("both", "GetIt: expected 400, got 502", status=502)
    other = measured(changed, faults=["refuse", "split"])
    assert [card.label for card in other.cards] == ["refuse"]
    joined = trial(changed, refused("d"), faults=["refuse", "split"])
    assert labels_of(joined, ALONE) == {"api.it.both": {"refuse", "split"}, "api.it.d": {"split"}}


def test_findings_of_no_fault_alone_and_blocked_requirements_count_apart():
    lonely = measured(crash("a"), crash("new"), crash("kept", verdict="blocked", blocked_by="GetIt"), faults=["crash"])
    scored = score([lonely])
    assert (scored.unlabelled, scored.blocked, scored.findings, scored.purity) == (1, 1, 2, 1)
    assert lonely.causes_of == {"crash": 1}


def test_scores_of_nothing_are_no_division_by_zero():
    assert score([]).purity == 1
    assert measured(faults=["crash"]).cards == []


def test_the_same_seed_draws_the_same_and_more_faults_include_fewer():
    operations = {name: frozenset({"ListTables"}) for name in broad("lance")}
    first = choose("lance", operations, alone=6, draws=3, seed=1)
    assert first == choose("lance", operations, alone=6, draws=3, seed=1)
    assert first.alone != choose("lance", operations, alone=6, draws=3, seed=2).alone
    assert set(first.alone) < set(choose("lance", operations, alone=12, draws=3, seed=1).alone)
    assert [faults for faults in first.draws if not (len(set(faults)) == 3 and set(faults) <= set(first.alone))] == []


def test_a_fault_is_told_where_its_worst_cause_names_one_of_its_operations():
    crashed = [crash("a"), crash("b")]
    assert [measured(*crashed, operations={"crash": {name}}).told for name in ("GetIt", "SetIt")] == [["crash"], []]
    assert measured(*crashed, operations={}).told == ["crash"]


def test_trials_are_saved_and_read(tmp_path):
    file = TrialFile.of(tmp_path, "lance")
    assert file.read() == {}
    for entry in ALONE.values():
        file.add(entry)
    assert file.read().keys() == ALONE.keys()


def test_the_page_names_what_is_split_impure_and_untrue(tmp_path):
    alone = [measured(crash("both"), refused("d"), faults=["split"])]
    write_measured(
        measured_file(tmp_path, "lance"),
        Measured(how="1 fault alone", alone=alone, several=[measured(crash("a"), crash("b"), crash("c"))]),
    )
    Keeper.of(tmp_path, "lance", "lakeproof").add(Mutant(fault="split", breaks="It is split.", noticed_by={}))
    assert tmp_path / clustering_page.PAGE in publish_mutants(tmp_path, {"lance": {}})
    page = (tmp_path / clustering_page.PAGE).read_text()
    assert read_measured(tmp_path)["lance"].alone == alone
    assert "| lance | alone | 1 | 1 | 2 | 2 | 2 | 2 | 1 | 1.000 | 0 | 0 of 2 | 0 | 0 |" in page
    assert "| all | at once | 1 | 2 | 3 | 1 | 1 | 1 | 1 | 0.667 | 1 | 0 of 1 | 0 | 0 |" in page
    assert "- `split`\n  - 1: " in page
    assert "(crash; refuse)" in page


def test_two_faults_are_measured(tmp_path, monkeypatch):
    some = ["iceberg.names.levels.dash", "iceberg.names.levels.dot", "iceberg.effect.update_properties"]
    monkeypatch.setattr(trials, "FEWEST", 1)
    monkeypatch.setattr(trying, "judging", lambda _: some)
    arguments = ["--api", "iceberg", "--fault", "levels-joined-by-dashes", "--fault", "namespace-properties-replaced"]
    arguments += ["--alone", "2", "--draws", "1", "--trials", str(tmp_path), "--keep", str(tmp_path)]
    run = CliRunner().invoke(mutants, ["clustering", *arguments, "--json"], catch_exceptions=False)
    entries = [json.loads(line) for line in run.stdout.splitlines()]
    assert [len(entry["faults"]) for entry in entries] == [1, 1, 2]
    assert [card for entry in entries for card in entry["cards"] if not card["findings"]] == []
    assert {card["label"] for card in entries[2]["cards"]} == set(entries[2]["faults"])
    monkeypatch.setattr(trying, "_try_batch", None)  # all of them are saved
    again = CliRunner().invoke(mutants, ["clustering", *arguments], catch_exceptions=False)
    assert "levels-joined-by-dashes" in again.stdout
    assert "purity" in again.stdout


def test_a_pattern_without_faults_is_an_error():
    with pytest.raises(Problem, match="No fault of lance"):
        CliRunner().invoke(mutants, ["clustering", "--api", "lance", "--fault", "none-*"], catch_exceptions=False)
