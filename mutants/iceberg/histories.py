"""UUIDs, times, logs and metadata files that do not fit the history of a table or view, and reads that write."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import orjson

from mutants.iceberg.blocks import TABLES_SHOWN, VIEWS_SHOWN, each_update, metadata_become, request_follows, when
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Around, Call, Proceed, body_becomes, content, fault
from reference_server.iceberg.faults.blocks import body_of, performed, refuses_when
from reference_server.iceberg.metadata.reading import Json

COMMIT, LOAD, TRANSACTION = "updateTable", "loadTable", "commitTransaction"
FILE = "metadata-location"
UUIDS = ("table-uuid", "view-uuid")
HOUR_MS = 3_600_000


def _with_uuid(body: Json, of: str) -> Json:
    """Return an answer whose metadata have the UUID that follows from a text."""
    new = str(uuid.uuid5(uuid.NAMESPACE_URL, of))
    metadata = {name: new if name in UUIDS else value for name, value in body["metadata"].items()}
    return {**body, "metadata": metadata}


fault("uuid-of-the-file", "Each metadata file of a table or view has another UUID.", on=[*TABLES_SHOWN, *VIEWS_SHOWN])(
    body_becomes(lambda body: _with_uuid(body, str(body.get(FILE))), 200)
)


@fault("uuid-of-the-name", on=["loadTable", "loadView"])
async def _of_the_name(call: Call, proceed: Proceed) -> Reply:
    """The UUID of a table or view follows from its name."""
    name = call.path.get("table") or call.path.get("view") or ""
    return await body_becomes(lambda body: _with_uuid(body, f"{call.path['namespace']} {name}"), 200)(call, proceed)


@fault("uuid-of-the-registration", on=["registerTable", LOAD])
async def _of_the_registration(call: Call, proceed: Proceed) -> Reply:
    """A table that is registered gets another UUID than its file says."""
    registered = call.state.setdefault("registered-anew", set())
    key = (call.path["namespace"], call.path.get("table") or str((content(call) or {}).get("name")))
    if call.operation.id != LOAD:
        registered.add(key)
    if key not in registered:
        return await proceed()
    return await body_becomes(lambda body: _with_uuid(body, "registered"), 200)(call, proceed)


TIMES = ("last-updated-ms", "timestamp-ms")


def _in_seconds(value: Any) -> Any:
    if isinstance(value, list):
        return [_in_seconds(entry) for entry in value]
    if isinstance(value, dict):
        return {name: part // 1000 if name in TIMES else _in_seconds(part) for name, part in value.items()}
    return value


def _edited(name: str, edit: Callable[[Any], Any]) -> Around:
    """Show another value of a field of metadata, where they have it."""
    return metadata_become(lambda metadata: {**metadata, name: edit(metadata[name])} if name in metadata else metadata)


fault("times-in-seconds", "Times in metadata are in seconds.", on=[*TABLES_SHOWN, *VIEWS_SHOWN])(
    metadata_become(_in_seconds)
)
fault("snapshot-log-empty", "The snapshot log of a table is empty.", on=TABLES_SHOWN)(
    _edited("snapshot-log", lambda _: [])
)
fault("metadata-log-ahead", "The metadata log has times that are an hour ahead.", on=TABLES_SHOWN)(
    _edited("metadata-log", lambda log: [{**entry, "timestamp-ms": entry["timestamp-ms"] + HOUR_MS} for entry in log])
)
fault("identifier-fields-imagined", "Schemas name a field that they do not have as identifier field.", on=[LOAD])(
    _edited("schemas", lambda schemas: [{**schema, "identifier-field-ids": [99]} for schema in schemas])
)
fault("version-log-of-now", "All entries of a version log have the time of the last one.", on=VIEWS_SHOWN)(
    _edited(
        "version-log",
        lambda log: [{**entry, "timestamp-ms": log[-1]["timestamp-ms"] + len(log)} for entry in log],
    )
)

# Metadata files


@fault("former-file-named", on=[LOAD])
async def _former_file(call: Call, proceed: Proceed) -> Reply:
    """A load names the metadata file before the current one, where there is one."""

    def edit(body: Json) -> Json:
        log = body["metadata"].get("metadata-log")
        return {**body, FILE: log[-1]["metadata-file"]} if log else body

    return await body_becomes(edit, 200)(call, proceed)


def _first_unwritten(body: Json) -> Json:
    table = body["metadata"]
    first = {"a", "touched"} & (table.get("properties") or {}).keys() and not table.get("metadata-log")
    return {**body, FILE: f"{body.get(FILE)}.tmp"} if first else body


fault(
    "first-file-unwritten",
    "The first file of a table with a property of its client is not where a load says.",
    on=[LOAD],
)(body_becomes(_first_unwritten, 200))


@fault("last-file-named", on=["createTable", LOAD])
async def _last_file(call: Call, proceed: Proceed) -> Reply:
    """A load names the metadata file of the table that was created last but one."""
    reply = await proceed()
    files = call.state.setdefault("last-files", [])
    body = body_of(reply)
    if call.operation.id != LOAD:
        files.append(body.get(FILE))
    elif body and len(files) > 1:
        reply.body = orjson.dumps({**body, FILE: files[-2] or body.get(FILE)})
    return reply


@fault("answer-names-former-file", on=["createTable", "registerTable", COMMIT])
async def _answer_names_former(call: Call, proceed: Proceed) -> Reply:
    """A creation or commit is answered with the metadata-location before, or with one that no file has."""
    before = ""
    if call.operation.id == COMMIT:
        before = body_of(await performed(call, proceed, LOAD)).get(FILE) or ""
    return await body_becomes(lambda body: {**body, FILE: before or f"{body.get(FILE)}.tmp"}, 200)(call, proceed)


@fault("transactions-keep-etags", on=[LOAD, COMMIT, TRANSACTION])
async def _kept_etags(call: Call, proceed: Proceed) -> Reply:
    """A transaction changes tables, but not their ETags."""
    kept = call.state.setdefault("etags-kept", {})
    key = (call.path.get("namespace"), call.path.get("table"))
    reply = await proceed()
    if call.operation.id == COMMIT:
        kept.pop(key, None)
    elif call.operation.id == LOAD and "ETag" in reply.headers:
        reply.headers["ETag"] = kept.setdefault(key, reply.headers["ETag"])
    return reply


def _refs_alone(call: Call) -> bool:
    return call.request.query.get("snapshots") == ["refs"]


def _thin(metadata: Json) -> Json:
    """Return metadata with the current schema and branch alone."""
    schemas = [entry for entry in metadata["schemas"] if entry["schema-id"] == metadata["current-schema-id"]]
    return {**metadata, "schemas": schemas, "refs": {"main": (metadata.get("refs") or {}).get("main")}}


fault("refs-load-thin", "With snapshots=refs the current schema and branch are returned, and no others.", on=[LOAD])(
    when(_refs_alone, metadata_become(_thin))
)


@fault("reads-write", on=[LOAD, "loadCredentials", "planTableScan"])
async def _reads_write(call: Call, proceed: Proceed) -> Reply:
    """A read with options, of credentials or of a plan commits a property that says so."""
    reply = await proceed()
    if reply.status == 200 and (call.operation.id != LOAD or call.request.query):
        update = {"action": "set-properties", "updates": {"read": reply.headers.get("Date", "1")}}
        await performed(call, proceed, COMMIT, {"requirements": [], "updates": [update]})
    return reply


# Definitions


def _by_place(specs: list[Json]) -> list[Json]:
    return [
        {**spec, "fields": [{**part, "field-id": 1000 + number} for number, part in enumerate(spec["fields"])]}
        for spec in specs
    ]


def _last_in_use(metadata: Json) -> Json:
    columns = [column["id"] for schema in metadata["schemas"] for column in schema["fields"]]
    parts = [part["field-id"] for spec in metadata["partition-specs"] for part in spec["fields"]]
    return {**metadata, "last-column-id": max(columns), "last-partition-id": max(parts, default=999)}


fault("partition-ids-by-place", "The field ids of each partition spec count from 1000.", on=TABLES_SHOWN)(
    _edited("partition-specs", _by_place)
)
fault("last-ids-in-use", "last-column-id and last-partition-id are the highest ids in use.", on=TABLES_SHOWN)(
    metadata_become(_last_in_use)
)
ADDED = {
    "add-schema": ("schema", "schemas", "set-current-schema"),
    "add-spec": ("spec", "partition-specs", "set-default-spec"),
    "add-sort-order": ("sort-order", "sort-orders", "set-default-sort-order"),
}


def _names(definition: Json) -> list[Any]:
    return [[part.get("name"), part.get("source-id"), part.get("transform")] for part in definition["fields"]]


def _equal_passed_over(commit: Json, table: Json) -> Json:
    """Return a commit without the choice of an added definition that the table has already."""
    dropped = {
        choice
        for update in commit["updates"]
        if update.get("action") in ADDED
        for part, entries, choice in [ADDED[update["action"]]]
        if _names(update[part]) in map(_names, table[entries])
    }
    return {**commit, "updates": [update for update in commit["updates"] if update.get("action") not in dropped]}


fault("equal-definition-unchosen", "A definition that is added once more does not become current.", on=[COMMIT])(
    request_follows(_equal_passed_over)
)


def _not_lowered(commit: Json, table: Json) -> Json:
    version = table["format-version"]
    return {
        **commit,
        "updates": [update for update in commit["updates"] if update.get("format-version", version) >= version],
    }


fault(
    "downgrades-overlooked", "A commit to a lower format version returns success and keeps the version.", on=[COMMIT]
)(request_follows(_not_lowered))


def _with_upgrade(commit: Json, table: Json) -> Json:
    raised = any(update.get("action") == "upgrade-format-version" for update in commit["updates"])
    gone = {"action": "remove-properties", "removals": ["a"]}
    return {**commit, "updates": [*commit["updates"], gone]} if raised and "a" in table["properties"] else commit


fault("upgrade-loses-properties", "An upgrade of the format version removes properties of a table.", on=[COMMIT])(
    request_follows(_with_upgrade)
)
RETENTION = ("max-ref-age-ms", "max-snapshot-age-ms", "min-snapshots-to-keep")


@fault("retention-of-the-first", on=[COMMIT])
async def _first_retention(call: Call, proceed: Proceed) -> Reply:
    """A branch or tag has the retention that was first given to its name."""
    first = call.state.setdefault("first-retention", {})
    key = (call.path["namespace"], call.path["table"])

    def edit(update: Json) -> Json:
        given = {name: update[name] for name in RETENTION if name in update}
        known = first.setdefault((*key, update["ref-name"]), given) if given else first.get((*key, update["ref-name"]))
        return {**update, **(known or {})}

    return await each_update("set-snapshot-ref", edit)(call, proceed)


def _forward_alone(commit: Json, table: Json) -> Json:
    """Return a commit without updates that set main to a snapshot before the current one."""
    ids = [entry["snapshot-id"] for entry in table.get("snapshots") or ()]
    current = ids.index(table["current-snapshot-id"]) if table.get("current-snapshot-id") in ids else 0
    updates = [
        update
        for update in commit["updates"]
        if update.get("ref-name") != "main" or update.get("snapshot-id") not in ids[:current]
    ]
    return {**commit, "updates": updates}


fault("main-goes-forward-alone", "A rollback of main is answered with success and passed over.", on=[COMMIT])(
    request_follows(_forward_alone)
)

# Options


def _spelled_out(call: Call) -> bool:
    return bool({"case-sensitive", "use-snapshot-schema"} & (content(call) or {}).keys())


fault("plan-options-refused", "A plan with case-sensitive or use-snapshot-schema is refused.", on=["planTableScan"])(
    refuses_when(_spelled_out, InvalidInput("Unknown option."))
)
