"""Updates and requirements of commits as data, with the ids that engines send."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

from conformance.iceberg.support.content import dashed
from conformance.iceberg.support.metadata import Metadata, current_schema, default_order, default_spec

Updates = list[dict[str, Any]]
Ids = Mapping[str, Iterator[int]]
LAST_ADDED = -1
OTHER_UUID = "9c12d441-03fe-4693-9a96-a0705ddf69c1"
FIRST_FIELD = 1000
FIRST_ID = 2  # that is unused: new tables have definitions with the ids 0 and 1
NEXT_ID = 1  # of a server that counts from 0 on
# Things that commits add, by the field of the update; a server may require the ids of some of them, and take -1 for the
# stated id instead of the one that it gives.
COMMITS = {"schema": "schemas in commits", "spec": "specs in commits", "sort-order": "sort orders in commits"}
FIRST_IDS = {"ids spelled out": FIRST_ID, "the next ids spelled out": NEXT_ID}
COMMIT_WAYS = ("without ids that the server gives", *FIRST_IDS)
IDS = {"schema": "schema-id", "spec": "spec-id", "sort-order": "order-id"}
COLUMN_IDS = ("id", "element-id", "key-id", "value-id")
TOUCH: dict[str, Any] = {"action": "set-properties", "updates": {"touched": "1"}}


def update(action: str, **fields: Any) -> dict[str, Any]:
    """Return an update with its action and its fields, with `_` for `-`."""
    return {"action": action, **dashed(fields)}


def requirement(type: str, **fields: Any) -> dict[str, Any]:
    """Return a requirement with its type and its fields, with `_` for `-`."""
    return {"type": type, **dashed(fields)}


CREATE = requirement("assert-create")


def set_properties(**properties: str) -> dict[str, Any]:
    """Return the update that sets these properties."""
    return update("set-properties", updates=properties)


def add_schema(schema: Metadata, **more: Any) -> dict[str, Any]:
    """Return the update that adds a schema."""
    return update("add-schema", schema=schema, **more)


def add_and_use_schema(schema: Metadata) -> list[dict[str, Any]]:
    """Return the updates that add a schema and make it the current one."""
    return [add_schema(schema), update("set-current-schema", schema_id=LAST_ADDED)]


def add_and_use_spec(spec: Metadata) -> list[dict[str, Any]]:
    """Return the updates that add a partition spec and make it the default."""
    return [update("add-spec", spec=spec), update("set-default-spec", spec_id=LAST_ADDED)]


def add_and_use_order(order: Metadata) -> list[dict[str, Any]]:
    """Return the updates that add a sort order and make it the default."""
    added = update("add-sort-order", sort_order=order)
    return [added, update("set-default-sort-order", sort_order_id=LAST_ADDED)]


def fresh_ids(first: Mapping[str, int]) -> Ids:
    """Return iterators of ids for a new table, from the first one on, by the field of an update that adds something."""
    return {part: count(id) for part, id in first.items()}


def with_ids(updates: Any, ids: Ids) -> Any:
    """Return updates in which schemas, specs and orders have the next of these ids, as engines send them.

    Things that `ids` do not list have none. Existing ids and values of other types stay unchanged.
    """
    return _each(lambda update: _with_ids(update, ids), updates) if isinstance(updates, list) else updates


def _with_ids(update: dict[str, Any], ids: Ids) -> dict[str, Any]:
    parts = {part: value for part in ids if isinstance(value := update.get(part), dict)}
    spelled: dict[str, Any] = {part: {IDS[part]: next(ids[part]), **value} for part, value in parts.items()}
    if "spec" in spelled:
        spelled["spec"] = with_field_ids(spelled["spec"])
    last = {"last-column-id": max(_column_ids(parts["schema"]), default=0)} if "schema" in parts else {}
    return {**last, **update, **spelled}


def _column_ids(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        yield from (id for name in COLUMN_IDS if isinstance(id := value.get(name), int))
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _column_ids(inner)


def with_field_ids(spec: Any) -> Any:
    """Return a partition spec with field ids, as engines send it."""
    fields = spec.get("fields") if isinstance(spec, dict) else None
    if not isinstance(fields, list):
        return spec
    ids = count(FIRST_FIELD)
    return {**spec, "fields": _each(lambda field: {"field-id": next(ids), **field}, fields)}


def numbered(field: str, id: int, value: Any) -> Any:
    """Return a spec or an order with this id, unless it has one already or no fields."""
    return {field: id, **value} if isinstance(value, dict) and value.get("fields") else value


def _each(change: Callable[[dict[str, Any]], dict[str, Any]], values: list[Any]) -> list[Any]:
    """Return a list in which each object is replaced and other values stay unchanged."""
    return [change(value) if isinstance(value, dict) else value for value in values]


def set_ref(name: str, snapshot: int, type: str = "branch", **retention: int) -> dict[str, Any]:
    """Return the update that makes a branch or tag point to a snapshot."""
    return update("set-snapshot-ref", ref_name=name, type=type, snapshot_id=snapshot, **retention)


def append(snapshot: Metadata, branch: str = "main") -> list[dict[str, Any]]:
    """Return the updates that add a snapshot and make a branch point to it."""
    return [update("add-snapshot", snapshot=snapshot), set_ref(branch, snapshot["snapshot-id"])]


def creation(staged: Metadata) -> list[dict[str, Any]]:
    """Return the updates that create a table from staged metadata."""
    return [
        update("assign-uuid", uuid=staged["table-uuid"]),
        update("upgrade-format-version", format_version=staged["format-version"]),
        add_schema(current_schema(staged), last_column_id=staged["last-column-id"]),
        update("set-current-schema", schema_id=LAST_ADDED),
        *add_and_use_spec(default_spec(staged)),
        *add_and_use_order(default_order(staged)),
        update("set-location", location=staged["location"]),
        update("set-properties", updates=staged.get("properties") or {}),
    ]


# Fields that contain ids of what a request adds, by operation and field, and the functions that add the ids.
WITH_IDS: dict[tuple[str, str], Callable[[Any, Ids], Any]] = {
    ("createTable", "partition-spec"): lambda spec, ids: (
        numbered("spec-id", 0, with_field_ids(spec)) if "spec" in ids else spec
    ),
    ("createTable", "write-order"): lambda order, ids: numbered("order-id", 1, order) if "sort-order" in ids else order,
    ("updateTable", "updates"): with_ids,
    ("replaceView", "updates"): with_ids,
    ("commitTransaction", "table-changes"): lambda changes, ids: [
        {**change, "updates": with_ids(change.get("updates"), ids)} for change in changes
    ],
}
