"""The suite against servers made with a framework, each without a group of operations that nothing says it lacks.

A framework answers what it does not serve in its own words. These are no answers of the operation: no MUST fails on
them, nothing passes on them, and one cause says what is not offered.
"""

from __future__ import annotations

import json
from functools import partial

import pytest

from conformance.after.runner import run
from lakeproof import check, serve
from specs.profiles import find_profile
from tests.amount import amount, tried
from tests.conformance.drawing import of_every_suite, with_needed
from tests.conformance.framework_servers import (
    CAUGHT,
    FASTAPI,
    FRAMEWORKS,
    GIN,
    SPRING,
    FrameworkServer,
    lacking,
)
from tests.conformance.harmless import foreign_names
from tests.conformance.small_servers import Meddler, say
from tests.conformance.strange_server import RUN_SETTINGS, SERVER_OPTIONS

SHARE = 16
GONE = ("unoffered", "skipped")
# What stays of a group at a path where an operation is missing: the router then answers a wrong method there.
BESIDE = {"views": ("listViews",), "policies": ("listPolicies", "loadPolicy"), "tags": ("ListTableTags",)}
USUAL = [
    *(("iceberg", "views", framework, False) for framework in FRAMEWORKS),
    *(("iceberg", "views", framework, True) for framework in (FASTAPI, SPRING, CAUGHT)),
    ("lance", "tags", SPRING, False),
    ("polaris", "policies", FASTAPI, True),
]
ALL = [
    (api, group, framework, beside)
    for api, group in (("iceberg", "views"), ("lance", "tags"), ("polaris", "policies"))
    for framework in FRAMEWORKS
    for beside in (False, True)
]


def name(case):
    api, group, framework, beside = case
    return f"{api} without {group}, {framework.name}{', with listings' if beside else ''}"


def judged(case, folder, share):
    """Return the removed operations, and the results and exit code of a run of what is about them or about offers."""
    api, group, framework, beside = case
    removed = lacking(api, group, *(BESIDE[group] if beside else ()))
    known = of_every_suite(api)
    about = {id for id, one in known.items() if removed.intersection(one.operations) and tried(id, share)}
    offered = {id for id in known if ".offered." in id}
    runner = partial(run, ids=with_needed(about | offered, known))
    with (
        serve(api, **SERVER_OPTIONS.get(api, {})) as server,
        FrameworkServer(server.url, framework, api, removed) as made,
    ):
        settings = {**RUN_SETTINGS.get(api, {}), "api": api, "depth": "smoke", "report": str(folder)}
        return removed, *check(made.url, runner=runner, **settings)


@pytest.mark.parametrize("case", amount(USUAL, ALL), ids=name)
def test_what_a_framework_answers_is_no_answer_of_the_operation(case, tmp_path):
    api = case[0]
    removed, results, code = judged(case, tmp_path, amount(SHARE, 1))
    assert {entry.id for entry in results.target.operations if entry.lacking} >= removed
    found = [entry for entry in results.requirements if entry.verdict not in ("pass", *GONE)]
    untrue = [(entry.id, entry.message) for entry in found if ".offered." not in entry.id]
    assert untrue == []
    passed = [entry.id for entry in results.requirements if entry.verdict == "pass" and ".offered." not in entry.id]
    assert [id for id in passed if removed.intersection(of_every_suite(api)[id].operations)] == []
    assert results.run.left_behind == []
    document = find_profile(api).document()
    assert foreign_names(tmp_path, document) == []
    (cause,) = results.causes
    proper = {
        entry.operations[0] for entry in results.requirements if entry.verdict == "pass" and ".offered." in entry.id
    }
    heads = {operation.id for operation in document.operations.values() if operation.method == "HEAD"}
    assert removed & proper <= heads  # a status is all that HEAD answers
    assert set(cause.operations) == removed - proper
    assert code == (1 if api == "lance" else 0)  # its document obliges servers to refuse with 406


def iceberg_without(removed, framework, folder, **settings):
    """Return the results of a smoke run against a server without some operations of Iceberg's API."""
    with serve("iceberg") as server, FrameworkServer(server.url, framework, "iceberg", removed) as made:
        return check(made.url, api="iceberg", depth="smoke", report=str(folder), **settings)[0]


def test_nothing_passes_about_an_operation_that_is_not_offered(tmp_path):
    """A plan that has all files never calls the operation for the others; a life leaves out what is not offered."""
    select = "iceberg.scan.filter.tree.several or iceberg.scan.plan_task_unknown or iceberg.life.table"
    results = iceberg_without({"fetchScanTasks", "tableExists"}, GIN, tmp_path, select=select)
    assert {entry.id: (entry.verdict, entry.lacks) for entry in results.requirements} == {
        "iceberg.scan.filter.tree.several": ("unoffered", "fetchScanTasks"),
        "iceberg.scan.plan_task_unknown": ("unoffered", "fetchScanTasks"),
        "iceberg.life.table": ("pass", ""),
    }


def test_a_read_only_run_compares_by_reads_alone(tmp_path):
    removed = lacking("iceberg", "views")
    results = iceberg_without(removed, CAUGHT, tmp_path, select="iceberg.offered", read_only=True)
    reads = {"listViews", "loadView", "viewExists"}
    assert {entry.id for entry in results.target.operations if entry.lacking} >= reads
    sent = [json.loads(line)["request"]["method"] for line in (tmp_path / "exchanges.jsonl").read_text().splitlines()]
    assert {"GET"} <= {*sent} <= {"GET", "HEAD", "POST"}
    assert sent.count("POST") <= 2  # planTableScan and fetchScanTasks read


def test_what_looks_for_the_object_before_it_routes_still_offers_its_operations(tmp_path):
    """It answers that there is no such namespace to undeclared paths and methods below one, too."""
    error = {"error": {"message": "There is no such namespace.", "type": "NoSuchNamespaceException", "code": 404}}

    def look_first(_proxy, handler, _number):
        return "missing" in handler.path.partition("?")[0] and say(handler, 404, error)

    with serve("iceberg") as server, Meddler(server.url, look_first) as proxy:
        results, _ = check(proxy.url, api="iceberg", report=str(tmp_path), select="iceberg.offered")
    assert [entry.id for entry in results.target.operations if entry.lacking] == ["signRequest"]
