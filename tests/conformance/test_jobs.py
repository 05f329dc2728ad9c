"""Requirements tested at the same time: the same report, and nothing is lost with a worker."""

from __future__ import annotations

import pytest

from conformance import jobs, runner
from conformance.exit_codes import EXIT_INTERRUPTED
from conformance.requirement import Requirement
from conformance.settings import Settings
from lakeproof import serve

SOME = "namespace and (list or conflict or wire)"


@pytest.fixture(scope="module")
def server():
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        yield server


def settings_of(server, tmp_path, **more):
    return Settings(server=server.url, api="lance", report=str(tmp_path), **{"select": SOME, **more})


def told(results):
    entries = [
        (one.id, one.verdict, one.message, one.reached, one.blocked_by, [step.operation for step in one.steps])
        for one in results.requirements
    ]
    causes = [(one.sentence, one.example, one.requirements, one.blocked) for one in results.causes]
    return entries, causes, results.cells, results.run.requests, results.run.left_behind


@pytest.mark.parametrize("fault", ["conflict-as-400", "plain-text-errors"])
def test_the_report_is_that_of_one_job(server, tmp_path, fault):
    headers = (f"X-Lakeproof-Fault: {fault}",)
    one, first = runner.run(settings_of(server, tmp_path, headers=headers))
    three, second = runner.run(settings_of(server, tmp_path, headers=headers, jobs=3))
    assert one.requirements
    assert told(three) == told(one)
    assert second == first
    assert (tmp_path / "exchanges.jsonl").read_bytes().count(b"\n") == three.run.requests


def test_the_time_of_a_run_ends_its_workers_too(server, tmp_path):
    results, code = runner.run(settings_of(server, tmp_path, select="", jobs=2, max_time=4.0))
    assert code == EXIT_INTERRUPTED
    assert results.run.stopped.message == "the run's time is over"
    assert len(results.requirements) < results.run.selected
    assert results.run.left_behind == []


def test_a_worker_that_ends_costs_only_what_it_was_testing(server, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "CODE", "import os; os._exit(7)")
    results, _ = runner.run(settings_of(server, tmp_path, jobs=2))
    lost = [one for one in results.requirements if one.verdict == "error"]
    assert [one.message for one in lost] == ["the process that tested it ended with code 7"] * 2
    assert len(results.requirements) == results.run.selected > 10
    assert {one.blocked_by for one in results.requirements if one.verdict != "pass"} <= {
        None,
        *(one.id for one in lost),
    }


def requirement(id, kind="behaviour", operations=(), needs=()):
    return Requirement(id, "MUST", kind, operations, "clause", "It is so.", "module:test", needs)


def test_what_must_be_alone():
    known = [
        requirement("lance.a.plain", operations=("Describe",)),
        requirement("lance.a.race", kind="race"),
        requirement("lance.a.wire", kind="wire"),
        requirement("lance.a.everything", operations=("ListAll",)),
        requirement("lance.a.needy", needs=("lance.a.everything",)),
        requirement("lance.a.needier", needs=("lance.a.needy",)),
        requirement("spark.lance.a"),
    ]
    assert {one.id for one in known} - jobs.apart(known, ["ListAll"]) == {"lance.a.plain"}
