"""Building blocks of the Iceberg faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import CatalogError
from reference_server.faults import Around, Call, Proceed, body_becomes, request_becomes
from reference_server.iceberg.catalog.idempotency import takes_keys
from reference_server.iceberg.errors import render_error
from reference_server.iceberg.metadata.reading import Json
from specs.openapi import JSON_TYPE

SHOWN = ("createTable", "loadTable", "registerTable")
CREDENTIALS, SIGN = "loadCredentials", "signRequest"
LIST = "storage-credentials"
TABLE_COMMITS = ("updateTable", "commitTransaction")
LISTS = ("listNamespaces", "listTables", "listViews")
Edit = Callable[[Any], Any]


def refused(call: Call, error: CatalogError) -> Reply:
    """Return an error as the API answers it."""
    return render_error(error, call.request)


def refuses_when(wanted: Callable[[Call], bool], error: CatalogError) -> Around:
    """Answer with an error, without doing anything, where the call is of this kind."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        return refused(call, error) if wanted(call) else await proceed()

    return around


def error_becomes(status: int, error: CatalogError) -> Around:
    """Answer with another error, status and type, wherever the right answer has this status."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        return refused(call, error) if reply.status == status else reply

    return around


def edited_at(body: Any, name: str, edit: Edit) -> Any:
    """Return an object with one field edited; what is no object, or lacks the field, stays as it is."""
    return {**body, name: edit(body[name])} if isinstance(body, dict) and name in body else body


def error_field_becomes(name: str, edit: Edit, *statuses: int) -> Around:
    """Replace a field of error bodies, `type`, `code` or `message`, by what `edit` makes of it."""
    return body_becomes(lambda body: edited_at(body, "error", lambda error: edited_at(error, name, edit)), *statuses)


def answer_becomes(**edits: Edit) -> Around:
    """Replace fields of the object in answers of 200, with `_` for `-`, by what their edits make of them."""

    def edit(body: Any) -> Any:
        for name, change in edits.items():
            body = edited_at(body, name.replace("_", "-"), change)
        return body

    return body_becomes(edit, 200)


def commits_become(edit: Callable[[Json], Json]) -> Around:
    """Do what commits would ask for after `edit`: every one of a transaction is edited by itself."""

    def edited(body: Json) -> Json:
        changes = body.get("table-changes")
        return (
            {**body, "table-changes": [edit(change) for change in changes]} if isinstance(changes, list) else edit(body)
        )

    return request_becomes(edited)


def of_objects(edit: Callable[[list[Json]], list[Json]]) -> Edit:
    """Return an edit of lists of objects that leaves anything else as it is."""
    return lambda entries: (
        edit(entries) if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries) else entries
    )


def requirements_become(edit: Callable[[list[Json]], list[Json]]) -> Around:
    """Check what `edit` makes of the requirements of a commit."""
    return commits_become(lambda commit: edited_at(commit, "requirements", of_objects(edit)))


def body_of(reply: Reply) -> Json:
    """Return the JSON object in an answer, an empty one for an error."""
    value: Json = orjson.loads(reply.body) if reply.status == 200 else {}
    return value


async def performed(
    call: Call, proceed: Proceed, operation: str, body: Any = None, *, query: Json | None = None, **path: str
) -> Reply:
    """Do another operation by the way, in the same warehouse, and return its answer; the call stays as it was."""
    before = call.operation, call.path, call.request
    call.turn_to(operation)
    call.path = {**call.path, **path}
    call.request = call.request.altered(
        query=query or {}, body=b"" if body is None else orjson.dumps(body), headers={"Content-Type": JSON_TYPE}
    )
    try:
        return await proceed()
    finally:
        call.operation, call.path, call.request = before


def again(around: Around, *statuses: int) -> Around:
    """Do the same once more, inside this, where the right answer has one of these statuses."""

    async def retry(call: Call, proceed: Proceed) -> Reply:
        reply = await proceed()
        return await around(call, proceed) if reply.status in statuses else reply

    return retry


COMMIT = ["updateTable"]
TRACE = "\n\tat java.util.Optional.get(Optional.java:143)"
ETAG, CONDITION = "ETag", "If-None-Match"
LOAD = ["loadTable"]
TAGGED = ["createTable", "registerTable", "updateTable", *LOAD]


def where_keys_are_taken(around: Around) -> Around:
    """Let a fault touch what takes keys in the document that is served, and nothing else."""

    async def chosen(call: Call, proceed: Proceed) -> Reply:
        return await (around(call, proceed) if takes_keys(call.operation) else proceed())

    return chosen


def items(edit: Callable[[list[Any]], list[Any]]) -> Around:
    """Show other items in a listing than there are."""
    return answer_becomes(namespaces=edit, identifiers=edit)


DROPS = ("dropNamespace", "dropTable", "dropView")
TOKEN, SIZE, NEXT = "pageToken", "pageSize", "next-page-token"


def query_value(call: Call, name: str) -> str | None:
    """Return the last value of a query parameter, None without one."""
    values = call.request.query.get(name)
    return values[-1] if values else None


def ask_page(call: Call, **wanted: str | None) -> None:
    """Ask for another page: None takes a parameter away."""
    query = {**call.request.query, **{name: [value] for name, value in wanted.items() if value is not None}}
    call.request = call.request.altered(
        query={name: values for name, values in query.items() if wanted.get(name, "") is not None}
    )


def offset_of(text: str | None) -> int:
    """Return the number in a page token, 0 for any other text."""
    return int(text) if text and text.isascii() and text.isdigit() else 0


ANSWERS = ["planTableScan", "fetchPlanningResult", "fetchScanTasks"]


def tasks_become(edit: Callable[[list[Json]], list[Json]]) -> Around:
    """Answer with what `edit` makes of the file scan tasks."""

    def edited(body: Json) -> Json:
        return {**body, "file-scan-tasks": edit(body["file-scan-tasks"])} if body.get("file-scan-tasks") else body

    return body_becomes(edited, 200)


START = ["planTableScan"]
FETCH = ["fetchPlanningResult"]
RESULTS = [*START, *FETCH]
ISSUE = ["getToken"]
