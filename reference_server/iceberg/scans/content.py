"""Files and tasks as JSON, in the form of the document."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from reference_server.iceberg.metadata.columns import Column
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.avro import key
from reference_server.iceberg.scans.expressions import Expression, to_json
from reference_server.iceberg.scans.manifests import DATA, EQUALITY_DELETES, POSITION_DELETES, ListedFile
from reference_server.iceberg.scans.partitions import Spec
from reference_server.iceberg.scans.values import decoded, show_value

EQUALITY_IDS, KEY_METADATA, CONTENT_OFFSET = 135, 131, 144
CONTENT = {DATA: "data", POSITION_DELETES: "position-deletes", EQUALITY_DELETES: "equality-deletes"}
PLAIN_FIELDS = {"split-offsets": 132, "sort-order-id": 140}
DELETE_FIELDS = {"content-offset": CONTENT_OFFSET, "content-size-in-bytes": 145, "referenced-data-file": 143}
COUNTS = {"column-sizes": 108, "value-counts": 109, "null-value-counts": 110, "nan-value-counts": 137}
BOUNDS = {"lower-bounds": 125, "upper-bounds": 128}


BYTES, VALUES = "bytes", "values"
BOUNDS_FORMS = (BYTES, VALUES)


def data_file_json(
    file: ListedFile, spec: Spec, columns: Mapping[int, Column], stats: Collection[int], bounds: str
) -> Json:
    """Return a data file, with the statistics of the columns whose ids are in `stats`.

    `bounds` is the form of their bounds: the bytes of the manifest in hexadecimal, the only form that Java's parser
    reads, or values in the form of the document.
    """
    node = _common(file, spec)
    if file.first_row_id is not None:
        node["first-row-id"] = file.first_row_id
    if stats:
        node |= {name: _counts(file.map(field), stats) for name, field in COUNTS.items() if key(field) in file.raw}
        node |= {name: _bounds(file.map(field), columns, stats, bounds) for name, field in BOUNDS.items()}
    return node


def delete_file_json(file: ListedFile, spec: Spec) -> Json:
    """Return a delete file. The document has no field for the data file of a deletion vector, which clients need."""
    node = _common(file, spec)
    if file.content == EQUALITY_DELETES:
        node["equality-ids"] = file.get(EQUALITY_IDS) or []
        return node
    return node | _present(file, DELETE_FIELDS)


def task_json(data_file: Json, references: Iterable[int], residual: Expression) -> Json:
    """Return the task of reading a data file; `references` are positions in the list of delete files."""
    node: Json = {"data-file": data_file, "residual-filter": to_json(residual)}
    listed = list(references)
    return {**node, "delete-file-references": listed} if listed else node


def _common(file: ListedFile, spec: Spec) -> Json:
    node = {
        "content": CONTENT[file.content],
        "file-path": file.path,
        "file-format": file.format,
        "spec-id": file.spec_id,
        "partition": [show_value(field.type, value) for field, value in zip(spec.fields, file.partition, strict=True)],
        "file-size-in-bytes": file.size,
        "record-count": file.records,
    } | _present(file, PLAIN_FIELDS)
    encryption_key: bytes | None = file.get(KEY_METADATA)
    return node if encryption_key is None else {**node, "key-metadata": encryption_key.hex().upper()}


def _present(file: ListedFile, fields: Mapping[str, int]) -> dict[str, Any]:
    return {name: file.get(field) for name, field in fields.items() if file.get(field) is not None}


def _counts(counts: Mapping[int, int], column_ids: Collection[int]) -> Json:
    return _map({column: count for column, count in counts.items() if column in column_ids})


def _bounds(bounds: Mapping[int, bytes], columns: Mapping[int, Column], column_ids: Collection[int], form: str) -> Json:
    if form == BYTES:
        return _map({column: bound.hex().upper() for column, bound in bounds.items() if column in column_ids})
    known = {column: columns[column].type for column in bounds if column in column_ids and column in columns}
    values = {column: decoded(known[column], bounds[column]) for column in known}
    return _map({column: show_value(known[column], value) for column, value in values.items() if value is not None})


def _map(values: Mapping[int, Any]) -> Json:
    return {"keys": list(values), "values": list(values.values())}
