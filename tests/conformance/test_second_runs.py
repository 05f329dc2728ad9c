"""A gate is stable: after `expect`, the same run of the same server ends with 0."""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from conformance.after.expectations_update import updated
from conformance.after.runner import run
from conformance.apis import requirements
from conformance.replay.expectations_file import ExpectationFile, read_expectations, write_expectations
from lakeproof import check, serve
from tests.amount import amount, seeds
from tests.conformance.drawing import with_needed
from tests.conformance.framework_servers import FRAMEWORKS, FrameworkServer, lacking
from tests.conformance.strange_server import Habits, StrangeServer
from tests.ten_minutes.catalog import IncompleteCatalog

BRACKETS = "iceberg.names.namespace.brackets"
CONFLICT = "lance.namespace.create.conflict"
SHARE = 30  # one requirement in so many
QUICK: dict[str, Any] = {"depth": "smoke", "world": ("plain",), "timeout": 2.0}
OVER_ALL = tuple(f"iceberg.wire.{name}" for name in ("list_tables", "drop_namespace", "load_namespace_metadata"))


@contextmanager
def incomplete():
    with IncompleteCatalog() as catalog:
        threading.Thread(target=catalog.serve_forever, args=(0.01,), daemon=True).start()
        yield catalog
        catalog.shutdown()


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_check_over_all_answers_judges_no_clean_up_and_no_replay(tmp_path, jobs):
    """Names with braces get a router's 404: only the clean-up lists their tables, and only some runs do."""
    path = tmp_path / "known.toml"
    given: dict[str, Any] = {
        "select": " or ".join([BRACKETS, *OVER_ALL]),
        "report": str(tmp_path / "out"),
        "jobs": jobs,
    }
    with incomplete() as catalog:
        results, code = check(catalog.url, api="iceberg", **given)
        verdicts = {result.id: result.verdict for result in results.requirements}
        assert (verdicts[BRACKETS], code) == ("warn", 1)
        assert {name: verdicts[name] for name in OVER_ALL} == dict(zip(OVER_ALL, ("pass", "pass", "fail"), strict=True))
        write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))
    with incomplete() as catalog:
        results, code = check(catalog.url, api="iceberg", expect=str(path), **given)
    assert (code, {record.state for record in results.expectations}) == (0, {"known"})
    assert not read_expectations(path).unsteady


@pytest.mark.parametrize("seed", seeds((3, 0)))
def test_findings_of_a_strange_server_that_come_and_go_fail_no_second_run(tmp_path, seed):
    habits, path = Habits.drawn(seed), tmp_path / "known.toml"
    known = requirements("iceberg")
    ids = with_needed(set(random.Random(seed).sample(sorted(known), len(known) // SHARE)), known)
    given: dict[str, Any] = {
        "api": "iceberg",
        "report": str(tmp_path / "out"),
        "runner": partial(run, ids=ids),
        **QUICK,
    }
    with serve("iceberg") as server, StrangeServer(server.url, habits) as strange:
        results, code = check(strange.url, leave_behind=True, **given)
        write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))
        file = read_expectations(path)
        assert (code, file.unsteady) == (1, True), habits
    with serve("iceberg") as server, StrangeServer(server.url, replace(habits, seed=seed + 1)) as strange:
        results, code = check(strange.url, leave_behind=True, expect=str(path), **given)
    findings = {result.id: result.message for result in results.requirements if result.fails_gate(strict=False)}
    assert (code, findings) == (0, {}), habits


def test_a_steady_defect_is_a_finding_of_an_unsteady_server_too(tmp_path):
    path = tmp_path / "known.toml"
    write_expectations(path, ExpectationFile(profile="lance/0.11", unsteady=True))
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as server:
        results, code = check(server.url, select=CONFLICT, expect=str(path), report=str(tmp_path / "out"))
    assert (code, [result.verdict for result in results.requirements]) == (1, ["fail"])


@pytest.mark.parametrize("framework", amount(FRAMEWORKS[:2], FRAMEWORKS), ids=lambda framework: framework.name)
def test_a_server_in_the_style_of_a_framework_has_the_same_findings_again(tmp_path, framework):
    path, known = tmp_path / "known.toml", requirements("iceberg")
    drawn = random.Random(framework.name).sample(sorted(known), len(known) // SHARE)
    ids = with_needed({*drawn, *(name for name in known if ".wire." in name or ".offered." in name)}, known)
    given: dict[str, Any] = {"api": "iceberg", "runner": partial(run, ids=ids), "strict": True, **QUICK}
    with (
        serve("iceberg") as server,
        FrameworkServer(server.url, framework, "iceberg", lacking("iceberg", "views")) as strange,
    ):
        results, code = check(strange.url, report=str(tmp_path / "one"), leave_behind=True, **given)
        write_expectations(path, updated(ExpectationFile(profile=results.target.profile), results))
        assert (code, read_expectations(path).unsteady) == (1, False)
        results, code = check(strange.url, report=str(tmp_path / "two"), leave_behind=True, expect=str(path), **given)
    assert (code, {record.state for record in results.expectations}) == (0, {"known"})
