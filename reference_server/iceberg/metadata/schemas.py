"""Schemas of tables and views: reading and comparing them, and the updates of a table's list of them."""

from __future__ import annotations

import json
from typing import Any

from reference_server.iceberg.metadata.builder import LAST_ADDED, Builder
from reference_server.iceberg.metadata.columns import Column, Columns
from reference_server.iceberg.metadata.defaults import check_default
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.partition_specs import check_names
from reference_server.iceberg.metadata.reading import Json, boolean, integer, integers, objects, optional, text
from reference_server.iceberg.metadata.types import (
    NESTED,
    SINCE_VERSION,
    canonical_type,
    is_primitive,
    type_name,
)

DEEPEST = 80
"""Maximum levels of nesting: each takes three levels of JSON, of which orjson writes 254."""
DEFAULTS_SINCE_VERSION = 3
DEFAULTS = ("initial-default", "write-default")


def read_schema(node: Json, schema_id: int | None = None) -> Json:
    """Return a schema in its stored form: canonical types, no nulls, and a schema id.

    `schema_id` replaces the client's id. Raises InvalidMetadata for an invalid schema.
    """
    if text(node, "type") != "struct":
        raise InvalidMetadata(f"A schema is a struct, not a {node['type']!r:.100}.")
    if schema_id is None:
        schema_id = optional(integer, node, "schema-id") or 0
    schema = {**_without(node, "identifier-field-ids"), "schema-id": schema_id, "fields": _read_fields(node, 1)}
    identifiers = optional(integers, node, "identifier-field-ids")
    if identifiers:
        schema["identifier-field-ids"] = list(dict.fromkeys(identifiers))
    _check_identifiers(schema, Columns(schema))
    return schema


def shape_of_schema(schema: Json) -> str:
    """Return the content of a schema without its id, equal for schemas that differ in nothing else."""
    said = {**_without(schema, "schema-id"), "identifier-field-ids": sorted(_identifiers(schema))}
    return json.dumps(said, sort_keys=True)


def check_version(schema: Json, format_version: int) -> None:
    """Raise InvalidMetadata for types or defaults that a format version does not have."""
    for column in Columns(schema).by_id.values():
        since = SINCE_VERSION.get(type_name(column.type), 1)
        if since > format_version:
            raise InvalidMetadata(f"{column.name}: the type {column.type} needs format version {since}.")
        if column.field is not None and "initial-default" in column.field and format_version < DEFAULTS_SINCE_VERSION:
            raise InvalidMetadata(f"{column.name}: initial defaults need format version {DEFAULTS_SINCE_VERSION}.")


def add_schema(builder: Builder, schema: Json) -> int:
    """Add a schema under the next id, unless an equal one exists, and return its id.

    The client's id is ignored; the last column id never decreases.
    """
    check_version(schema, builder.version)
    same = builder.same("schemas", "schema-id", schema, shape_of_schema)
    if same is not None:
        builder.last_schema = same
        return same
    new_id: int = max(builder.get("current-schema-id"), builder.numbered("schemas", "schema-id").next_id(0))
    builder.add("schemas", "schema-id", {**schema, "schema-id": new_id})
    builder.put("last-column-id", max(builder.get("last-column-id"), Columns(schema).highest))
    builder.last_schema = new_id
    return new_id


def set_current_schema(builder: Builder, schema_id: int) -> None:
    """Make a schema the current one. Raises InvalidMetadata where names of partition fields clash with it."""
    if schema_id == LAST_ADDED:
        schema_id = builder.last_added(builder.last_schema, "schema")
    if schema_id == builder.get("current-schema-id"):
        return
    columns = Columns(builder.find("schemas", "schema-id", schema_id))
    for spec in builder.get("partition-specs"):
        check_names(spec, columns)
    builder.put("current-schema-id", schema_id)


def remove_schemas(builder: Builder, schema_ids: list[int]) -> None:
    """Remove schemas; unknown ids are ignored. Raises InvalidMetadata for the current one."""
    if builder.get("current-schema-id") in schema_ids:
        raise InvalidMetadata("The current schema cannot be removed.")
    builder.remove("schemas", "schema-id", schema_ids)


def _read_fields(struct: Json, depth: int) -> list[Json]:
    if depth > DEEPEST:
        raise InvalidMetadata(f"The schema is nested more than {DEEPEST} levels deep.")
    return [_read_field(field, depth) for field in objects(struct, "fields")]


def _read_field(field: Json, depth: int) -> Json:
    integer(field, "id")
    name, required = text(field, "name"), boolean(field, "required")
    optional(text, field, "doc")
    column_type = _read_type(field, "type", depth)
    if required and column_type == "unknown":
        raise InvalidMetadata(f"{name:.100}: a required column cannot be of type unknown.")
    for key in DEFAULTS:
        if field.get(key) is not None:
            check_default(column_type, field[key], f"{key} of {name}")
    nulls = [key for key in (*DEFAULTS, "doc") if field.get(key, "") is None]
    return {**_without(field, *nulls), "type": column_type}


def _read_type(node: Json, key: str, depth: int) -> Any:
    written = node.get(key)
    if isinstance(written, str):
        return canonical_type(written)
    if not isinstance(written, dict) or written.get("type") not in NESTED:
        raise InvalidMetadata(f"{key}: {written!r:.100} is not a type.")
    if written["type"] == "struct":
        return {**written, "fields": _read_fields(written, depth + 1)}
    parts = ("element",) if written["type"] == "list" else ("key", "value")
    return {**written, **{part: _read_part(written, part, depth + 1) for part in parts}}


def _read_part(nest: Json, part: str, depth: int) -> Any:
    if depth > DEEPEST:
        raise InvalidMetadata(f"The schema is nested more than {DEEPEST} levels deep.")
    integer(nest, f"{part}-id")
    part_type = _read_type(nest, part, depth)
    if (part == "key" or boolean(nest, f"{part}-required")) and part_type == "unknown":
        raise InvalidMetadata(f"A required {part} cannot be of type unknown.")
    return part_type


def _check_identifiers(schema: Json, columns: Columns) -> None:
    """Check the identifier fields: required primitive columns, no floats, in nothing but required structs."""
    for field_id in schema.get("identifier-field-ids", ()):
        column = columns.by_id.get(field_id)
        if column is None:
            raise InvalidMetadata(f"The identifier field {field_id} does not exist.")
        if not is_primitive(column.type) or not column.required or column.type in ("float", "double"):
            raise InvalidMetadata(f"{column.name}: an identifier field is required, primitive and no float.")
        if not all(_is_required_struct(outer) for outer in columns.ancestors(column)):
            raise InvalidMetadata(f"{column.name}: an identifier field is nested in required structs only.")


def _is_required_struct(column: Column) -> bool:
    return column.required and type_name(column.type) == "struct"


def _identifiers(schema: Json) -> set[int]:
    return set(schema.get("identifier-field-ids", ()))


def _without(node: Json, *keys: str) -> Json:
    return {key: value for key, value in node.items() if key not in keys}
