"""Schemas, partition specs and sort orders of a table, added, chosen and removed carelessly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reference_server.context import Reply
from reference_server.faults import Call, Proceed, content, declare
from reference_server.iceberg.faults.blocks import (
    TABLE_COMMITS,
    TABLES_SHOWN,
    each_update,
    metadata_become,
    table_there,
    updates_become,
    updates_lost,
)
from reference_server.iceberg.metadata.builder import LAST_ADDED
from reference_server.iceberg.metadata.finalize import CURRENT, current_of
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


def _updates(call: Call) -> list[Json]:
    found: list[Json] = (content(call) or {}).get("updates", [])
    return found


async def _claimed(call: Call, proceed: Proceed) -> Reply:
    claimed = [one["schema"].get("schema-id", 0) for one in _updates(call) if one.get("action") == "add-schema"]
    if not claimed:
        return await proceed()

    def edit(table: Json) -> Json:
        *others, last = table["schemas"]
        return {**table, "schemas": [*others, {**last, "schema-id": claimed[-1]}]}

    return await metadata_become(edit)(call, proceed)


declare(
    "schema-ids-taken-over",
    "A schema that is added keeps the id that the request gives it.",
    _claimed,
    kills=["iceberg.update.schema.id"],
    on=COMMIT,
)


def _chosen(updates: list[Json]) -> Iterator[Json]:
    for update in updates:
        yield update
        if update.get("action") in CHOOSING:
            action, field = CHOOSING[update["action"]]
            yield {"action": action, field: LAST_ADDED}


declare(
    "added-is-chosen",
    "A schema, spec or order that is added holds from then on.",
    updates_become(lambda found: list(_chosen(found))),
    kills=["iceberg.update.schema.id", "iceberg.update.spec.id"],
    on=TABLE_COMMITS,
)


def _unused(update: Json, updates: list[Json]) -> bool:
    action, field = CHOOSING.get(update["action"], ("", ""))
    return bool(action) and {"action": action, field: LAST_ADDED} not in updates


declare(
    "unused-definitions-lost",
    "A schema, spec or order is kept only where the same commit makes it the one that holds.",
    updates_become(lambda found: [one for one in found if not _unused(one, found)]),
    kills=[
        "iceberg.update.schema.id",
        "iceberg.update.spec.id",
        "iceberg.update.action.add_schema",
        "iceberg.update.action.add_spec",
        "iceberg.update.action.add_sort_order",
    ],
    on=TABLE_COMMITS,
)


async def _doubled(call: Call, proceed: Proceed) -> Reply:
    """Show equal definitions as often as they were added, each with an id of its own."""
    before, updates = await table_there(call, proceed), _updates(call)

    def edit(table: Json) -> Json:
        shown = dict(table)
        for action, key in ADDING.items():
            added = sum(one.get("action") == action for one in updates)
            shown[key] = _with_copies(table[key], CURRENT[key][0], len((before or table)[key]) + added)
        return shown

    return await metadata_become(edit)(call, proceed)


def _with_copies(found: list[Json], id: str, count: int) -> list[Json]:
    last = found[-1]
    return found + [{**last, id: last[id] + number} for number in range(1, count - len(found) + 1)]


declare(
    "equal-definitions-doubled",
    "A schema, spec or order that is there already is added once more.",
    _doubled,
    kills=["iceberg.update.schema.same", "iceberg.update.spec.same", "iceberg.update.order.id"],
    on=COMMIT,
)


def _once(updates: list[Json]) -> list[Json]:
    return [one for place, one in enumerate(updates) if one.get("action") not in ADDING or one not in updates[:place]]


declare(
    "last-added-is-highest",
    "The schema that was added last is taken to be the one with the highest id.",
    updates_become(_once),
    kills=["iceberg.update.schema.last_added"],
    on=TABLE_COMMITS,
)


def _choice(update: Json, *, last: bool) -> bool:
    """Return whether an update chooses a definition: the last one that was added, or one by its id."""
    field = CHOICES.get(str(update.get("action")))
    return field is not None and (update.get(field) == LAST_ADDED) is last


declare(
    "choice-by-id-overlooked",
    "A schema, spec or order that is named by its id does not become the one that holds.",
    updates_become(lambda found: [one for one in found if not _choice(one, last=False)]),
    kills=[
        "iceberg.update.schema.named",
        "iceberg.update.spec.last_added",
        "iceberg.update.order.last_added",
        "iceberg.update.order.none",
        "iceberg.update.unknown_id.schema",
        "iceberg.update.unknown_id.spec",
        "iceberg.update.unknown_id.order",
        "iceberg.update.action.set_current_schema",
        "iceberg.update.action.set_default_spec",
        "iceberg.update.action.set_default_sort_order",
    ],
    on=TABLE_COMMITS,
)
declare(
    "choice-of-last-overlooked",
    "The schema, spec or order that was added last does not become the one that holds.",
    updates_become(lambda found: [one for one in found if not _choice(one, last=True)]),
    kills=[
        "iceberg.update.*.last_added",
        "iceberg.update.unknown_id.*_none_added",
        "spark.iceberg.column.*",
        "spark.iceberg.order.written",
        "spark.iceberg.partition.*",
        "spark.iceberg.table.replaced-as-select",
    ],
    on=TABLE_COMMITS,
)


def _highest(node: Any) -> int:
    """Return the highest column id in a schema or a part of it."""
    if isinstance(node, list):
        return max(map(_highest, node), default=0)
    if not isinstance(node, dict):
        return 0
    own: list[int] = [node[key] for key in ("id", "element-id", "key-id", "value-id") if key in node]
    return max([0, *own, *map(_highest, node.values())])


declare(
    "column-ids-of-current-schema",
    "The highest column id is that of the current schema alone.",
    metadata_become(lambda table: {**table, "last-column-id": _highest(current_of(table, "schemas"))}),
    kills=["iceberg.update.schema.column_id", "iceberg.update.schema.column_id_stays"],
    on=TABLES_SHOWN,
)


def _numbered_anew(table: Json) -> Json:
    specs = [
        {
            **spec,
            "fields": [{**one, "field-id": 1000 + 10 * number + place} for place, one in enumerate(spec["fields"])],
        }
        for number, spec in enumerate(table["partition-specs"])
    ]
    return {**table, "partition-specs": specs, "last-partition-id": 1000 + 10 * len(specs)}


declare(
    "partition-ids-anew",
    "Each partition spec numbers its fields anew, also those that the table had before.",
    metadata_become(_numbered_anew),
    kills=["iceberg.update.spec.fields"],
    on=TABLES_SHOWN,
)
declare(
    "definitions-stay",
    "Schemas and specs that are removed stay.",
    updates_lost("remove-schemas", "remove-partition-specs"),
    kills=[
        "iceberg.model.commits",
        "iceberg.update.schema.removed",
        "iceberg.update.schema.current_stays",
        "iceberg.update.spec.removed",
        "iceberg.update.spec.default_stays",
        "iceberg.update.action.remove_schemas",
        "iceberg.update.action.remove_partition_specs",
    ],
    on=TABLE_COMMITS,
)
declare(
    "format-version-capped",
    "A format version that does not exist stands for the newest.",
    each_update("upgrade-format-version", lambda one: {**one, "format-version": min(one["format-version"], NEWEST)}),
    kills=["iceberg.update.format.unknown"],
    on=TABLE_COMMITS,
)
