"""`lakeproof check` without a URL and an API: the embedded server, each of its APIs."""

from __future__ import annotations

import json

import pytest

from lakeproof import side_by_side
from specs.apis import apis


@pytest.mark.parametrize("jobs", ["1", "2", "3"])
def test_each_api_is_tested_and_one_page_shows_all(cli, folder, jobs):
    code, out, err = cli("check", "-k", "namespace and conflict", "--jobs", jobs)
    assert code == 0, out + err
    report = folder / "lakeproof-report"
    for api in apis():
        results = json.loads((report / api / "results.json").read_text())
        assert results["target"]["api"] == api
        assert results["totals"]["pass"] == len(results["requirements"]) > 0
        assert results["run"]["again"] == f"lakeproof check --api {api} --report lakeproof-report/{api}"
        assert f"report: lakeproof-report/{api}/report.html" in out
        assert f'href="{api}/report.html"' in (report / "report.html").read_text()
    assert out.endswith("report: lakeproof-report/report.html\n")


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_the_worst_code_counts(cli, folder, jobs):
    fault = ("--header", "X-Lakeproof-Fault: conflict-as-400")
    code, out, _ = cli("check", "-k", "namespace and conflict", *fault, "--json", "--jobs", jobs)
    document = json.loads(out)
    assert code == document["exit"] == 1
    assert [run["target"]["api"] for run in document["runs"]] == [*apis()]
    failing = [run["target"]["api"] for run in document["runs"] if run["totals"]["fail"]]
    assert failing


def test_what_one_api_has_is_a_run_of_that_api(cli, folder):
    code, out, _ = cli("check", "-k", "lance.namespace.create.conflict")
    assert (code, out.count("report:")) == (0, 1)
    assert (folder / "lakeproof-report" / "results.json").exists()
    code, out, _ = cli("check", "--operation", "RenameTable", "--kinds", "error", "--report", "renames")
    assert (code, out.count("report:")) == (0, 1)
    results = json.loads((folder / "renames" / "results.json").read_text())
    assert {name for entry in results["requirements"] for name in entry["operations"]} >= {"RenameTable"}


def test_what_no_api_has_is_told(cli, folder):
    assert cli("check", "-k", "nonsense")[0] == 5
    code, _, err = cli("check", "--operation", "Nonsense")
    assert (code, "unknown operation 'Nonsense'" in err) == (4, True)
    assert not (folder / "lakeproof-report" / "report.html").exists()


def test_a_problem_of_one_run_is_told_once_and_ends_all(cli, folder):
    code, out, err = cli("check", "--storage", "tape", "-k", "namespace and conflict", "--jobs", "3")
    assert (code, out) == (4, "")
    assert err.count("There is no storage 'tape'") == 1


def test_a_process_that_ends_without_a_word_is_a_failure_of_the_kit(folder, monkeypatch):
    monkeypatch.setattr(side_by_side, "run_for", print)  # the other process finds no such function there
    with pytest.raises(RuntimeError, match="the run of lance ended with code 1"):
        side_by_side.run_side_by_side({"lance": {"api": "lance"}}, 1)


def test_a_setting_of_the_file_names_the_api(cli, folder):
    (folder / "lakeproof.toml").write_text('api = "iceberg"\n')
    code, out, _ = cli("check", "-k", "namespace and conflict")
    assert (code, out.count("report:")) == (0, 1)
    assert json.loads((folder / "lakeproof-report" / "results.json").read_text())["target"]["api"] == "iceberg"
