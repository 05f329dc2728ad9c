"""Bugs that catalogs have shipped: commits that are refused for their form, and metadata that they leave wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from mutants.iceberg.blocks import TABLES_SHOWN, metadata_become, table_there, updates_of
from reference_server.context import Reply
from reference_server.errors import InvalidInput, Unsupported
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import COMMIT, TABLE_COMMITS, body_of, refused, refuses_when
from reference_server.iceberg.metadata.builder import MAIN
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import CREATE

LAST = -1  # the schema, spec or order that the commit added last
PAGE = b"<html><title>Error 500 java.lang.IllegalArgumentException</title></html>"
# What adds a definition, the field that has it, the list of the table that has all, and what chooses the last.
DEFINITIONS = (
    ("add-schema", "schema", "schemas", "set-current-schema", "schema-id"),
    ("add-spec", "spec", "partition-specs", "set-default-spec", "spec-id"),
    ("add-sort-order", "sort-order", "sort-orders", "set-default-sort-order", "sort-order-id"),
)


def _commits_of(call: Call) -> list[Json]:
    """Return the commits in a body: those of a transaction, or the one on a table."""
    body = content(call) or {}
    commits = body.get("table-changes", [body])
    return [commit for commit in commits if isinstance(commit, dict)] if isinstance(commits, list) else []


def _has_update(wanted: Callable[[Json], Any]) -> Callable[[Call], bool]:
    """Return a test for requests with an update of a kind."""
    return lambda call: any(
        wanted(update)
        for commit in _commits_of(call)
        for update in commit.get("updates") or ()
        if isinstance(update, dict)
    )


def _fields(definition: Json) -> list[Json]:
    """Return the fields of a definition without the ids that a server may assign."""
    return [{key: field[key] for key in field if key != "field-id"} for field in definition["fields"]]


def _equal_is_chosen(updates: list[Json], table: Json) -> bool:
    """Return whether a commit adds what the table has already, and chooses what was added last."""
    for adds, field, known, chooses, id in DEFINITIONS:
        chosen = any(update.get("action") == chooses and update.get(id) == LAST for update in updates)
        added = [update[field] for update in updates if update.get("action") == adds]
        if chosen and any(_fields(one) == _fields(other) for one in added for other in table[known]):
            return True
    return False


@fault("last-added-equal-refused", on=COMMIT)
async def _equal_refused(call: Call, proceed: Proceed) -> Reply:
    """A commit that adds a definition which the table has already, and chooses the last added one, is refused."""
    before = await table_there(call, proceed)
    if before and _equal_is_chosen(updates_of(call), before):
        return refused(call, InvalidInput("Cannot set the last added schema: no schema has been added"))
    return await proceed()


def _key(call: Call) -> tuple[str, str]:
    return call.path["namespace"], call.path.get("table") or str((content(call) or {}).get("name"))


@fault("last-added-unresolved", on=TABLES_SHOWN)
async def _unresolved(call: Call, proceed: Proceed) -> Reply:
    """A table whose schema was chosen as the last added one says that its schema has the id -1."""
    unresolved: set[tuple[str, str]] = call.state.setdefault("last-added-unresolved", set())
    reply, key = await proceed(), _key(call)
    if call.operation.id in COMMIT and reply.status == 200:
        chosen = [
            update.get("schema-id") for update in updates_of(call) if update.get("action") == "set-current-schema"
        ]
        if chosen:
            (unresolved.add if chosen[-1] == LAST else unresolved.discard)(key)
    elif call.operation.id == "createTable":
        unresolved.discard(key)
    if key in unresolved and reply.status == 200:
        body = body_of(reply)
        reply.body = orjson.dumps({**body, "metadata": {**body["metadata"], "current-schema-id": LAST}})
    return reply


def _with_ids(metadata: Json, sent: dict[int, int]) -> Json:
    """Return metadata whose schemas have the ids that clients sent, given by the id that they have."""
    schemas = [
        {**schema, "schema-id": sent.get(schema["schema-id"], schema["schema-id"])} for schema in metadata["schemas"]
    ]
    current = metadata["current-schema-id"]
    return {**metadata, "schemas": schemas, "current-schema-id": sent.get(current, current)}


@fault("schema-ids-as-sent", on=TABLES_SHOWN)
async def _ids_as_sent(call: Call, proceed: Proceed) -> Reply:
    """An added schema keeps the id that the client sent, also where another schema of the table has it."""
    ids: dict[str, dict[int, int]] = call.state.setdefault("schema-ids-as-sent", {})
    before = await table_there(call, proceed) if call.operation.id in COMMIT else None
    reply = await proceed()
    metadata = body_of(reply).get("metadata")
    if not metadata:
        return reply
    known = ids.setdefault(metadata["table-uuid"], {})
    if before:
        old = {schema["schema-id"] for schema in before["schemas"]}
        new = [schema["schema-id"] for schema in metadata["schemas"] if schema["schema-id"] not in old]
        added = [update["schema"] for update in updates_of(call) if update.get("action") == "add-schema"]
        known |= {id: schema.get("schema-id", id) for id, schema in zip(new, added, strict=False)}
    return await metadata_become(lambda shown: _with_ids(shown, known))(call, _answering(reply))


def _answering(reply: Reply) -> Proceed:
    async def proceed() -> Reply:
        return reply

    return proceed


@fault("removed-refs-return", on=COMMIT)
async def _refs_return(call: Call, proceed: Proceed) -> Reply:
    """A branch or tag that was removed is there again after the next commit."""
    removed: dict[tuple[str, str], Json] = call.state.setdefault("removed-refs-return", {})
    updates = updates_of(call)
    names = [str(update["ref-name"]) for update in updates if update.get("action") == "remove-snapshot-ref"]
    if names:
        refs = ((await table_there(call, proceed)) or {}).get("refs", {})
        reply = await proceed()
        if reply.status == 200:
            removed[_key(call)] = {name: refs[name] for name in names if name in refs and name != MAIN}
        return reply
    back = [
        {"action": "set-snapshot-ref", "ref-name": name, **ref} for name, ref in removed.pop(_key(call), {}).items()
    ]
    if back:
        body = content(call) or {}
        call.request = call.request.altered(body=orjson.dumps({**body, "updates": [*body["updates"], *back]}))
    return await proceed()


@fault("snapshot-log-lost-with-main", on=TABLES_SHOWN)
async def _log_lost(call: Call, proceed: Proceed) -> Reply:
    """A commit that removes main, also to set it anew, takes all that the snapshot log had before."""
    lost: dict[str, int] = call.state.setdefault("snapshot-log-lost-with-main", {})
    removes = any(
        update.get("action") == "remove-snapshot-ref" and update.get("ref-name") == MAIN for update in updates_of(call)
    )
    before = await table_there(call, proceed) if removes else None
    reply = await proceed()
    if before and reply.status == 200:
        lost[before["table-uuid"]] = len(before.get("snapshot-log", ()))
    return await metadata_become(
        lambda shown: {**shown, "snapshot-log": shown.get("snapshot-log", [])[lost.get(shown["table-uuid"], 0) :]}
    )(call, _answering(reply))


@fault("several-snapshots-crash", on=COMMIT)
async def _several_crash(call: Call, proceed: Proceed) -> Reply:
    """Removing several snapshots in one update ends in an error page of the web server."""
    several = _has_update(
        lambda update: (
            update.get("action") == "remove-snapshots"
            and all(isinstance(id, int) for id in update["snapshot-ids"][:2])
            and len(update["snapshot-ids"]) > 1
        )
    )
    return Reply(500, PAGE, "text/html") if several(call) else await proceed()


def _creates(call: Call) -> bool:
    requirements = (content(call) or {}).get("requirements") or ()
    return any(isinstance(entry, dict) and entry.get("type") == CREATE for entry in requirements)


fault("last-column-id-needed", "A commit that adds a schema without last-column-id is refused.", on=TABLE_COMMITS)(
    refuses_when(
        _has_update(lambda update: update.get("action") == "add-schema" and update.get("last-column-id") is None),
        InvalidInput("some of required attributes are not set [lastColumnId]"),
    )
)
fault("created-uuid-unsupported", "A commit that creates a table may not assign its UUID.", on=COMMIT)(
    refuses_when(
        lambda call: _creates(call) and any(update.get("action") == "assign-uuid" for update in updates_of(call)),
        Unsupported("Not implemented"),
    )
)
