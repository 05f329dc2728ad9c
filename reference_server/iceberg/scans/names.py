"""Lookup of columns by the names of a request: `point.x`, `tags.element`, `map.key`, case-sensitive or not."""

from __future__ import annotations

from collections.abc import Iterable

from reference_server.errors import InvalidInput
from reference_server.iceberg.metadata.columns import Column, Columns
from reference_server.iceberg.metadata.types import type_name

OF_ROWS = frozenset({"_file", "_pos", "_spec_id", "_partition", "_deleted", "_row_id", "_last_updated_sequence_number"})
"""Columns that readers add to every table; a client may select them."""


class ColumnNames:
    """The columns of a schema, by name."""

    def __init__(self, columns: Columns, *, case_sensitive: bool) -> None:
        self._columns = columns
        self._folded: dict[str, list[int]] | None = None if case_sensitive else {}
        if self._folded is not None:
            for name, column_id in columns.names():
                self._folded.setdefault(name.lower(), []).append(column_id)

    def find(self, name: str) -> Column:
        """Return the column with this name for a filter.

        Raises InvalidInput for an unknown or ambiguous name, and for a column in a list or a map, which has many values
        in a row.
        """
        return self._single(self._columns.by_id[self._id(name)])

    def by_id(self, column_id: int) -> Column:
        """Return the column with this id. Raises the errors of `find`."""
        column = self._columns.by_id.get(column_id)
        if column is None:
            raise InvalidInput(f"There is no column with the id {column_id}.")
        return self._single(column)

    def is_required(self, column: Column) -> bool:
        """Return whether a column never holds null: neither it nor a struct around it is optional."""
        return column.required and all(outer.required for outer in self._columns.ancestors(column))

    def check(self, selected: Iterable[str]) -> None:
        """Raise InvalidInput for an unknown name."""
        for name in selected:
            if name not in OF_ROWS:
                self._id(name)

    def ids_below(self, names: Iterable[str]) -> frozenset[int]:
        """Return the ids of columns and of all columns nested in them. Raises InvalidInput for an unknown name."""
        selected = {self._id(name) for name in names}
        columns = self._columns
        below = (
            column.id
            for column in columns.by_id.values()
            if selected.intersection([column.id, *(outer.id for outer in columns.ancestors(column))])
        )
        return frozenset(below)

    def _id(self, name: str) -> int:
        if self._folded is None:
            column_id = self._columns.id_of(name)
            candidates = [] if column_id is None else [column_id]
        else:
            candidates = list(dict.fromkeys(self._folded.get(name.lower(), ())))
        if len(candidates) == 1:
            return candidates[0]
        problem = "Several columns are" if candidates else "No column is"
        raise InvalidInput(f"{problem} named {name!r:.100}.")

    def _single(self, column: Column) -> Column:
        if any(type_name(outer.type) != "struct" for outer in self._columns.ancestors(column)):
            raise InvalidInput(f"{column.name!r:.100} is in a list or a map; a filter tests single values.")
        return column
