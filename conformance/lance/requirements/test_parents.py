"""Missing namespaces above the namespace of an object, for every operation that names an object."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, one_of
from conformance.author.requirement import must
from conformance.http.answers import Answer
from conformance.lance.catalog import TOO_DEEP, LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.checks import NO_NAMESPACE, table_is_missing
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.refusing import on_missing
from specs.openapi import Operation

PART_MISSING = (NO_NAMESPACE, 6, 8, 11)  # codes of a namespace, and of an index, a tag or a version in the table
# A server may check the location of a registration first: lance.table.register.namespace_missing bears that.
ON_TABLES = {
    name: operation
    for name, operation in OPERATIONS.items()
    if "/table/{id}" in operation.path and operation.id != "RegisterTable"
}
ON_NAMESPACES = {name: operation for name, operation in OPERATIONS.items() if "/namespace/{id}" in operation.path}
MAKERS = ("CreateTable", "DeclareTable", "CreateEmptyTable")


def _refused(catalog: LanceCatalog, operation: Operation, id: Names, statuses: tuple[int, ...]) -> Answer:
    """Send a request that is due to be rejected with one of these statuses.

    Raises Blocked for another rejection by a server that rejects the valid request for an existing object, too.
    """
    answer = on_missing(operation, id).send(catalog, operation.id)
    step = catalog.client.steps[-1]
    if answer.status not in statuses and not answer.succeeded:
        accepts(catalog, operation.id)
    catalog.client.check_status(step, statuses)
    return answer


def _places(catalog: LanceCatalog) -> list[Names]:
    """Return namespaces that do not exist: two levels of which none exists, and a missing one in an existing one."""
    catalog.require_levels(nested=True)
    return [(*catalog.missing_namespace(), "inner"), (*catalog.home, catalog.target.missing_name)]


@must("lance.parent.table.{}", clause="table-not-found", kind="error", each=ON_TABLES, reads=True)
def test_table_below_missing_namespaces(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a table below several missing namespaces returns 404 with the code of a namespace or of the table."""
    for place in _places(catalog):
        refused = _refused(catalog, case, (*place, "t"), (404,))
        if case.id == "TableExists" and not refused.body:
            continue
        if case.id in MAKERS:
            equal(refused.code, NO_NAMESPACE, "the code of the error")
        else:
            table_is_missing(refused, case.id, *PART_MISSING)


@must("lance.parent.namespace.{}", clause="namespace-not-found", kind="error", each=ON_NAMESPACES, reads=True)
def test_namespace_below_missing_namespaces(catalog: LanceCatalog, case: Operation) -> None:
    """{} on a namespace below several missing ones returns 404 with code 1, or 400 or 403 where it lies too deep."""
    for place in _places(catalog):
        refused = _refused(catalog, case, (*place, "n"), (404, *TOO_DEEP))
        if refused.status == 404 and (case.id != "NamespaceExists" or refused.body):
            equal(refused.code, NO_NAMESPACE, "the code of the error")


@must("lance.parent.rename", operations=["RenameTable"], clause="namespace-not-found", kind="error")
def test_rename_below_missing_namespaces(catalog: LanceCatalog) -> None:
    """RenameTable to a namespace below several missing ones returns 404 with code 1, and the table stays."""
    places, id = _places(catalog), catalog.new_table()
    accepts(catalog, "RenameTable")
    for place in places:
        refused = catalog.rename_table(id, new_table_name="t", new_namespace_id=list(place), expect=404)
        equal(refused.code, NO_NAMESPACE, "the code of the error")
    catalog.table_exists(id)


BATCHED = {
    "declare": lambda id: {"declare_table": {"id": id}},
    "deregister": lambda id: {"deregister_table": {"id": id}},
    "delete_versions": lambda id: {
        "delete_table_versions": {"id": id, "ranges": [{"start_version": 0, "end_version": 1}]}
    },
}


@must("lance.parent.batch.{}", operations=["BatchCommitTables"], clause="table-not-found", kind="error", each=BATCHED)
def test_batch_below_missing_namespaces(catalog: LanceCatalog, case: Any) -> None:
    """BatchCommitTables with an operation ({}) below several missing namespaces returns 404 and creates none."""
    for place in _places(catalog):
        refused = catalog.batch_commit_tables(operations=[case((*place, "t"))], expect=404)
        one_of(refused.code, (1, 4), "the code of the error")
    catalog.namespace_exists(catalog.missing_namespace(), expect=404)
