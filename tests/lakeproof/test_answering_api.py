"""Commands, pytest and Python's `check` find out which API answers at a URL, where none is named, and say so."""

from __future__ import annotations

import pytest

from conformance.values.settings import Settings
from lakeproof import check, serve
from lakeproof.answering_api import answering_api
from specs.problems import Problem

pytest_plugins = "pytester"
SELECT = "iceberg.config.maps"


@pytest.fixture(scope="module")
def iceberg():
    with serve("iceberg", storage="memory:pure") as server:
        yield server


def test_python_tests_the_api_that_answers(iceberg):
    results, code = check(iceberg.url, select=SELECT, depth="smoke")
    assert (code, results.target.profile, results.totals["pass"]) == (0, "iceberg/2026-08", 1)


def test_python_tells_a_report_that_cannot_be_written_before_it_asks_the_server():
    with pytest.raises(Problem, match="cannot be written"):
        check("http://127.0.0.1:9", report="/proc/none")


def test_a_comparison_is_of_the_api_that_answers(iceberg, cli):
    code, out, said = cli("compare", iceberg.url, iceberg.url, "-k", SELECT, "--depth", "smoke")
    assert (code, "do not differ" in out) == (0, True)
    assert f"{iceberg.url} speaks Iceberg REST." in said


def test_pytest_says_which_api_answers(iceberg, pytester):
    ran = pytester.runpytest_inprocess("--lakeproof-server", iceberg.url)
    ran.stdout.fnmatch_lines([f"lakeproof: {iceberg.url} speaks Iceberg REST."])


def test_a_race_is_refused_before_it_starts_where_an_api_has_none(cli):
    with serve("polaris", bootstrap="root:s3cr3t") as server:
        code, _, said = cli("race", server.url, "--credential", "root:s3cr3t")
    assert code == 4
    assert "no tests for Apache Polaris" in said


def test_a_name_of_the_run_or_of_its_profile_sends_nothing(monkeypatch):
    nobody = "http://127.0.0.1:9"
    assert answering_api({"server": nobody, "api": "polaris"}) == {}
    assert answering_api({"server": nobody, "profile": "iceberg/1.11"}) == {"api": "iceberg"}
    monkeypatch.setenv("LAKEPROOF_API", "polaris")
    assert answering_api({"server": nobody}) == {}


def test_a_run_without_a_server_has_the_default_api():
    assert answering_api({"depth": "smoke", "server": None}) == {}
    assert Settings().api == "lance"
