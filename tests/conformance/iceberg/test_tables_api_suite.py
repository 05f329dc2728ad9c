"""The suite by the profile of the Tables API, and what it makes of servers that speak the other dialect."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conformance.after.runner import run
from conformance.apis import requirements
from conformance.iceberg.catalog import IcebergCatalog
from conformance.target.target import connect
from conformance.values.resources import Resource
from conformance.values.settings import Settings
from lakeproof import check, serve
from reference_server.iceberg.options import SAMPLE_NAMESPACE
from specs.iceberg.commits import newest_actions
from specs.openapi import Document
from specs.problems import Problem
from specs.profiles import Profile, find_profile
from specs.revisions import merge_patch
from tests.amount import amount
from tests.conformance.drawing import part
from tests.conformance.harmless import foreign_names
from tests.conformance.whole_runs import not_met

TABLES_API = "iceberg/tables-api"
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "id", "type": "long", "required": True}]}
# The habits of the Tables API as changes to another document.
HABITS = {
    "paths": {
        "/v1/{prefix}/namespaces/{namespace}/tables/{table}": {
            "head": {"responses": {"204": None, "200": {"description": "There; no body."}}}
        }
    },
    "components": {
        "parameters": {"page-size": {"schema": {"default": 100}}},
        "schemas": {"AddPartitionSpecUpdate": {"properties": {"action": {"const": "add-partition-spec"}}}},
    },
}
# What a normal server does otherwise.
DIFFERENT = {
    "iceberg.tables_api.exists",
    "iceberg.tables_api.page.default",
    "iceberg.tables_api.page.size",
    "iceberg.tables_api.add_partition_spec",
    "iceberg.tables_api.stage",
    "iceberg.wire.table_exists",
    "iceberg.request.head.table_exists",
}
DEPTH = amount("smoke", "gate")
PART = 8


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Run each test in an empty folder, which gets the reports and has no settings."""
    monkeypatch.chdir(tmp_path)


def of_the_dialect():
    return {name for name in requirements("iceberg") if ".tables_api." in name}


def by_verdict(results, *verdicts):
    return {entry.id for entry in results.requirements if entry.verdict in verdicts}


def test_only_what_the_dialect_has_is_judged():
    results, _ = check(api="iceberg", profile=TABLES_API, select="listing or page or exists or errors.body")
    judged = {entry.id for entry in results.requirements}
    assert "iceberg.listing.everything.list_tables" not in judged
    assert "iceberg.page.last.list_tables" not in judged
    assert "iceberg.table.exists.present" not in judged
    assert {"iceberg.page.partition.list_tables", "iceberg.errors.body"} <= judged
    assert not [name for name in judged if "namespaces" in name or "view" in name]


def test_the_reference_server_conforms_and_what_others_have_is_left_alone(http):
    with serve(TABLES_API, namespaces=("shop.own",)) as server:
        tables = f"{server.url}/v1/namespaces/shop%1Fown/tables"
        for number in range(3):
            assert http("POST", tables, json={"name": f"b{number}", "schema": SCHEMA}).status == 200
        before = [http("GET", f"{tables}/b{number}").json() for number in range(3)]
        judge: Any = amount(partial(run, ids=of_the_dialect() | part("iceberg", PART)), run)
        given: dict[str, Any] = {"profile": TABLES_API, "namespace": "shop.own", "depth": DEPTH}
        results, code = check(server.url, api="iceberg", runner=judge, **given)
        assert code == 0, not_met(results)
        assert by_verdict(results, "pass", "unoffered", "skipped") == {result.id for result in results.requirements}
        assert {name for name in by_verdict(results, "pass") if ".tables_api." in name} == {
            "iceberg.tables_api.exists",
            "iceberg.tables_api.page.default",
            "iceberg.tables_api.page.size",
            "iceberg.tables_api.page.last",
            "iceberg.tables_api.add_partition_spec",
            "iceberg.tables_api.stage",
        }
        assert results.run.left_behind == []
        report, document = Path(results.target.settings["report"]), find_profile(TABLES_API).document()
        assert foreign_names(report, document, "shop", SAMPLE_NAMESPACE) == []
        assert [identifier["name"] for identifier in http("GET", tables).json()["identifiers"]] == ["b0", "b1", "b2"]
        assert [http("GET", f"{tables}/b{number}").json() for number in range(3)] == before


def test_a_normal_server_fails_where_the_dialects_differ():
    """Of the requirements that it meets one in eight is asked, as above; with `--thorough` all."""
    judge: Any = amount(partial(run, ids=DIFFERENT | part("iceberg", PART)), run)
    with serve("iceberg", namespaces=("shop",)) as server:
        given: dict[str, Any] = {"profile": TABLES_API, "namespace": "shop", "depth": "smoke"}
        results, code = check(server.url, api="iceberg", runner=judge, **given)
    assert code == 1
    failed = by_verdict(results, "fail", "warn", "blocked", "error")
    # They commit add-partition-spec on the way.
    with_a_spec = (
        "iceberg.update.spec.",
        "iceberg.update.action.",
        "iceberg.update.stored.spec",
        "iceberg.update.without_ids.spec",
        "iceberg.body.field_types.update_table.spec",
        "iceberg.body.field_types.update_table.set_default_spec",
        "iceberg.body.unusual.update_table.spec",
        "iceberg.body.unusual.update_table.set_default_spec",
    )
    assert {name for name in failed if not name.startswith(with_a_spec)} == DIFFERENT


def test_pages_that_do_not_say_whether_they_are_the_last_are_noticed():
    faulty = ("X-Lakeproof-Fault: pages-without-token",)
    with serve(TABLES_API, namespaces=("shop",), allow_faults=True) as server:
        given: dict[str, Any] = {"namespace": "shop", "header": faulty, "select": "tables_api.page"}
        results, _ = check(server.url, api="iceberg", profile=TABLES_API, **given)
    assert len(by_verdict(results, "fail")) == len(results.requirements) == 3


def test_a_server_of_the_tables_api_is_no_normal_one():
    with (
        serve(TABLES_API, namespaces=("shop",)) as server,
        pytest.raises(Problem, match="does not speak iceberg/2026-08"),
    ):
        check(server.url, api="iceberg")


def test_a_normal_server_with_the_habits_of_the_dialect_fails(monkeypatch):
    newest_actions()  # those of the true document
    changed = Document(merge_patch(find_profile("iceberg").document().raw, HABITS), "a mixture")
    with monkeypatch.context() as patched:
        patched.setattr(Profile, "document", lambda _: changed)
        server = serve("iceberg")
    with server:
        results, code = check(server.url, api="iceberg", select="exists or listing or page or spec or head")
    assert code == 1
    assert {
        "iceberg.wire.table_exists",
        "iceberg.request.head.table_exists",
        "iceberg.listing.size_alone.list_tables",
        "iceberg.update.spec.fields",
    } <= by_verdict(results, "fail", "warn")


def test_a_run_can_drop_nothing_but_its_own():
    settings = Settings(server="http://t", api="iceberg", profile=TABLES_API, namespace="shop.own")
    catalog = IcebergCatalog(connect(settings))
    catalog.begin_example()
    id = catalog.table_id()
    assert id[:-1] == ("shop", "own")
    assert id[-1].startswith(catalog.target.prefix)
    catalog.note_tables([id, ("shop", "own", "theirs")])
    assert list(catalog.sandbox.noted) == [Resource("table", id)]
    assert catalog.inventory.drop(Resource("table", ("shop", "own", "theirs"))) is None
    assert catalog.client.steps == []
    with pytest.raises(ValueError, match="may not drop"):
        catalog.drop_table(("shop", "own", "theirs"))


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"profile": TABLES_API}, "has to be given one"),
        ({"profile": TABLES_API, "namespace": "elsewhere"}, "the namespace elsewhere does not exist"),
        ({"profile": TABLES_API, "namespace": "a..b"}, "setting namespace is wrong"),
        ({"profile": TABLES_API, "namespace": "shop", "credential": "id:secret"}, "no tokens are issued"),
    ],
)
def test_a_namespace_has_to_be_given_where_none_can_be_created(settings, words):
    with serve(TABLES_API, namespaces=("shop",)) as server, pytest.raises(Problem, match=words):
        check(server.url, api="iceberg", **settings)
