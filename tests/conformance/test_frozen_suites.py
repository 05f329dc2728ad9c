"""Frozen requirement sets: newer requirements warn, and fail no gate."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.apis import requirements
from conformance.former_ids import present_ids
from conformance.run import frozen
from conformance.run.frozen import set_file
from conformance.values.settings import SUITES, Settings, load_settings
from lakeproof import check, serve
from specs.apis import apis
from specs.problems import Problem
from tests.conformance.ids import known_ids

NAME = "iceberg.namespace.create.conflict"
FAULT = ("X-Lakeproof-Fault: conflicts-as-bad-requests",)


@pytest.mark.parametrize("date", SUITES)
@pytest.mark.parametrize("api", apis())
def test_a_set_has_ids_that_exist(api, date):
    ids = [line.split()[0] for line in set_file(api, date).read_text().splitlines()]
    assert ids == sorted(ids)
    present = {name for id in ids for name in present_ids(id)}
    assert present == set(frozen.frozen(api, date))
    assert present <= known_ids(api)


@pytest.fixture
def faulty():
    with serve("iceberg", storage="memory", allow_faults=True) as server:
        yield {"api": "iceberg", "select": NAME, "header": FAULT}, server.url


def test_a_newer_requirement_only_warns(faulty, tmp_path, monkeypatch):
    given, url = faulty
    given = {**given, "suite": SUITES[-1], "report": str(tmp_path)}
    results, code = check(url, **given)
    assert (results.totals["fail"], code, results.run.notes) == (1, 1, [])
    known = frozen.frozen("iceberg", SUITES[-1])
    monkeypatch.setattr(frozen, "frozen", lambda api, date: {id: known[id] for id in known if id != NAME})
    results, code = check(url, **given)
    (found,) = results.requirements
    assert (found.level, found.verdict, code) == ("MAY", "warn", 0)
    assert "newer than the suite 2026-11: 1." in results.run.notes[0]


def test_a_level_that_has_changed_since_is_that_of_the_set(faulty, tmp_path, monkeypatch):
    given, url = faulty
    known = frozen.frozen("iceberg", SUITES[-1])
    monkeypatch.setattr(frozen, "frozen", lambda api, date: {**known, NAME: "SHOULD"})
    results, code = check(url, **given, suite=SUITES[-1], report=str(tmp_path))
    (found,) = results.requirements
    assert (found.level, found.verdict, code, results.run.notes) == ("SHOULD", "warn", 0, [])
    results, code = check(url, **given, report=str(tmp_path))
    (found,) = results.requirements
    assert (found.level, found.verdict, code) == ("MUST", "fail", 1)


def test_requirements_of_other_tools_have_no_set():
    requirement = replace(requirements("iceberg")[NAME], id="fuzz.iceberg.body.create_table")
    assert frozen.weighed(requirement, Settings(suite=SUITES[-1])).level == "MUST"


def test_an_unknown_set_is_a_problem():
    with pytest.raises(Problem, match="unknown suite '2020-01'"):
        load_settings({"suite": "2020-01"}, {})
