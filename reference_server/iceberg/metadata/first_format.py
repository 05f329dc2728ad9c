"""Format version 1 as its writers left it: one schema and one spec at first, later lists, of which parts are missing.

The readers of Java, PyIceberg and iceberg-rust differ here. What the table specification requires of version 1 decides,
`schema` and `partition-spec`; where a file has neither, what most of the readers take.
"""

from __future__ import annotations

from collections.abc import Iterable

from reference_server.iceberg.metadata.partition_specs import read_spec, shape_of_spec
from reference_server.iceberg.metadata.reading import Json, obj, objects, optional
from reference_server.iceberg.metadata.sort_orders import UNSORTED, UNSORTED_ID

MISSING: tuple[object, ...] = (None, [])


def with_lists(document: Json) -> Json:
    """Return a document with lists of schemas, specs and orders: of its one schema and spec where they are missing.

    Without any spec the table is unpartitioned, as in PyIceberg and iceberg-rust. Raises InvalidMetadata without any
    schema.
    """
    lists: Json = {}
    if document.get("schemas") in MISSING:
        schema = obj(document, "schema")
        lists |= {"schemas": [schema], "current-schema-id": schema.get("schema-id") or 0}
    if document.get("partition-specs") in MISSING:
        lists |= {"partition-specs": [{"spec-id": 0, "fields": _fields(document)}], "default-spec-id": 0}
    if document.get("sort-orders") in MISSING:
        lists |= {"sort-orders": [UNSORTED], "default-sort-order-id": UNSORTED_ID}
    return {**document, **lists}


def with_current(document: Json, schemas: Iterable[Json], specs: Iterable[Json]) -> Json:
    """Return a document that says which of its schemas, specs and orders hold.

    Where it does not, `schema` and `partition-spec` show the current ones; in a file without them it is the one with
    the highest id, as in iceberg-rust. No default order means the unsorted one.
    """
    schema_ids = [schema["schema-id"] for schema in schemas]
    spec_shapes = {spec["spec-id"]: shape_of_spec(spec) for spec in specs}
    shown = (optional(obj, document, "schema") or {}).get("schema-id")
    current: Json = {"default-sort-order-id": UNSORTED_ID}
    current["current-schema-id"] = shown if shown in schema_ids else max(schema_ids)
    if document.get("default-spec-id") is None:
        shape = shape_of_spec(read_spec({"fields": _fields(document)}))
        current["default-spec-id"] = max([id for id, known in spec_shapes.items() if known == shape] or spec_shapes)
    return current | {key: value for key, value in document.items() if value is not None}


def _fields(document: Json) -> list[Json]:
    return optional(objects, document, "partition-spec") or []
