"""Samples of stored objects with every field of the document, and their places in metadata.

`tests/conformance/iceberg/test_stored.py` fails when a revision of the document adds a field that no sample has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import POLICY
from conformance.iceberg.support.content import (
    field,
    partition,
    partition_statistics,
    schema,
    sql,
    statistics,
    view_version,
)
from conformance.iceberg.support.metadata import by_id, current_schema, current_version, default_order, default_spec
from conformance.iceberg.support.staging import Stage, stage
from conformance.iceberg.support.updates import (
    Updates,
    add_and_use_order,
    add_and_use_schema,
    add_and_use_spec,
    append,
    set_properties,
    set_ref,
    update,
)
from conformance.values.outcomes import Unoffered

SNAPSHOT, NEXT_SNAPSHOT = 3001, 3002
ODD_TEXTS = {
    "empty": "",
    "spaces": "  two  words ",
    "lines": "a\nb\ttab",
    "quotes": "\"double\" 'single' \\ back",
    "json": '{"a": [1, null]}',
    "letters": "äß漢字 Привет",
    "number": "007",
    "word": "null",
    "long": "x" * 200,
    "a.key/with signs $%": "kept",
}
PLAIN_TEXTS = {"comment": "what it is for", "a.key": "007"}


@dataclass(frozen=True, slots=True)
class Sample:
    """Object as sent, the updates that store it, and a function that finds it in table metadata.

    `version` is the format version of the table. A `staged` sample needs the snapshot SNAPSHOT and may be built with
    the table's stage. `certain` is False for an object that a server may reject.
    """

    sent: Any
    updates: Callable[[Any], Updates]
    shown: Callable[[dict[str, Any]], Any]
    version: int = 2
    certain: bool = True
    staged: bool = False


STRUCT = {"type": "struct", "fields": [field(11, "x", "float", required=True, doc="inner"), field(12, "y", "fixed[7]")]}
LIST = {"type": "list", "element-id": 13, "element": "double", "element-required": True}
MAP = {"type": "map", "key-id": 14, "key": "string", "value-id": 15, "value": "timestamptz", "value-required": False}
SCHEMA = schema(
    field(1, "id", required=True, doc="the key"),
    field(2, "name", "string", doc=ODD_TEXTS["letters"]),
    field(3, "day", "date"),
    field(4, "place", STRUCT),
    field(5, "prices", LIST),
    field(6, "times", MAP),
    field(7, "code", "uuid"),
    identifier_field_ids=[1],
)
DEFAULTS = schema(
    field(1, "id", required=True),
    field(2, "number", "int", initial_default=7, write_default=-8),
    field(3, "text", "string", initial_default="", write_default=ODD_TEXTS["quotes"]),
    field(4, "flag", "boolean", initial_default=True, write_default=False),
)
SPEC = {
    "fields": [
        partition(2, "first", "bucket[16]"),
        partition(2, "second", "truncate[4]"),
        partition(3, "third", "month"),
        partition(1, "fourth"),
    ]
}
ORDERED = (
    (1, "identity", "asc", "nulls-first"),
    (2, "truncate[3]", "asc", "nulls-last"),
    (3, "year", "desc", "nulls-first"),
    (2, "bucket[8]", "desc", "nulls-last"),
)
ORDER = {
    "fields": [
        {"source-id": source, "transform": transform, "direction": direction, "null-order": nulls}
        for source, transform, direction, nulls in ORDERED
    ]
}
BRANCH = {
    "type": "branch",
    "snapshot-id": SNAPSHOT,
    "min-snapshots-to-keep": 3,
    "max-snapshot-age-ms": 86_400_001,
    "max-ref-age-ms": 172_800_003,
}
TAG = {"type": "tag", "snapshot-id": SNAPSHOT, "max-ref-age-ms": 9_007_199_254_740_993}
KEY = {
    "key-id": "k7",
    "encrypted-key-metadata": "c2VjcmV0",
    "encrypted-by-id": "k6",
    "properties": {"odd": ODD_TEXTS["quotes"]},
}


def _snapshot(files: Stage) -> dict[str, Any]:
    """Return a snapshot whose parent is SNAPSHOT."""
    summary = {"operation": "overwrite", **ODD_TEXTS}
    return files.snapshot(NEXT_SNAPSHOT, 2, parent=SNAPSHOT, summary=summary)


def _row_lineage(files: Stage) -> dict[str, Any]:
    """Return a snapshot of format version 3, with first-row-id and added-rows."""
    return files.snapshot(NEXT_SNAPSHOT, 2, parent=SNAPSHOT, first_row_id=0, added_rows=0)


def _statistics(files: Stage) -> dict[str, Any]:
    record = statistics(files.location, SNAPSHOT)
    blobs = [{**blob, "properties": {"ndv": "12", **ODD_TEXTS}} for blob in record["blob-metadata"]]
    return {**record, "blob-metadata": blobs}


def _ref(name: str, body: dict[str, Any]) -> Updates:
    retention = {key.replace("-", "_"): value for key, value in body.items() if key not in ("type", "snapshot-id")}
    return [set_ref(name, body["snapshot-id"], body["type"], **retention)]


def _of_snapshot(key: str) -> Callable[[dict[str, Any]], Any]:
    return lambda metadata: by_id(metadata.get(key) or [], "snapshot-id", SNAPSHOT)


SAMPLES: dict[str, Sample] = {
    "schema": Sample(SCHEMA, add_and_use_schema, current_schema),
    "defaults": Sample(DEFAULTS, add_and_use_schema, current_schema, version=3, certain=False),
    "spec": Sample(SPEC, add_and_use_spec, default_spec),
    "order": Sample(ORDER, add_and_use_order, default_order),
    "properties": Sample(
        ODD_TEXTS, lambda sent: [set_properties(**sent)], lambda metadata: metadata["properties"], certain=False
    ),
    "snapshot": Sample(
        _snapshot, append, lambda metadata: by_id(metadata["snapshots"], "snapshot-id", NEXT_SNAPSHOT), staged=True
    ),
    "row_lineage": Sample(
        _row_lineage,
        append,
        lambda metadata: by_id(metadata["snapshots"], "snapshot-id", NEXT_SNAPSHOT),
        version=3,
        certain=False,
        staged=True,
    ),
    "branch": Sample(
        BRANCH, lambda sent: _ref("audit", sent), lambda metadata: metadata["refs"].get("audit"), staged=True
    ),
    "tag": Sample(TAG, lambda sent: _ref("v1", sent), lambda metadata: metadata["refs"].get("v1"), staged=True),
    "statistics": Sample(
        _statistics,
        lambda sent: [update("set-statistics", snapshot_id=SNAPSHOT, statistics=sent)],
        _of_snapshot("statistics"),
        certain=False,
        staged=True,
    ),
    "partition_statistics": Sample(
        lambda files: partition_statistics(files.location, SNAPSHOT),
        lambda sent: [update("set-partition-statistics", partition_statistics=sent)],
        _of_snapshot("partition-statistics"),
        certain=False,
        staged=True,
    ),
    "encryption_key": Sample(
        KEY,
        lambda sent: [update("add-encryption-key", encryption_key=sent)],
        lambda metadata: by_id(metadata.get("encryption-keys") or [], "key-id", KEY["key-id"]),
        version=3,
        certain=False,
    ),
}


def prepare(catalog: IcebergCatalog, sample: Sample, name: str = "t") -> tuple[Names, Any]:
    """Create a table for a sample and return it with the object to send."""
    catalog.revision.require_format_version(sample.version)
    id = catalog.new_table(name, properties={"format-version": str(sample.version)})
    if not sample.staged:
        return id, sample.sent
    with catalog.client.preparing():
        files = stage(catalog, id)
        rows = {"first_row_id": 0, "added_rows": 0} if sample.version == 3 else {}
        catalog.update_table(id, append(files.snapshot(SNAPSHOT, 1, **rows)))
    return id, sample.sent(files) if callable(sample.sent) else sample.sent


@dataclass(frozen=True, slots=True)
class StoredLayout:
    """Partition spec or sort order of a new table: the argument of createTable, and a lookup in metadata."""

    id: str
    argument: str
    sent: dict[str, Any]
    shown: Callable[[dict[str, Any]], Any]


LAYOUTS = {
    "spec": StoredLayout("partition spec", "partition_spec", {"spec-id": 0, **SPEC}, default_spec),
    "order": StoredLayout("sort order", "write_order", {"order-id": 1, **ORDER}, default_order),
}
SAID = ("name", "transform", "direction", "null-order")


def by_names(layout: dict[str, Any], metadata: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the fields of a spec or a sort order with column names instead of ids.

    The columns are those of the metadata, or of SCHEMA for empty metadata.
    """
    columns = (current_schema(metadata) if metadata else SCHEMA)["fields"]
    names = {column["id"]: column["name"] for column in columns}
    return [
        {key: part.get(key) for key in SAID if key in part} | {"column": names.get(part["source-id"])}
        for part in layout["fields"]
    ]


def allowed_creation(catalog: IcebergCatalog, id: Names, **body: Any) -> Answer:
    """Create a table of SCHEMA with a body that a server may reject. Raises Unoffered when it does."""
    made = catalog.create_table(id, schema=SCHEMA, expect=(200, *POLICY), **body)
    if not made.succeeded:
        raise Unoffered("the server makes no such table")
    return made


VIEW_SCHEMA = schema(*SCHEMA["fields"][:6])


def full_view(namespace: Names, summary: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the body that creates a view with every field of the document except name and location."""
    texts = sql(f"SELECT 1 -- {ODD_TEXTS['quotes']}"), sql("SELECT\n 2", "trino")
    version = {
        **view_version(namespace, *texts),
        "summary": {"engine-name": "lakeproof", **(summary or {})},
        "default-catalog": "elsewhere",
    }
    return {"schema": {**VIEW_SCHEMA, "schema-id": 0}, "view_version": version, "properties": PLAIN_TEXTS}


@dataclass(frozen=True, slots=True)
class ViewPart:
    """Part of the body that creates a view, and a function that finds it in view metadata."""

    sent: Callable[[dict[str, Any]], Any]
    shown: Callable[[dict[str, Any]], Any]


def _of_version(version: dict[str, Any]) -> dict[str, Any]:
    return {key: version[key] for key in ("representations", "default-catalog", "default-namespace")}


def _view_schema(metadata: dict[str, Any]) -> dict[str, Any]:
    return by_id(metadata["schemas"], "schema-id", current_version(metadata)["schema-id"])


VIEW_PARTS = {
    "schema": ViewPart(lambda _: VIEW_SCHEMA, _view_schema),
    "properties": ViewPart(lambda body: body["properties"], lambda metadata: metadata.get("properties")),
    "version": ViewPart(lambda body: _of_version(body["view_version"]), current_version),
}
