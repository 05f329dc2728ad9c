"""Schemas, partition specs and sort orders of a table, added, chosen and removed carelessly."""

from __future__ import annotations

from collections.abc import Iterator

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, fault
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    TABLES_SHOWN,
    each_update,
    metadata_become,
    table_there,
    updates_become,
    updates_lost,
    updates_of,
)
from reference_server.iceberg.metadata.builder import LAST_ADDED
from reference_server.iceberg.metadata.finalize import CURRENT
from reference_server.iceberg.metadata.format_versions import NEWEST
from reference_server.iceberg.metadata.reading import Json

COMMIT = ["updateTable"]

ADDING = {"add-schema": "schemas", "add-spec": "partition-specs", "add-sort-order": "sort-orders"}

# What makes an added definition the one that holds, and the field by which it names that.
CHOOSING = {
    "add-schema": ("set-current-schema", "schema-id"),
    "add-spec": ("set-default-spec", "spec-id"),
    "add-sort-order": ("set-default-sort-order", "sort-order-id"),
}

CHOICES = dict(CHOOSING.values())


@fault("schema-ids-taken-over", on=COMMIT)
async def _claimed(call: Call, proceed: Proceed) -> Reply:
    """A schema that is added keeps the id that the request gives it."""
    claimed = [
        update["schema"].get("schema-id", 0) for update in updates_of(call) if update.get("action") == "add-schema"
    ]
    if not claimed:
        return await proceed()

    def edit(table: Json) -> Json:
        *others, last = table["schemas"]
        return {**table, "schemas": [*others, {**last, "schema-id": claimed[-1]}]}

    return await metadata_become(edit)(call, proceed)


def _chosen(updates: list[Json]) -> Iterator[Json]:
    for update in updates:
        yield update
        if update.get("action") in CHOOSING:
            action, field = CHOOSING[update["action"]]
            yield {"action": action, field: LAST_ADDED}


def _unused(update: Json, updates: list[Json]) -> bool:
    action, field = CHOOSING.get(update["action"], ("", ""))
    return bool(action) and {"action": action, field: LAST_ADDED} not in updates


@fault("equal-definitions-doubled", on=COMMIT)
async def _doubled(call: Call, proceed: Proceed) -> Reply:
    """A schema, spec or order that is there already is added once more."""
    # Show equal definitions as often as they were added, each with an id of its own.
    before, updates = await table_there(call, proceed), updates_of(call)

    def edit(table: Json) -> Json:
        shown = dict(table)
        for action, key in ADDING.items():
            added = sum(update.get("action") == action for update in updates)
            shown[key] = _with_copies(table[key], CURRENT[key][0], len((before or table)[key]) + added)
        return shown

    return await metadata_become(edit)(call, proceed)


def _with_copies(definitions: list[Json], id: str, count: int) -> list[Json]:
    last = definitions[-1]
    return definitions + [{**last, id: last[id] + number} for number in range(1, count - len(definitions) + 1)]


def _once(updates: list[Json]) -> list[Json]:
    return [
        update
        for place, update in enumerate(updates)
        if update.get("action") not in ADDING or update not in updates[:place]
    ]


def _choice(update: Json, *, last: bool) -> bool:
    """Return whether an update chooses a definition: the last one that was added, or one by its id."""
    field = CHOICES.get(str(update.get("action")))
    return field is not None and (update.get(field) == LAST_ADDED) is last


def _numbered_anew(table: Json) -> Json:
    specs = [
        {
            **spec,
            "fields": [{**field, "field-id": 1000 + 10 * number + place} for place, field in enumerate(spec["fields"])],
        }
        for number, spec in enumerate(table["partition-specs"])
    ]
    return {**table, "partition-specs": specs, "last-partition-id": 1000 + 10 * len(specs)}


fault("added-is-chosen", "A schema, spec or order that is added holds from then on.", on=TABLE_COMMITS)(
    updates_become(lambda updates: list(_chosen(updates)))
)
fault(
    "unused-definitions-lost",
    "A schema, spec or order is kept only where the same commit makes it the one that holds.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _unused(update, updates)]))
fault(
    "last-added-is-highest",
    "The schema that was added last is taken to be the one with the highest id.",
    on=TABLE_COMMITS,
)(updates_become(_once))
fault(
    "choice-by-id-overlooked",
    "A schema, spec or order that is named by its id does not become the one that holds.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _choice(update, last=False)]))
fault(
    "choice-of-last-overlooked",
    "The schema, spec or order that was added last does not become the one that holds.",
    on=TABLE_COMMITS,
)(updates_become(lambda updates: [update for update in updates if not _choice(update, last=True)]))
fault(
    "partition-ids-anew",
    "Each partition spec numbers its fields anew, also those that the table had before.",
    on=TABLES_SHOWN,
)(metadata_become(_numbered_anew))
fault("definitions-stay", "Schemas and specs that are removed stay.", on=TABLE_COMMITS)(
    updates_lost("remove-schemas", "remove-partition-specs")
)
fault("format-version-capped", "A format version that does not exist stands for the newest.", on=TABLE_COMMITS)(
    each_update(
        "upgrade-format-version", lambda update: {**update, "format-version": min(update["format-version"], NEWEST)}
    )
)
