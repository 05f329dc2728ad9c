"""Format versions 1, 2 and 3 of tables: upgrades, and metadata of version 1 as its writers left it.

Version 1 had one schema and one spec at first, later lists, of which parts are missing. The readers of Java, PyIceberg
and iceberg-rust differ here. The required fields of version 1 in the table specification decide (`schema` and
`partition-spec`); for a file with neither, the behavior of most readers does.
"""

from __future__ import annotations

from collections.abc import Iterable

from reference_server.iceberg.metadata.builder import Builder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.finalize import complete_version
from reference_server.iceberg.metadata.partition_specs import read_spec, shape_of_spec
from reference_server.iceberg.metadata.reading import Json, obj, objects, optional
from reference_server.iceberg.metadata.sort_orders import UNSORTED, UNSORTED_ID

OLDEST, DEFAULT, NEWEST = 1, 2, 3
MISSING: tuple[object, ...] = (None, [])


def check_supported(version: int) -> None:
    """Raise InvalidMetadata for an unsupported format version."""
    if not OLDEST <= version <= NEWEST:
        raise InvalidMetadata(f"The format version {version} is not supported; {OLDEST} to {NEWEST} are.")


def upgrade(builder: Builder, version: int) -> None:
    """Move a table to a later format version. Raises InvalidMetadata for an earlier one."""
    check_supported(version)
    if version < builder.version:
        raise InvalidMetadata(f"A table of format version {builder.version} cannot go back to {version}.")
    if version > builder.version:
        builder.put("format-version", version)
        complete_version(builder.fields)


def with_lists(document: Json) -> Json:
    """Return a document with lists of schemas, specs and orders; missing lists get its one schema and spec.

    Without a spec the table is unpartitioned, as in PyIceberg and iceberg-rust. Raises InvalidMetadata without a
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
    """Return a document with the ids of its current schema, spec and order.

    Missing ids are those of `schema` and `partition-spec`; in a file without these, the highest ids, as in
    iceberg-rust. The default order is the unsorted one.
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
