"""Sort orders: reading and comparing them, and the updates of a table's list of them."""

from __future__ import annotations

from reference_server.iceberg.metadata.builder import LAST_ADDED, Builder
from reference_server.iceberg.metadata.columns import Columns
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, integer, objects, optional, text
from reference_server.iceberg.metadata.transforms import canonical_transform, takes, with_source

UNSORTED_ID = 0
FIRST_ID = 1
UNSORTED: Json = {"order-id": UNSORTED_ID, "fields": []}
DIRECTIONS = ("asc", "desc")
NULL_ORDERS = ("nulls-first", "nulls-last")


def read_order(node: Json) -> Json:
    """Return a sort order in its stored form; a missing id becomes 0 for the unsorted order, else 1.

    Raises InvalidMetadata for an invalid sort order, and for the id 0 on a sorted one.
    """
    fields = [_read_field(field) for field in objects(node, "fields")]
    order_id = optional(integer, node, "order-id")
    if order_id is None:
        order_id = FIRST_ID if fields else UNSORTED_ID
    if (order_id == UNSORTED_ID) != (not fields):
        raise InvalidMetadata(f"The order id {UNSORTED_ID} is reserved for the unsorted order.")
    return {**node, "order-id": order_id, "fields": fields}


def shape_of_order(order: Json) -> tuple[tuple[str, int, str, str], ...]:
    """Return the fields of an order, without its id."""
    return tuple(
        (field["transform"], field["source-id"], field["direction"], field["null-order"]) for field in order["fields"]
    )


def check_order(order: Json, columns: Columns) -> None:
    """Raise InvalidMetadata unless every field of an order can be computed from the columns."""
    for field in order["fields"]:
        source = columns.by_id.get(field["source-id"])
        if source is None:
            raise InvalidMetadata(f"A sort field has no source: there is no column {field['source-id']}.")
        if not takes(field["transform"], source.type):
            raise InvalidMetadata(f"A sort field cannot be {field['transform']} of {source.name}.")


def add_order(builder: Builder, order: Json) -> int:
    """Add a sort order under the next id, unless an equal one exists, and return its id."""
    if order["fields"]:
        check_order(order, builder.columns())
    same = builder.same("sort-orders", "order-id", order, shape_of_order)
    if same is not None:
        builder.last_order = same
        return same
    new_id = UNSORTED_ID
    if order["fields"]:
        new_id = builder.numbered("sort-orders", "order-id").next_id(FIRST_ID)
    builder.add("sort-orders", "order-id", {**order, "order-id": new_id})
    builder.last_order = new_id
    return new_id


def set_default_order(builder: Builder, order_id: int) -> None:
    """Make a sort order the default one for new data."""
    if order_id == LAST_ADDED:
        order_id = builder.last_added(builder.last_order, "sort order")
    if order_id != builder.get("default-sort-order-id"):
        builder.find("sort-orders", "order-id", order_id)
        builder.put("default-sort-order-id", order_id)


def _read_field(field: Json) -> Json:
    return {
        **with_source(field),
        "transform": canonical_transform(text(field, "transform")),
        "direction": _choice(field, "direction", DIRECTIONS),
        "null-order": _choice(field, "null-order", NULL_ORDERS),
    }


def _choice(node: Json, key: str, choices: tuple[str, ...]) -> str:
    choice = text(node, key).lower()
    if choice not in choices:
        raise InvalidMetadata(f"{key} must be {' or '.join(choices)}, not {node[key]!r:.100}.")
    return choice
