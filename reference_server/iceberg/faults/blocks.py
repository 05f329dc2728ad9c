"""What the declarations of Iceberg faults are made of, beside the blocks for all APIs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.errors import CatalogError
from reference_server.faults import Around, Call, Proceed, body_becomes, content, request_becomes
from reference_server.iceberg.errors import render_error
from reference_server.iceberg.metadata.reading import Json
from specs.openapi import JSON_TYPE

TABLE_COMMITS = ("updateTable", "commitTransaction")
LISTS = ("listNamespaces", "listTables", "listViews")
TABLES_SHOWN = ("createTable", "loadTable", "registerTable", "updateTable")
VIEWS_SHOWN = ("createView", "loadView", "registerView", "replaceView")

Edit = Callable[[Any], Any]


def refused(call: Call, error: CatalogError) -> Reply:
    """Return an error as the API answers it."""
    return render_error(error, call.request)


def refuses(error: CatalogError) -> Around:
    """Answer with an error without doing anything."""

    async def around(call: Call, _proceed: Proceed) -> Reply:
        return refused(call, error)

    return around


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


def error_field_becomes(name: str, edit: Edit, *statuses: int) -> Around:
    """Replace a field of error bodies, `type`, `code` or `message`, by what `edit` makes of it."""
    return body_becomes(lambda body: _edited_at(body, "error", lambda error: _edited_at(error, name, edit)), *statuses)


def answer_becomes(**edits: Edit) -> Around:
    """Replace fields of the object in answers of 200, with `_` for `-`, by what their edits make of them."""

    def edit(body: Any) -> Any:
        for name, change in edits.items():
            body = _edited_at(body, name.replace("_", "-"), change)
        return body

    return body_becomes(edit, 200)


def metadata_become(edit: Callable[[Json], Json]) -> Around:
    """Show other metadata of a table or view than there are, wherever an answer has any."""
    return answer_becomes(metadata=edit)


def when(wanted: Callable[[Call], bool], around: Around) -> Around:
    """Misbehave where the call is of this kind."""

    async def chosen(call: Call, proceed: Proceed) -> Reply:
        return await (around(call, proceed) if wanted(call) else proceed())

    return chosen


def commits_become(edit: Callable[[Json], Json]) -> Around:
    """Do what commits would ask for after `edit`: every one of a transaction is edited by itself."""

    def edited(body: Json) -> Json:
        changes = body.get("table-changes")
        return (
            {**body, "table-changes": [edit(change) for change in changes]} if isinstance(changes, list) else edit(body)
        )

    return request_becomes(edited)


def updates_of(call: Call) -> list[Json]:
    """Return the updates of a commit that are objects; a body without a list of them has none."""
    updates = (content(call) or {}).get("updates")
    return [update for update in updates if isinstance(update, dict)] if isinstance(updates, list) else []


def updates_become(edit: Callable[[list[Json]], list[Json]]) -> Around:
    """Apply what `edit` makes of the updates of a commit."""
    return commits_become(lambda commit: _edited_at(commit, "updates", _of_objects(edit)))


def each_update(action: str, edit: Callable[[Json], Json]) -> Around:
    """Apply what `edit` makes of every update of this action."""
    return updates_become(
        lambda updates: [edit(update) if update.get("action") == action else update for update in updates]
    )


def updates_lost(*actions: str) -> Around:
    """Leave out the updates with these actions, as a server does that does not know them."""
    return updates_become(lambda updates: [update for update in updates if update.get("action") not in actions])


def requirements_become(edit: Callable[[list[Json]], list[Json]]) -> Around:
    """Check what `edit` makes of the requirements of a commit."""
    return commits_become(lambda commit: _edited_at(commit, "requirements", _of_objects(edit)))


def requirements_lost(*types: str) -> Around:
    """Do not check requirements of these types."""
    return requirements_become(
        lambda requirements: [requirement for requirement in requirements if requirement.get("type") not in types]
    )


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


async def table_there(call: Call, proceed: Proceed, **path: Any) -> Json | None:
    """Return the metadata of the table that a path names, that of the call unless told otherwise; None without one."""
    reply = await performed(call, proceed, "loadTable", **path)
    metadata: Json | None = orjson.loads(reply.body)["metadata"] if reply.status == 200 else None
    return metadata


def commit_follows(edit: Callable[[Json, Json], Json]) -> Around:
    """Do what `edit` makes of a commit to one table, given the table as it is before."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        body, before = content(call), await table_there(call, proceed)
        if body is not None and before is not None:
            call.request = call.request.altered(body=orjson.dumps(edit(body, before)))
        return await proceed()

    return around


def answer_follows(edit: Callable[[Json, Json], Json]) -> Around:
    """Answer a commit to one table with what `edit` makes of the metadata after it, given those before."""

    async def around(call: Call, proceed: Proceed) -> Reply:
        before = await table_there(call, proceed)
        if before is None:
            return await proceed()
        return await metadata_become(lambda after: edit(after, before))(call, proceed)

    return around


def _edited_at(body: Any, name: str, edit: Edit) -> Any:
    """Return an object with one field edited; what is no object, or lacks the field, stays as it is."""
    return {**body, name: edit(body[name])} if isinstance(body, dict) and name in body else body


def _of_objects(edit: Callable[[list[Json]], list[Json]]) -> Edit:
    """Return an edit of lists of objects that leaves anything else as it is."""
    return lambda entries: (
        edit(entries) if isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries) else entries
    )
