"""A merge by hand, on rows as dicts: what MergeInsertIntoTable must leave and tell.

Rows have a key `id` that is unique on each side, and a number `n` that may be None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

Row = dict[str, Any]


class Counts(NamedTuple):
    """How many rows a merge updated, inserted and deleted."""

    updated: int
    inserted: int
    deleted: int


def _above(value: int | None, bound: int | None) -> bool:
    """SQL's `value > bound`, where an unknown outcome picks no row."""
    return value is not None and bound is not None and value > bound


# Conditions as SQL, and what they mean; the empty one is none.
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
        """Return them as query parameters. A merge without a clause may be refused, so then it inserts."""
        return {
            "when_matched_update_all": self.update or None,
            "when_matched_update_all_filt": self.update_filter or None if self.update else None,
            "when_not_matched_insert_all": self.inserts or None,
            "when_not_matched_by_source_delete": self.delete or None,
            "when_not_matched_by_source_delete_filt": self.delete_filter or None if self.delete else None,
        }

    @property
    def inserts(self) -> bool:
        """True when rows that match none are inserted."""
        return self.insert or not (self.update or self.delete)


def merged(target: list[Row], source: list[Row], clauses: Clauses) -> tuple[list[Row], Counts]:
    """Return the rows that a merge leaves, in any order, and its counts."""
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
