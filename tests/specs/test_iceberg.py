"""The Iceberg documents: what each revision has, and what the corrections make of them."""

from __future__ import annotations

import pytest

from specs.clauses import clauses
from specs.iceberg.errors import stated_types
from specs.openapi import Document
from specs.profiles import find_profile, profiles
from specs.validation import Validators

REVISIONS = ["1.6", "1.11", "2026-08"]
DOCUMENTS = {revision: find_profile(f"iceberg/{revision}").document() for revision in REVISIONS}
VALIDATORS = {revision: Validators(document) for revision, document in DOCUMENTS.items()}
NEWEST = DOCUMENTS["2026-08"]
UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1"


def plain(revision):
    return Document.load(find_profile(f"iceberg/{revision}").file(".yaml"))


def added(older, newer):
    return set(DOCUMENTS[newer].operations) - set(DOCUMENTS[older].operations)


# Revisions


def test_revisions_are_in_the_order_of_their_numbers_after_the_dialect():
    assert [profile.revision for profile in profiles().values() if profile.api == "iceberg"] == [
        "tables-api",
        *REVISIONS,
    ]
    assert find_profile("iceberg").revision == "2026-08"


def test_every_revision_is_served():
    assert [find_profile(f"iceberg/{revision}").revision for revision in REVISIONS] == REVISIONS


@pytest.mark.parametrize(("revision", "count"), [("1.6", 25), ("1.11", 32), ("2026-08", 35)])
def test_number_of_operations(revision, count):
    assert len(DOCUMENTS[revision].operations) == count


def test_operations_were_added_and_none_removed():
    assert added("1.6", "1.11") == {
        "planTableScan",
        "fetchPlanningResult",
        "cancelPlanning",
        "fetchScanTasks",
        "loadCredentials",
        "signRequest",
        "registerView",
    }
    assert added("1.11", "2026-08") == {"listFunctions", "loadFunction", "unregisterTable"}
    assert added("1.11", "1.6") == added("2026-08", "1.11") == set()


def test_shared_operations_kept_method_and_path():
    for older in DOCUMENTS["1.6"].operations.values():
        newer = NEWEST.operations[older.id]
        assert (newer.method, newer.path) == (older.method, older.path)


@pytest.mark.parametrize(
    ("revision", "schemas", "updates", "newest_format"),
    [("1.6", 133, 17, 2), ("1.11", 162, 23, 3), ("2026-08", 189, 23, 3)],
)
def test_schemas_as_they_stand_in_the_files(revision, schemas, updates, newest_format):
    definitions = plain(revision).raw["components"]["schemas"]
    generated = [name for name in definitions if name.endswith(".fields")]
    assert len(definitions) - len(generated) == schemas
    assert len(definitions["TableUpdate"]["anyOf"]) == updates
    assert definitions["TableMetadata"]["properties"]["format-version"]["maximum"] == newest_format


@pytest.mark.parametrize("revision", REVISIONS)
def test_every_operation_and_schema_says_what_it_is(revision):
    document = plain(revision)
    assert [operation for operation in document.operations.values() if not operation.summary.endswith(".")] == []
    schemas = document.raw["components"]["schemas"]
    generated = {name for name, schema in schemas.items() if name.endswith(".fields") or set(schema) == {"oneOf"}}
    assert [name for name in schemas.keys() - generated if not schemas[name].get("description", "").endswith(".")] == []


def test_idempotency_keys_came_after_1_6():
    def with_key(revision):
        operations = DOCUMENTS[revision].operations.values()
        return {
            operation.id
            for operation in operations
            if any(parameter.name == "Idempotency-Key" for parameter in operation.parameters)
        }

    assert with_key("1.6") == set()
    assert len(with_key("2026-08")) == 18
    assert with_key("2026-08") - with_key("1.11") == {"unregisterTable"}


# Corrections


def commit(requirement=None, update=None):
    return {"requirements": [requirement] if requirement else [], "updates": [update] if update else []}


REQUIREMENTS = [
    ({"type": "assert-create"}, True),
    ({"type": "assert-table-uuid", "uuid": UUID}, True),
    ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": None}, True),
    ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 7}, True),
    ({"type": "assert-ref-snapshot-id", "ref": "main"}, False),
    ({"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": "7"}, False),
    ({"type": "assert-last-assigned-field-id", "last-assigned-field-id": 3}, True),
    ({"type": "assert-last-assigned-field-id"}, False),
    ({"type": "assert-everything"}, False),
    ({}, False),
    ("assert-create", False),
]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("requirement", "valid"), REQUIREMENTS)
def test_requirements_have_types(revision, requirement, valid):
    body = {"requirements": [requirement], "updates": []}
    assert (VALIDATORS[revision].first_request_mismatch("updateTable", body) is None) is valid


UPDATES = [
    ({"action": "set-current-schema", "schema-id": -1}, True),
    ({"action": "set-current-schema"}, False),
    ({"action": "set-properties", "updates": {"k": "v"}}, True),
    ({"action": "set-properties", "updates": {"k": 1}}, False),
    ({"action": "add-sort-order", "sort-order": {"fields": []}}, True),
    ({"action": "set-snapshot-ref", "ref-name": "b", "type": "branch", "snapshot-id": 1}, True),
    ({"action": "set-snapshot-ref", "ref-name": "b", "type": "leaf", "snapshot-id": 1}, False),
    ({"action": "paint-it-black"}, False),
]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("update", "valid"), UPDATES)
def test_updates_have_actions(revision, update, valid):
    assert (VALIDATORS[revision].first_request_mismatch("updateTable", commit(update=update)) is None) is valid


@pytest.mark.parametrize(("revision", "valid"), [("1.6", False), ("1.11", True), ("2026-08", True)])
def test_schemas_can_be_removed_since_1_11(revision, valid):
    update = commit(update={"action": "remove-schemas", "schema-ids": [1]})
    assert (VALIDATORS[revision].first_request_mismatch("updateTable", update) is None) is valid


@pytest.mark.parametrize("requirement", [{"type": "assert-table-uuid", "uuid": UUID}, "assert-view-uuid", {}])
def test_views_have_one_requirement(requirement):
    results = [
        VALIDATORS[revision].first_request_mismatch("replaceView", {"requirements": [requirement], "updates": []})
        for revision in REVISIONS
    ]
    assert all(results)


WRAPPED = {"error": {"message": "m", "type": "NoSuchViewException", "code": 404}}


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("operation", "status"), [("loadView", 404), ("renameView", 409), ("renameTable", 406)])
def test_errors_are_wrapped(revision, operation, status):
    validators = VALIDATORS[revision]
    assert validators.response_mismatches(operation, status, WRAPPED) == []
    assert validators.response_mismatches(operation, status, WRAPPED["error"])


@pytest.mark.parametrize("revision", REVISIONS)
def test_no_answer_to_head_has_a_body(revision):
    heads = [operation for operation in DOCUMENTS[revision].operations.values() if operation.method == "HEAD"]
    assert len(heads) == 3
    assert [body for operation in heads for body in operation.responses.values() if body.content] == []
    assert [operation for operation in heads if "403" not in operation.responses] == []


@pytest.mark.parametrize("revision", REVISIONS)
def test_a_page_has_its_list_and_the_last_one_a_null(revision):
    validators = VALIDATORS[revision]
    assert validators.response_mismatches("listTables", 200, {"identifiers": [], "next-page-token": None}) == []
    assert validators.response_mismatches("listNamespaces", 200, {"namespaces": [["a"]]}) == []
    assert validators.response_mismatches("listTables", 200, {})
    assert validators.response_mismatches("listNamespaces", 200, {})


PLANS = [
    ({"status": "submitted", "plan-id": "p"}, True),
    ({"status": "submitted"}, False),
    ({"status": "cancelled"}, False),
    ({"status": "completed", "plan-id": "p", "file-scan-tasks": []}, True),
    ({"status": "completed", "plan-tasks": ["t"]}, True),
    ({"status": "failed", "error": {"message": "m", "type": "T", "code": 500}}, True),
    ({"status": "failed"}, False),
    ({"status": "lost", "plan-id": "p"}, False),
]


@pytest.mark.parametrize("revision", ["1.11", "2026-08"])
@pytest.mark.parametrize(("answer", "valid"), PLANS)
def test_the_status_of_a_planning_decides_its_form(revision, answer, valid):
    assert (VALIDATORS[revision].response_mismatches("planTableScan", 200, answer) == []) is valid


def data_file(**more):
    return {
        "content": "data",
        "file-path": "s3://b/f.parquet",
        "file-format": "parquet",
        "spec-id": 0,
        "partition": [1, "x", None],
        "file-size-in-bytes": 10,
        "record-count": 1,
        **more,
    }


@pytest.mark.parametrize("revision", ["1.11", "2026-08"])
def test_scan_tasks_hold_data_files(revision):
    def findings(file):
        return VALIDATORS[revision].response_mismatches(
            "fetchScanTasks", 200, {"file-scan-tasks": [{"data-file": file}]}
        )

    assert findings(data_file(**{"lower-bounds": {"keys": [1, 2], "values": [100, "text"]}})) == []
    assert findings(data_file(content="position-deletes"))
    assert findings(data_file(partition=[{}]))


FILTERS = [
    (True, True),
    ({"type": "and", "left": True, "right": {"type": "not", "child": False}}, True),
    ({"type": "eq", "term": "id", "value": 5}, True),
    ({"type": "is-null", "term": "id"}, True),
    ({"type": "in", "term": {"type": "transform", "transform": "bucket[4]", "term": "id"}, "values": [1, "x"]}, True),
    ({"type": "perhaps", "term": "id"}, False),
]


@pytest.mark.parametrize("revision", REVISIONS)
@pytest.mark.parametrize(("condition", "valid"), FILTERS)
def test_filters_are_expressions(revision, condition, valid):
    report = {
        "report-type": "scan-report",
        "table-name": "t",
        "snapshot-id": 1,
        "filter": condition,
        "schema-id": 0,
        "projected-field-ids": [1],
        "projected-field-names": ["id"],
        "metrics": {"result-data-files": {"unit": "count", "value": 1}},
    }
    assert (VALIDATORS[revision].first_request_mismatch("reportMetrics", report) is None) is valid


# Errors and clauses


def test_error_types_are_of_operations_that_declare_the_status():
    for operation in NEWEST.operations.values():
        for status in stated_types(operation.id):
            assert operation.declared(status), (operation.id, status)


def test_every_declared_conflict_and_absence_has_its_types():
    for operation in NEWEST.operations.values():
        declared = {int(status) for status in operation.responses if status in ("404", "409", "422")}
        assert declared <= set(stated_types(operation.id)), operation.id


def test_types_of_an_operation_are_its_own():
    assert stated_types("dropNamespace")[409] == {"NamespaceNotEmptyException"}
    assert 503 not in stated_types("updateTable")
    assert stated_types("getToken") == {}


def test_clauses_name_operations_of_the_newest_document():
    for clause in clauses("iceberg").values():
        assert set(clause.operations) <= {*NEWEST.operations, "*"}, clause.id
        assert clause.text.endswith("."), clause.id


def test_every_operation_has_a_clause_of_its_own():
    named = {operation for clause in clauses("iceberg").values() for operation in clause.operations}
    assert set(NEWEST.operations) - named == set()
