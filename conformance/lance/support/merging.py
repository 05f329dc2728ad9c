"""Merges: tables and rows to merge, and a reference merge for MergeInsertIntoTable.

Rows of the reference merge are dicts with a key `id`, unique on each side, and a number `n` that may be None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pyarrow as pa

from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream

Row = dict[str, Any]


class Counts(NamedTuple):
    """Numbers of rows that a merge updated, inserted and deleted."""

    updated: int
    inserted: int
    deleted: int


def _above(value: int | None, bound: int | None) -> bool:
    """Evaluate SQL's `value > bound`; False where the outcome is unknown."""
    return value is not None and bound is not None and value > bound


# Filters as SQL and as functions; the empty one is no filter.
UPDATE_FILTERS: dict[str, Callable[[Row, Row], bool]] = {
    "": lambda old, new: True,
    "target.n > 0": lambda old, new: _above(old["n"], 0),
    "source.n > 0": lambda old, new: _above(new["n"], 0),
    "source.n > target.n": lambda old, new: _above(new["n"], old["n"]),
    "target.n IS NULL OR source.id = 2": lambda old, new: old["n"] is None or new["id"] == 2,
}
DELETE_FILTERS: dict[str, Callable[[Row], bool]] = {
    "": lambda old: True,
    "n > 0": lambda old: _above(old["n"], 0),
    "id < 3 AND n IS NOT NULL": lambda old: old["id"] < 3 and old["n"] is not None,
    "false": lambda old: False,
}


@dataclass(frozen=True)
class Clauses:
    """The clauses of a merge; filters are keys of UPDATE_FILTERS and DELETE_FILTERS."""

    update: bool
    update_filter: str
    insert: bool
    delete: bool
    delete_filter: str

    def query(self) -> dict[str, Any]:
        """Return the clauses as query parameters. A server may reject a merge without a clause, so that one inserts."""
        return {
            "when_matched_update_all": self.update or None,
            "when_matched_update_all_filt": self.update_filter or None if self.update else None,
            "when_not_matched_insert_all": self.inserts or None,
            "when_not_matched_by_source_delete": self.delete or None,
            "when_not_matched_by_source_delete_filt": self.delete_filter or None if self.delete else None,
        }

    @property
    def inserts(self) -> bool:
        """True when unmatched source rows are inserted."""
        return self.insert or not (self.update or self.delete)


def merged(target: list[Row], source: list[Row], clauses: Clauses) -> tuple[list[Row], Counts]:
    """Return the rows after a merge, in any order, and its counts."""
    new = {row["id"]: row for row in source}
    old_keys = {row["id"] for row in target}
    left, updated, deleted = [], 0, 0
    for old in target:
        match = new.get(old["id"])
        if match is None and clauses.delete and DELETE_FILTERS[clauses.delete_filter](old):
            deleted += 1
        elif match is not None and clauses.update and UPDATE_FILTERS[clauses.update_filter](old, match):
            updated += 1
            left.append(match)
        else:
            left.append(old)
    inserted = [row for row in source if row["id"] not in old_keys] if clauses.inserts else []
    return left + inserted, Counts(updated, len(inserted), deleted)


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
