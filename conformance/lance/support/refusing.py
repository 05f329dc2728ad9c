"""Rejections of invalid requests, and requests on objects that do not exist."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any

from conformance.author.strategies import tables
from conformance.common.fields import field_of
from conformance.common.missing import NOT_FOUND
from conformance.common.ordinary import refuses_each
from conformance.http.answers import Answer
from conformance.lance.catalog import INVALID_INPUT, LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import KEPT
from conformance.lance.support.ordinary import LanceRequest, ordinary
from conformance.target.hostile import UNUSED
from conformance.values.outcomes import Skipped
from specs.openapi import Operation

INVALID: frozenset[tuple[int, Any]] = frozenset({(400, INVALID_INPUT)})
UNSUPPORTED: frozenset[tuple[int, Any]] = frozenset({(406, 0)})
NO_VERSION = INVALID | {(404, 11), (409, 14)}  # the version is missing, or cannot be the next one
ROWS = stream(tables(1))
QUERY: dict[str, Any] = {"vector": {}, "k": 1}
INDEX = {"column": "id", "index_type": "BTREE", "name": "idx"}
MANIFEST = {"version": 1, "manifest_path": f"{UNUSED}/_versions/1.manifest-x"}
# The bodies of valid requests, {} where there is none; operations without a JSON body have None.
BODIES: Mapping[str, Any] = {
    "DropTable": None,
    "ListTableVersions": None,
    "ListTableTags": None,
    "DropTableIndex": None,
    "ListNamespaces": None,
    "ListTables": None,
    "RestoreTable": {"version": 1},
    "RenameTable": {"new_table_name": "other"},
    "UpdateTableSchemaMetadata": {"a": "1"},
    "CreateTableVersion": MANIFEST,
    "DescribeTableVersion": {"version": 1},
    "BatchDeleteTableVersions": {"ranges": [{"start_version": 0, "end_version": 1}]},
    "UpdateTable": {"updates": [["name", "'new'"]]},
    "DeleteFromTable": {"predicate": "true"},
    "QueryTable": QUERY,
    "ExplainTableQueryPlan": {"query": QUERY},
    "AnalyzeTableQueryPlan": QUERY,
    "AlterTableAddColumns": {"new_columns": [{"name": "new", "expression": "1"}]},
    "AlterTableAlterColumns": {"alterations": [{"path": "id", "data_type": KEPT, "rename": "key"}]},
    "AlterTableDropColumns": {"columns": ["name"]},
    "CreateTableIndex": INDEX,
    "CreateTableScalarIndex": INDEX,
    "CreateTableTag": {"tag": "old", "version": 1},
    "GetTableTagVersion": {"tag": "old"},
    "UpdateTableTag": {"tag": "old", "version": 1},
    "DeleteTableTag": {"tag": "old"},
    "ListTableBranches": None,
    "CreateTableBranch": {"name": "new"},
    "DeleteTableBranch": {"name": "old"},
    "UpdateFieldMetadata": {"updates": [{"path": "id", "metadata": {"a": "1"}}]},
    "AlterTableBackfillColumns": {"column": "id"},
}
STREAMS: Mapping[str, dict[str, Any]] = {
    "CreateTable": {},
    "InsertIntoTable": {},
    "MergeInsertIntoTable": {"on": "id", "when_not_matched_insert_all": True},
}


def on_missing(operation: Operation, id: Names) -> LanceRequest:
    """Return a valid request of an operation on an object that does not exist."""
    name, parts = operation.id, {"index_name": "idx"} if "{index_name}" in operation.path else {}
    if name in STREAMS:
        return LanceRequest(id, data=ROWS, query=STREAMS[name], path=parts, missing=True)
    return LanceRequest(id, BODIES.get(name, {}), path=parts, missing=True)


def without_defect(catalog: LanceCatalog, operation: Operation) -> LanceRequest:
    """Return a plain request to put a defect in, on a missing object where a read-only run has none for it."""
    try:
        return ordinary(catalog, operation.id)
    except Skipped:
        if not (catalog.target.read_only and catalog.target.sends(operation.id)):
            raise
    return on_missing(
        operation, catalog.missing_namespace() if "/namespace/" in operation.path else catalog.table_id("missing")
    )


def refuses_invalid(
    catalog: LanceCatalog,
    operation: str,
    requests: Iterable[tuple[str, LanceRequest]],
    good: LanceRequest,
    optional: Collection[str] = (),
) -> None:
    """Check that each request is rejected as invalid, and that none had an effect: `good` is accepted afterwards.

    A defect in one of the `optional` fields may be rejected as unsupported too: a server need not have the field.
    """

    def is_refused(defect: str, answer: Answer) -> bool:
        allowed = NO_VERSION if "version" in defect else INVALID
        if field_of(defect) in optional:
            allowed |= UNSUPPORTED
        return answer.status in {status for status, _ in allowed} and (answer.status, answer.code) in allowed

    refuses(catalog, operation, requests, good, is_refused, "400 and code 13")


def refuses(
    catalog: LanceCatalog,
    operation: str,
    requests: Iterable[tuple[str, LanceRequest]],
    good: LanceRequest,
    is_refused: Callable[[str, Answer], bool],
    refusal: str,
) -> None:
    """Check rejections as `refuses_each` does. On a missing object `good` returns 404.

    Raises Skipped where a defect returns 404, too: then the server looks for the object first.
    """
    if not good.missing:
        refuses_each(catalog, operation, requests, good, is_refused, refusal)
        return
    unseen: set[str] = set()

    def is_refused_or_missing(defect: str, answer: Answer) -> bool:
        if answer.status == NOT_FOUND and not is_refused(defect, answer):
            unseen.add(defect)
        return answer.status == NOT_FOUND or is_refused(defect, answer)

    refuses_each(catalog, operation, requests, good, is_refused_or_missing, refusal, _returns_not_found)
    if unseen:
        raise Skipped("the run found no table to read, and the server looks for one before it rejects", "--table")


def _returns_not_found(catalog: LanceCatalog, operation: str, request: LanceRequest) -> None:
    """Send a valid request on a missing object. Raises Blocked when it does not return 404."""
    with catalog.client.preparing():
        request.send(catalog, operation, expect=NOT_FOUND)
