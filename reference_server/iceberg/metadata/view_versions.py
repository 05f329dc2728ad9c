"""Versions of a view: reading and comparing them, and their retention."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import (
    Json,
    integer,
    long,
    objects,
    optional,
    text,
    text_map,
    texts,
)

SQL = "sql"


def read_version(node: Json) -> Json:
    """Return a view version in its stored form. Raises InvalidMetadata for a malformed one."""
    integer(node, "version-id")
    integer(node, "schema-id")
    long(node, "timestamp-ms")
    text_map(node, "summary")
    texts(node, "default-namespace")
    optional(text, node, "default-catalog")
    for representation in objects(node, "representations"):
        if text(representation, "type").lower() == SQL:
            text(representation, "sql")
            text(representation, "dialect")
    return {key: value for key, value in node.items() if value is not None}


def dialects(version: Json) -> set[str]:
    """Return the SQL dialects of a version, in lower case."""
    return set(_dialects(version))


def check_dialects(version: Json) -> None:
    """Raise InvalidMetadata for a version with two texts in the same dialect."""
    for dialect, count in Counter(_dialects(version)).items():
        if count > 1:
            raise InvalidMetadata(f"Invalid view version: Cannot add multiple queries for dialect {dialect}")


def shape_of_version(version: Json) -> str:
    """Return the content of a version without its id and time, equal for versions that differ in nothing else."""
    said = {key: value for key, value in version.items() if key not in ("version-id", "timestamp-ms")}
    return json.dumps(said, sort_keys=True)


def retained(versions: list[Json], current: int, count: int) -> list[Json]:
    """Return the `count` newest versions by id; they always include the current one."""
    if len(versions) <= count:
        return versions
    newest = sorted((version["version-id"] for version in versions if version["version-id"] != current), reverse=True)
    retained = {current, *newest[: count - 1]}
    return [version for version in versions if version["version-id"] in retained]


def retained_log(log: list[Json], versions: Collection[int]) -> list[Json]:
    """Return the end of the log whose versions are all retained: a gap would hide changes."""
    entries: list[Json] = []
    for entry in log:
        entries = [*entries, entry] if entry["version-id"] in versions else []
    return entries


def _dialects(version: Json) -> list[str]:
    return [
        representation["dialect"].lower()
        for representation in version["representations"]
        if representation["type"].lower() == SQL
    ]
