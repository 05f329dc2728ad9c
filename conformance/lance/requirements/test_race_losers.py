"""Identical concurrent requests: the errors of the requests that come too late."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.author.strategies import tables
from conformance.common.bodies import RequestCase
from conformance.common.races import Act, LoserRace, losers_are_refused, same_requests_are_no_failure
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.client import LanceClient
from conformance.lance.operations import OPERATIONS, reads
from conformance.lance.support.arrow import stream
from conformance.lance.support.ordinary import LanceRequest, ordinary
from conformance.lance.support.staging import stage

EXISTS, GONE = (409,), (404,)


def _all(method: Callable[..., Answer], count: int, **arguments: Any) -> Sequence[Act]:
    """Return the same call for `count` clients."""
    return [partial(method, **arguments, expect=None)] * count


def _create_namespace(catalog: LanceCatalog, count: int) -> Sequence[Act]:
    id = catalog.namespace_id()
    catalog.note_namespaces([id])
    return _all(LanceClient.create_namespace, count, id=id)


def _create_table(catalog: LanceCatalog, count: int) -> Sequence[Act]:
    id = catalog.table_id()
    catalog.note_tables([id])
    return _all(LanceClient.create_table, count, id=id, data=stream(tables(1)))


def _declare_table(catalog: LanceCatalog, count: int) -> Sequence[Act]:
    id = catalog.table_id()
    catalog.note_tables([id])
    return _all(LanceClient.declare_table, count, id=id)


def _on_table(method: Callable[..., Answer], **arguments: Any) -> Callable[[LanceCatalog, int], Sequence[Act]]:
    return lambda catalog, count: _all(method, count, id=catalog.new_table(), **arguments)


def _create_tag(catalog: LanceCatalog, count: int) -> Sequence[Act]:
    id = catalog.new_table()
    return _all(LanceClient.create_table_tag, count, id=id, tag="new", version=catalog.version(id))


def _create_branch(catalog: LanceCatalog, count: int) -> Sequence[Act]:
    return _all(LanceClient.create_table_branch, count, id=catalog.new_table(), name="new")


def _create_version(catalog: LanceCatalog, count: int) -> Sequence[Act]:
    id = catalog.new_table()
    staged = [stage(catalog, id) for _ in range(count)]
    return [partial(LanceClient.create_table_version, id=id, **version, expect=None) for version in staged]


def _late(operation: str, deed: str, answer: str, start: Any, refusals: Sequence[int]) -> LoserRace:
    statement = f"When several clients {deed} at the same time, the requests that come too late return {answer}."
    return LoserRace([operation], "race-losers", statement, f"tried to {deed}", start, refusals)


CREATE_INDEX = _on_table(LanceClient.create_table_scalar_index, column="id", index_type="BTREE", name="idx")
ADD_COLUMN = _on_table(LanceClient.alter_table_add_columns, new_columns=[{"name": "more", "expression": "id + 1"}])
CASES = {
    "create_namespace": _late("CreateNamespace", "create the same namespace", "409", _create_namespace, EXISTS),
    "create_table": _late("CreateTable", "create the same table", "409", _create_table, EXISTS),
    "declare_table": _late("DeclareTable", "declare the same table", "409", _declare_table, EXISTS),
    "version": _late("CreateTableVersion", "make the same version", "409", _create_version, EXISTS),
    "tag": _late("CreateTableTag", "create the same tag", "409", _create_tag, EXISTS),
    "branch": _late("CreateTableBranch", "create the same branch", "409", _create_branch, EXISTS),
    "index": _late("CreateTableScalarIndex", "build an index of the same name", "409", CREATE_INDEX, EXISTS),
    "column": _late("AlterTableAddColumns", "add the same column", "400 or 409", ADD_COLUMN, (400, 409)),
    "drop_table": _late("DropTable", "drop the same table", "404 or success", _on_table(LanceClient.drop_table), GONE),
    "deregister_table": _late(
        "DeregisterTable",
        "deregister the same table",
        "404 or success",
        _on_table(LanceClient.deregister_table),
        GONE,
    ),
}
test_losers_are_refused = losers_are_refused.declare(__name__, CASES)


# Any of these requests may succeed or be rejected: only a failure of the server is a finding.


def _noted(catalog: LanceCatalog, name: str, operation: str) -> LanceRequest:
    """Return a plain request whose effects are noted for the clean-up, so that any client may send it."""
    request = ordinary(catalog, operation, name)
    catalog.note_sent(operation, request.id, request.body)
    return request


# In the case "version" each client sends a request of its own.
JUDGED = {id for name, case in CASES.items() if name != "version" for id in case.operations}
SAME = {
    name: RequestCase(operation, partial(_noted, operation=operation.id))
    for name, operation in OPERATIONS.items()
    if operation.id not in JUDGED and not reads(operation)
}
test_same_requests_are_no_failure = same_requests_are_no_failure.declare(__name__, SAME)
