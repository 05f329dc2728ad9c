"""Schemas that the table specification allows: a server may mend an invalid one, but not store it.

`mended` accepts a table with the requested columns and a valid schema. Ids, identifier fields and defaults may differ
from the request: a server may assign, drop or add them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from conformance.author.checks import equal
from conformance.iceberg.support.metadata import Metadata, current_schema, field_ids

NEWER_TYPES = re.compile(r"timestamp_ns|timestamptz_ns|unknown|variant|geometry(\(.*\))?|geography(\(.*\))?")
TYPES = re.compile(
    r"boolean|int|long|float|double|date|time|timestamp|timestamptz|string|uuid|binary|fixed\[\d+\]"
    r"|decimal\(\s*([1-9]|[12]\d|3[0-8])\s*,\s*\d+\s*\)"
)
DEFAULTS = ("initial-default", "write-default")
WITH_NEWER_TYPES = 3  # the format version


def mended(metadata: Metadata, wanted: Metadata) -> None:
    """Check that a table, created or changed by a request with an invalid schema, has its columns and a valid schema.

    `wanted` is the schema of the request, without nested types.
    """
    stored = current_schema(metadata)
    equal(_columns(stored), _columns(wanted), "the columns of the table")
    equal(list(_defects(stored, metadata["format-version"])), [], "the defects of the stored schema")


def _columns(schema: Metadata) -> list[list[str]]:
    """Return names and types of columns; blanks in a type mean nothing."""
    return [[column["name"], str(column["type"]).replace(" ", "")] for column in schema["fields"]]


def _defects(schema: Metadata, version: int) -> Iterator[str]:
    fields: list[dict[str, Any]] = schema["fields"]
    names, ids = [field["name"] for field in fields], list(field_ids(schema))
    yield from (f"two columns are named {name}" for name in sorted(set(names)) if names.count(name) > 1)
    yield from (f"two fields have the id {id}" for id in sorted(set(ids)) if ids.count(id) > 1)
    for field in fields:
        newer = version >= WITH_NEWER_TYPES
        kind = str(field["type"])
        if not (TYPES.fullmatch(kind) or (newer and NEWER_TYPES.fullmatch(kind))):
            yield f"format version {version} has no type {kind}"
        if not newer and any(field.get(name) is not None for name in DEFAULTS):
            yield f"format version {version} has no default values"
    required = {field["id"] for field in fields if field.get("required")}
    yield from (f"{id} is no required column" for id in schema.get("identifier-field-ids") or () if id not in required)
