"""What requirements on merging start from and look at."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.merge_model import Row

SCHEMA = pa.schema([("id", pa.int64()), ("n", pa.int32()), ("name", pa.string())])
TARGET: list[Row] = [{"id": i, "n": i * 10, "name": f"old {i}"} for i in (1, 2, 3)]
SOURCE: list[Row] = [{"id": i, "n": i * 100, "name": f"new {i}"} for i in (2, 3, 4)]
UPSERT: dict[str, Any] = {"when_matched_update_all": True, "when_not_matched_insert_all": True}


def rows_stream(rows: list[Row], schema: pa.Schema = SCHEMA) -> bytes:
    """Return rows as an Arrow stream."""
    return stream(pa.Table.from_pylist(rows, schema=schema))


def new_target(catalog: LanceCatalog, rows: list[Row] | None = None) -> Names:
    """Create a table of TARGET, or of other rows, and return its identifier."""
    return catalog.new_table_of(pa.Table.from_pylist(TARGET if rows is None else rows, schema=SCHEMA))
