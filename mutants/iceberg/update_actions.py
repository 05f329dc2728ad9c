"""Updates that are skipped silently, or rejected although they are valid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mutants.iceberg.blocks import request_follows, table_there, updates_become, updates_lost, updates_of
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault
from reference_server.iceberg.faults.blocks import TABLE_COMMITS, refused, refuses_when
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import CREATE
from reference_server.iceberg.metadata.updates import TABLE_UPDATES

COMMIT = ["updateTable"]
SET = "set-properties"
OWN_IDS = {"schema": "schema-id", "spec": "spec-id", "sort-order": "order-id"}  # of what a commit may add


def _unnamed(update: Json, updates: list[Json]) -> bool:
    named = {other.get("snapshot-id") for other in updates if other.get("action") == "set-snapshot-ref"}
    return update.get("action") == "add-snapshot" and update["snapshot"]["snapshot-id"] not in named


def _new_alone(commit: Json, table: Json) -> Json:
    def edit(update: Json) -> Json:
        properties = update.get("updates", {})
        return {**update, "updates": {key: properties[key] for key in properties if key not in table["properties"]}}

    return {
        **commit,
        "updates": [edit(update) if update.get("action") == SET else update for update in commit["updates"]],
    }


def _assigns(call: Call) -> bool:
    body = content(call) or {}
    creates = any(requirement.get("type") == CREATE for requirement in body.get("requirements", ()))
    return not creates and any(update.get("action") == "assign-uuid" for update in body.get("updates", ()))


def _lacks_ids(update: Json) -> bool:
    """True for an update that leaves out ids which the document lets it leave out."""
    added = {part: value for part in OWN_IDS if isinstance(value := update.get(part), dict)}
    fields = added.get("spec", {}).get("fields")
    unnumbered = isinstance(fields, list) and any("field-id" not in field for field in fields)
    return unnumbered or any(OWN_IDS[part] not in value for part, value in added.items())


# The field by which an update names what it removes, the field of the metadata that has it, and the key of its id.
REMOVALS = {
    "remove-properties": ("removals", "properties", ""),
    "remove-snapshot-ref": ("ref-name", "refs", ""),
    "remove-encryption-key": ("key-id", "encryption-keys", "key-id"),
    "remove-schemas": ("schema-ids", "schemas", "schema-id"),
    "remove-partition-specs": ("spec-ids", "partition-specs", "spec-id"),
    "remove-snapshots": ("snapshot-ids", "snapshots", "snapshot-id"),
    "remove-statistics": ("snapshot-id", "statistics", "snapshot-id"),
    "remove-partition-statistics": ("snapshot-id", "partition-statistics", "snapshot-id"),
}


def _absent(commit: Json, table: Json) -> Iterator[Any]:
    """Yield the ids that the updates of a commit remove although the metadata does not have them."""
    for update in commit.get("updates", ()):
        if update.get("action") in REMOVALS:
            field, key, id = REMOVALS[update["action"]]
            named = update[field] if isinstance(update[field], list) else [update[field]]
            there = table.get(key, ())
            known = set(there) if isinstance(there, dict) else {entry[id] for entry in there}
            yield from (name for name in named if name not in known)


@fault("removals-strict", on=COMMIT)
async def _strict(call: Call, proceed: Proceed) -> Reply:
    """Removing what is not there is refused."""
    table = await table_there(call, proceed)
    for name in _absent(content(call) or {}, table) if table else ():
        return refused(call, InvalidInput(f"There is no {name!r} to remove."))
    return await proceed()


fault(
    "younger-updates-overlooked",
    "The server does not know the updates of statistics and encryption keys, and passes over them.",
    on=TABLE_COMMITS,
)(updates_lost("set-statistics", "set-partition-statistics", "add-encryption-key", "remove-encryption-key"))
fault("removals-overlooked", "Updates that remove something are ignored.", on=TABLE_COMMITS)(
    updates_lost(*(action for action in TABLE_UPDATES if action.startswith("remove-")))
)
fault("location-fixed", "A table stays where it is, whatever a commit says.", on=TABLE_COMMITS)(
    updates_lost("set-location")
)
fault(
    "orphan-snapshots-lost",
    "A snapshot is kept only where the same commit makes a branch or tag of it.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _unnamed(update, updates)]))
fault(
    "main-alone",
    "Commits return success for branches and tags other than main, but do not set them.",
    on=TABLE_COMMITS,
)(
    updates_become(
        lambda updates: [
            update
            for update in updates
            if update.get("action") != "set-snapshot-ref" or update.get("ref-name") == "main"
        ]
    )
)

fault("properties-once", "A property that a table has cannot be set to another value.", on=COMMIT)(
    request_follows(_new_alone)
)

fault("same-uuid-refused", "The UUID of a table cannot be assigned, not even the one that it has.", on=COMMIT)(
    refuses_when(_assigns, InvalidInput("Cannot reassign the UUID of a table."))
)
fault("ids-wanted", "Commits are refused that leave the ids of what they add to the server.", on=COMMIT)(
    refuses_when(lambda call: any(map(_lacks_ids, updates_of(call))), InvalidInput("HTTP 400 Bad Request"))
)
