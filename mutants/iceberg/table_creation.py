"""Tables created otherwise than requested; creation_refusals.py has those that must be rejected."""

from __future__ import annotations

import uuid
from typing import Any

from mutants.iceberg.blocks import TABLES_SHOWN, metadata_become
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import Call, Proceed, content, fault, request_becomes
from reference_server.iceberg.faults.blocks import performed, refuses_when
from reference_server.iceberg.metadata.reading import Json

CREATE = ["createTable"]
COLUMN_IDS = ("id", "element-id", "key-id", "value-id", "source-id", "last-column-id")
NUMBERED = ("schemas", "schema", "partition-specs", "partition-spec", "sort-orders", "last-column-id")
LAYOUTS = ("partition-spec", "write-order")
USUAL = {"month": "year", "day": "year", "bucket[16]": "bucket[8]"}
SORTED = {"direction": "asc", "null-order": "nulls-first"}
UNSORTED = {"order-id": 1, "fields": []}


def _without(node: Any, name: str) -> Any:
    if isinstance(node, list):
        return [_without(child, name) for child in node]
    if not isinstance(node, dict):
        return node
    return {key: _without(value, name) for key, value in node.items() if key != name}


def _from_zero(node: Any, key: str = "") -> Any:
    if isinstance(node, dict):
        return {name: _from_zero(value, name) for name, value in node.items()}
    if isinstance(node, list):
        return [_from_zero(child, "id" if key == "identifier-field-ids" else "") for child in node]
    return node - 1 if key in COLUMN_IDS else node


def _renumbered(body: Json) -> Json:
    """Let sort keys refer to columns by the rank of their ids, not by the ids."""
    if "write-order" not in body:
        return body
    ids = [field["id"] for field in body["schema"]["fields"]]
    ranks = dict(zip(sorted(ids), ids, strict=True))
    keys = [{**key, "source-id": ranks.get(key["source-id"], 0)} for key in body["write-order"]["fields"]]
    return {**body, "write-order": {**body["write-order"], "fields": keys}}


@fault("uuid-of-name", on=TABLES_SHOWN)
async def _named(call: Call, proceed: Proceed) -> Reply:
    """The UUID of a table follows from its name."""
    name = call.path.get("table") or (content(call) or {}).get("name")
    own = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{call.path['namespace']}/{name}"))
    return await metadata_become(lambda table: {**table, "table-uuid": own})(call, proceed)


@fault("table-forgotten", on=CREATE)
async def _forgotten(call: Call, proceed: Proceed) -> Reply:
    """A creation of a table returns success, but the table does not exist afterwards."""
    reply = await proceed()
    await performed(call, proceed, "dropTable", table=(content(call) or {})["name"])
    return reply


def _outlined(layout: Any) -> Any:
    """Return a spec or an order whose fields have the usual transforms, directions and orders of nulls."""
    fields = layout.get("fields") if isinstance(layout, dict) else None
    if not isinstance(fields, list) or not all(isinstance(part, dict) for part in fields):
        return layout
    kept = [
        {**part, "transform": USUAL.get(str(part.get("transform")), part.get("transform")), **SORTED}
        if "direction" in part
        else {**part, "transform": USUAL.get(str(part.get("transform")), part.get("transform"))}
        for part in fields
    ]
    return {**layout, "fields": kept}


def _of_version_1(body: Json) -> Json:
    return {**body, "properties": {**(body.get("properties") or {}), "format-version": "1"}}


fault("column-docs-lost", "createTable forgets what a schema says of its columns beside names and types.", on=CREATE)(
    request_becomes(lambda body: _without(body, "doc"))
)
fault("column-ids-from-zero", "The ids that columns get begin with 0.", on=TABLES_SHOWN)(
    metadata_become(
        lambda table: {key: _from_zero(table[key], key) if key in NUMBERED else table[key] for key in table}
    )
)
fault("own-ids-required", "createTable asks for the ids of spec and order that it replaces by its own.", on=CREATE)(
    refuses_when(
        lambda call: any(
            name in layout and id not in layout[name]
            for layout in [content(call) or {}]
            for name, id in (("partition-spec", "spec-id"), ("write-order", "order-id"))
        ),
        InvalidInput("Missing field: spec-id"),
    )
)
fault(
    "references-left", "Columns get new ids, but sort keys refer to whatever has the old ones afterwards.", on=CREATE
)(request_becomes(_renumbered))
fault("unsorted-is-one", "A table without a sort order has an empty one with the id 1.", on=TABLES_SHOWN)(
    metadata_become(
        lambda table: (
            table
            if table["default-sort-order-id"]
            else {**table, "default-sort-order-id": 1, "sort-orders": [UNSORTED]}
        )
    )
)
fault("locations-shared", "All tables of a namespace have the same location.", on=[*CREATE, "loadTable"])(
    metadata_become(lambda table: {**table, "location": table["location"].rpartition("/")[0]})
)
fault("properties-polluted", "The format version is kept as a property too.", on=TABLES_SHOWN)(
    metadata_become(
        lambda table: {**table, "properties": {**table["properties"], "format-version": str(table["format-version"])}}
    )
)
fault("tables-of-version-1", "Tables are created in format version 1, whichever is asked for.", on=CREATE)(
    request_becomes(_of_version_1)
)
fault(
    "layout-in-outline",
    "Of spec and order a new table has the columns; transforms and directions are the usual ones.",
    on=CREATE,
)(request_becomes(lambda body: {name: _outlined(body[name]) if name in LAYOUTS else body[name] for name in body}))
