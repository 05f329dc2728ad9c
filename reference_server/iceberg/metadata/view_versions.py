"""Versions of a view: reading them, comparing them, and how many are kept."""

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
    """Return a view version as metadata keep it. Raises InvalidMetadata for a malformed one."""
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
    """Return the SQL dialects that a version is written in, in lower case."""
    return set(_dialects(version))


def check_dialects(version: Json) -> None:
    """Raise InvalidMetadata when a version has two texts in the same dialect."""
    for dialect, count in Counter(_dialects(version)).items():
        if count > 1:
            raise InvalidMetadata(f"Invalid view version: Cannot add multiple queries for dialect {dialect}")


def shape_of_version(version: Json) -> str:
    """Return all that a version says but its id and time: the same for two that differ in nothing else."""
    said = {key: value for key, value in version.items() if key not in ("version-id", "timestamp-ms")}
    return json.dumps(said, sort_keys=True)


def retained(versions: list[Json], current: int, count: int) -> list[Json]:
    """Return the `count` newest versions by id; the current one is always among them."""
    if len(versions) <= count:
        return versions
    newest = sorted((version["version-id"] for version in versions if version["version-id"] != current), reverse=True)
    retained = {current, *newest[: count - 1]}
    return [version for version in versions if version["version-id"] in retained]


def retained_log(log: list[Json], versions: Collection[int]) -> list[Json]:
    """Return the log from where on all its versions are kept: a gap would be read as if nothing had happened."""
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
