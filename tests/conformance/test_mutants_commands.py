"""Commands of `python -m mutants`: listing, measuring, and options that they reject."""

from __future__ import annotations

import json

import click
import pytest
from click.testing import CliRunner

from mutants.__main__ import mutants
from specs.problems import Problem


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command in a folder of its own, with a terminal of 80 columns; return what click's runner returns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return lambda *words: CliRunner().invoke(mutants, words, catch_exceptions=False, standalone_mode=False)


def test_faults_are_listed_and_measured(run):
    assert "13 faults" in run("measure", "--api", "lance", "--derived", "--fault", "short-list:*", "--list").output
    measured = run("measure", "--api", "lance", "--fault", "restore-refused", "--json")
    assert json.loads(measured.stdout)["fault"] == "restore-refused"


def test_no_line_of_a_list_is_cut_or_wrapped(run):
    shown = run("measure", "--api", "lance", "--list").output
    assert "with success, but no row is added." in shown
    assert "…" not in shown


def test_the_faults_of_a_requirement_are_listed(run):
    assert "conflict-as-400" in run("noticed", "lance.namespace.create.conflict").stdout.splitlines()
    assert "list-empty" in run("noticed", "spark.lance.table.created").stdout.splitlines()


def test_the_nearest_value_is_suggested(run):
    with pytest.raises(click.BadParameter, match=r"Did you mean polaris\?"):
        run("measure", "--api", "polariss")


@pytest.mark.parametrize("options", [("--seed", "3"), ("--list", "--jobs", "2")], ids=" ".join)
def test_options_without_effect_are_rejected(run, options):
    with pytest.raises(Problem, match=f"{options[-2]} has no effect"):
        run("measure", *options)


def test_a_folder_that_cannot_be_written_is_reported_before_the_work(run, tmp_path, monkeypatch):
    (tmp_path / "taken").write_text("a file where a folder is expected")
    monkeypatch.setattr("mutants.commands.measure.Measuring.measure", None)
    with pytest.raises(Problem, match="taken"):
        run("measure", "--api", "lance", "--fault", "conflict-as-400", "--keep", "taken")
