"""What requirements put into tables and views: schemas, specs, orders, view versions."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any


def now_ms() -> int:
    """Return the time in milliseconds, as metadata hold it."""
    return time.time_ns() // 1_000_000


def field(id: int, name: str, type: Any = "long", *, required: bool = False, **more: Any) -> dict[str, Any]:
    """Return a column or a nested field; `more` are its further fields, with `_` for `-`."""
    return {"id": id, "name": name, "type": type, "required": required, **_dashed(more)}


def schema(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a schema; `more` are `schema_id` and `identifier_field_ids`."""
    return {"type": "struct", "fields": list(fields), **_dashed(more)}


def partition(source: int, name: str, transform: str = "identity", **more: Any) -> dict[str, Any]:
    """Return a field of a partition spec."""
    return {"source-id": source, "name": name, "transform": transform, **_dashed(more)}


def spec(*fields: dict[str, Any], id: int = 0) -> dict[str, Any]:
    """Return a partition spec."""
    return {"spec-id": id, "fields": list(fields)}


def sort_field(source: int, transform: str = "identity", direction: str = "asc") -> dict[str, Any]:
    """Return a field of a sort order."""
    nulls = "nulls-first" if direction == "asc" else "nulls-last"
    return {"source-id": source, "transform": transform, "direction": direction, "null-order": nulls}


def order(*fields: dict[str, Any], id: int = 1) -> dict[str, Any]:
    """Return a sort order."""
    return {"order-id": id if fields else 0, "fields": list(fields)}


def _dashed(fields: dict[str, Any]) -> dict[str, Any]:
    return {key.replace("_", "-"): value for key, value in fields.items()}


# The ids are those that a server gives: some take the ids of the request over, and both are allowed here.
SCHEMA = schema(field(1, "id", required=True), field(2, "name", "string"), field(3, "day", "date"))
WIDER = schema(*SCHEMA["fields"], field(4, "extra", "double"))
NESTED_SCHEMA = schema(
    field(1, "id", required=True, doc="the key"),
    field(2, "place", {"type": "struct", "fields": [field(5, "x", "float", required=True), field(6, "y", "float")]}),
    field(3, "tags", {"type": "list", "element-id": 7, "element": "string", "element-required": False}),
    field(
        4,
        "counts",
        {"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value": "int", "value-required": True},
    ),
)
VIEW_SCHEMA = schema(field(1, "id"), field(2, "name", "string"))


def sql(text: str = "SELECT id, name FROM t", dialect: str = "spark") -> dict[str, Any]:
    """Return a view's text in one dialect."""
    return {"type": "sql", "sql": text, "dialect": dialect}


def view_version(namespace: Sequence[str], *texts: dict[str, Any], id: int = 1, schema_id: int = 0) -> dict[str, Any]:
    """Return a version of a view."""
    return {
        "version-id": id,
        "timestamp-ms": now_ms(),
        "schema-id": schema_id,
        "summary": {"engine-name": "lakeproof"},
        "representations": list(texts or (sql(),)),
        "default-namespace": list(namespace),
    }


def view_body(namespace: Sequence[str], *texts: dict[str, Any]) -> dict[str, Any]:
    """Return the body that creates a view, but for its name."""
    return {
        "schema": {**VIEW_SCHEMA, "schema-id": 0},
        "view-version": view_version(namespace, *texts),
        "properties": {},
    }
