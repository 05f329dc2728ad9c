"""Reasons why requirements were not tested: the operation that they wait for, and the option that would test them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.http.client import Client
from conformance.http.transport import Connection
from conformance.report.untested import why_untested
from conformance.run.remedies import FLAG, remedy_for
from conformance.values.outcomes import Blocked, NotInRevision, Skipped, Unoffered, Violation
from conformance.values.settings import SETTINGS, Settings, flag
from lakeproof import check, serve
from specs.apis import apis
from specs.profiles import find_profile

ICEBERG = find_profile("iceberg")
NAMESPACE, TABLE = "iceberg.namespace.create.conflict", "iceberg.refusal.create_table.taken"
FLAGS = {flag(name) for name in SETTINGS}


def refused(operation, status):
    error = Blocked("refused", operation)
    error.__cause__ = Violation("", relation="status", operation=operation, actual=str(status))
    return error


@pytest.mark.parametrize(
    ("error", "settings", "option"),
    [
        (Skipped("no token", "--token"), {}, "--token"),
        (Unoffered("", "createNamespace"), {}, "--namespace NAME"),
        (Unoffered("", "createNamespace"), {"namespace": "a"}, ""),
        (Unoffered("", "createTable"), {}, "--read-only --table NAME"),
        (Unoffered("", "renameTable"), {}, ""),
        (Unoffered("the server has no pages"), {}, ""),
        (refused("createTable", 400), {}, "--location URI"),
        (refused("createTable", 400), {"location": "s3://a/b"}, ""),
        (refused("createTable", 500), {}, ""),
        (refused("createTable", 401), {}, "--token TOKEN"),
        (refused("createTable", 401), {"token": "t"}, "--token TOKEN of another caller"),
        (refused("createNamespace", 403), {}, "--namespace NAME or --token TOKEN of another caller"),
        (refused("loadTable", 403), {}, "--token TOKEN of another caller"),
        (Blocked("iceberg.x is not met", "iceberg.x"), {}, ""),
        (None, {}, ""),
    ],
)
def test_an_outcome_has_the_option_that_would_test_the_requirement(error, settings, option):
    assert remedy_for(error, replace(Settings(), **settings), ICEBERG) == option


def test_what_a_revision_lacks_is_tested_by_a_later_one():
    newest = ICEBERG.facts.revisions[-1]
    error = NotInRevision("this revision of the document has no operation x")
    assert remedy_for(error, Settings(), find_profile("iceberg/1.6")) == f"--profile iceberg/{newest}"
    assert remedy_for(error, Settings(), ICEBERG) == ""


def test_polaris_has_the_options_of_the_api_that_it_follows():
    polaris = find_profile("polaris")
    assert polaris.instead("unoffered")["createNamespace"] == ICEBERG.instead("unoffered")["createNamespace"]
    assert polaris.instead("refused")["createCatalog"] == "--warehouse NAME"


@pytest.mark.parametrize("api", apis())
def test_options_are_settings_and_replace_operations_of_the_api(api):
    profile = find_profile(api)
    for outcome, table in profile.facts.instead.items():
        assert outcome in ("unoffered", "refused")
        assert table.keys() <= profile.document().operations.keys()
        assert {name for option in table.values() for name in FLAG.findall(option)} <= FLAGS


@pytest.mark.parametrize(
    ("api", "rules", "select", "line"),
    [
        (
            "iceberg",
            ["createNamespace: absent"],
            f"{NAMESPACE} or {TABLE}",
            "2 unoffered: createNamespace is not offered: --namespace NAME would test this",
        ),
        (
            "iceberg",
            ["createTable: absent"],
            TABLE,
            "1 unoffered: createTable is not offered: --read-only --table NAME would test this",
        ),
        (
            "iceberg",
            ["createTable !body.location: 400"],
            "iceberg.effect.drop_table",
            "1 blocked: createTable failed: --location URI would test this",
        ),
        (
            "lance",
            ["CreateNamespace: absent"],
            "lance.namespace.create.conflict",
            "1 unoffered: CreateNamespace is not offered: --namespace NAME would test this",
        ),
        (
            "iceberg",
            [],
            "iceberg.credentials.no_success.list_namespaces or iceberg.credentials.no_success.load_namespace_metadata",
            "2 skipped: the run has no token, and the server may require none: --token would test this",
        ),
    ],
)
def test_a_server_has_one_line_with_the_option_that_helps(api, rules, select, line, tmp_path):
    with serve(api, rules=rules) as server:
        results, _ = check(server.url, api=api, depth="smoke", report=str(tmp_path), select=select)
    assert why_untested(results) == [line]


def test_the_option_for_a_server_without_namespaces_tests_the_requirements(tmp_path):
    with serve("iceberg", namespaces=("given",), rules=["createNamespace: absent"]) as server:
        results, code = check(
            server.url, api="iceberg", depth="smoke", report=str(tmp_path), select=TABLE, namespace="given"
        )
    assert ([entry.verdict for entry in results.requirements], code) == (["pass"], 0)


def test_the_first_operation_that_a_requirement_declares_is_named_as_untested():
    client = Client(Connection("http://127.0.0.1:1", {}, 1), ICEBERG.document())
    client.known.unoffered |= {"loadView", "createView", "dropView"}
    client.recording.left_out.add("loadView")
    assert client.untested(["loadView", "dropView", "createView", "loadTable"]) == ["dropView", "createView"]
