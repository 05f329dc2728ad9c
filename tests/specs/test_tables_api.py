"""The document of the Tables API: a dialect of the Iceberg REST catalog, written as its differences."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from specs.clauses import clauses, clauses_of
from specs.iceberg.commits import actions, newest_actions, requirement_types, spelling
from specs.profiles import find_profile, profiles
from specs.revisions import prune
from specs.validation import Validators

PROFILE = find_profile("iceberg/tables-api")
DOCUMENT = PROFILE.document()
VALIDATORS = Validators(DOCUMENT)
ICEBERG = [find_profile(f"iceberg/{revision}") for revision in ("1.6", "1.11", "2026-08")]


def test_it_is_a_profile_that_is_served_and_judged_but_never_the_default():
    assert find_profile(PROFILE.name) == PROFILE
    assert find_profile("iceberg") != PROFILE
    assert [*profiles()].index(PROFILE.name) < [*profiles()].index("iceberg/1.6")


def test_eight_operations_without_a_prefix():
    assert {operation.id: f"{operation.method} {operation.path}" for operation in DOCUMENT.operations.values()} == {
        "listTables": "GET /v1/namespaces/{namespace}/tables",
        "createTable": "POST /v1/namespaces/{namespace}/tables",
        "registerTable": "POST /v1/namespaces/{namespace}/register",
        "loadTable": "GET /v1/namespaces/{namespace}/tables/{table}",
        "updateTable": "POST /v1/namespaces/{namespace}/tables/{table}",
        "dropTable": "DELETE /v1/namespaces/{namespace}/tables/{table}",
        "tableExists": "HEAD /v1/namespaces/{namespace}/tables/{table}",
        "renameTable": "POST /v1/tables/rename",
    }


def test_ten_updates_and_five_requirements():
    assert set(actions(DOCUMENT).values()) == {
        "upgrade-format-version",
        "add-schema",
        "set-current-schema",
        "add-partition-spec",
        "set-default-spec",
        "add-snapshot",
        "set-snapshot-ref",
        "remove-snapshots",
        "set-properties",
        "remove-properties",
    }
    assert requirement_types(DOCUMENT) == {
        "assert-create",
        "assert-table-uuid",
        "assert-ref-snapshot-id",
        "assert-current-schema-id",
        "assert-default-spec-id",
    }


def test_only_one_update_is_called_otherwise():
    assert spelling(DOCUMENT) == {"add-spec": "add-partition-spec"}
    assert [spelling(profile.document()) for profile in ICEBERG] == [{}, {}, {}]
    assert len(newest_actions()) == 25


def test_pages_and_the_test_for_a_table():
    assert DOCUMENT.operation("listTables").default("pageSize") == 100
    assert DOCUMENT.operation("tableExists").successes == [200]
    for profile in ICEBERG:
        assert profile.document().operation("listTables").default("pageSize") is None
        assert profile.document().operation("tableExists").successes == [204]


def commit(update=None, requirement=None):
    return {"updates": [update] if update else [], "requirements": [requirement] if requirement else []}


SPEC = {"fields": [{"source-id": 1, "name": "p", "transform": "identity"}]}


@pytest.mark.parametrize(
    ("body", "valid"),
    [
        (commit({"action": "add-partition-spec", "spec": SPEC}), True),
        (commit({"action": "add-partition-spec"}), False),
        (commit({"action": "add-spec", "spec": SPEC}), False),
        (commit({"action": "set-location", "location": "s3://b/t"}), False),
        (commit({"action": "remove-properties", "removals": ["a"]}), True),
        (commit(requirement={"type": "assert-create"}), True),
        (commit(requirement={"type": "assert-default-spec-id", "default-spec-id": 0}), True),
        (commit(requirement={"type": "assert-default-sort-order-id", "default-sort-order-id": 0}), False),
    ],
)
def test_commits(body, valid):
    assert (VALIDATORS.first_request_mismatch("updateTable", body) is None) is valid


def test_there_is_no_component_that_no_operation_needs():
    schemas = DOCUMENT.raw["components"]["schemas"]
    assert not [name for name in schemas if name.startswith(("View", "OAuth", "CreateNamespace", "Scan"))]
    assert set(DOCUMENT.raw["components"]["parameters"]) == {"namespace", "table", "page-token", "page-size"}


def test_clauses_of_the_dialect_replace_those_of_the_catalog():
    ours = {clause.id for clause in clauses("iceberg").values() if clause.revisions}
    replaced = {name for clause in clauses("iceberg").values() for name in clause.replaces}
    assert ours == {name for name in clauses("iceberg") if name.startswith("tables-api-")}
    assert replaced <= set(clauses("iceberg"))
    assert ours <= set(clauses_of(PROFILE))
    assert not replaced & set(clauses_of(PROFILE))
    for profile in ICEBERG:
        assert replaced <= set(clauses_of(profile))
        assert not ours & set(clauses_of(profile))


def test_every_clause_of_the_dialect_is_judged_or_excluded():
    judged = {requirement.clause for requirement in requirements("iceberg").values()}
    own = [clause for clause in clauses("iceberg").values() if clause.revisions]
    assert [clause.id for clause in own if not clause.excluded and clause.id not in judged] == []


def test_pruning_keeps_what_operations_lead_to():
    def reference(name):
        return {"$ref": f"#/components/schemas/{name}"}

    pruned = prune(
        {
            "paths": {"/a": {"get": {"x": [reference("A")]}}},
            "components": {
                "schemas": {
                    "A": {"discriminator": {"mapping": {"b": "#/components/schemas/B"}}},
                    "B": {"items": reference("A")},
                    "C": {"items": reference("D")},
                    "D": {},
                },
                "securitySchemes": {"S": {}},
            },
        }
    )
    assert set(pruned["components"]["schemas"]) == {"A", "B"}
    assert pruned["components"]["securitySchemes"] == {"S": {}}
