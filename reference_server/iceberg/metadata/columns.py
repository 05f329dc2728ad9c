"""Columns of a schema, nested ones included, by id and by name.

A nested column is named by its path: `point.x`, `tags.element`, `map.key`. Fields of structs in lists and maps also
have a short name (`points.x` for `points.element.x`), unless another column has that name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json


@dataclass(frozen=True, slots=True)
class Column:
    """A column: a field of a struct, the element of a list, the key or value of a map."""

    id: int
    name: str
    type: Any
    required: bool
    parent: int | None
    field: Json | None
    """The field of the struct, None for elements, keys and values."""


class Columns:
    """All columns of a schema. Raises InvalidMetadata when two share an id or a name."""

    def __init__(self, schema: Json) -> None:
        self.by_id: dict[int, Column] = {}
        self.ids: dict[str, int] = {}
        short: dict[str, int] = {}
        for column, short_name in _walk_struct(schema, "", "", None):
            if column.id in self.by_id:
                raise InvalidMetadata(
                    f"Two columns have the id {column.id}: {self.by_id[column.id].name}, {column.name}."
                )
            if column.name in self.ids:
                raise InvalidMetadata(f"Two columns have the name {column.name!r:.100}.")
            self.by_id[column.id] = column
            self.ids[column.name] = column.id
            short[short_name] = column.id
        self._short_ids = short
        self.highest = max(self.by_id, default=0)

    def id_of(self, name: str) -> int | None:
        """Return the id of the column with a full or a short name."""
        column_id = self.ids.get(name)
        return self._short_ids.get(name) if column_id is None else column_id

    def names(self) -> Iterator[tuple[str, int]]:
        """Yield every full name, then every short one that is no full name, with the id of its column."""
        yield from self.ids.items()
        yield from ((name, column_id) for name, column_id in self._short_ids.items() if name not in self.ids)

    def ancestors(self, column: Column) -> Iterator[Column]:
        """Yield the columns around a column, from the inside out."""
        while column.parent is not None:
            column = self.by_id[column.parent]
            yield column


Walk = Iterator[tuple[Column, str]]


def _walk_struct(struct: Json, prefix: str, short: str, parent: int | None) -> Walk:
    for field in struct["fields"]:
        name, short_name = prefix + field["name"], short + field["name"]
        yield Column(field["id"], name, field["type"], field["required"], parent, field), short_name
        yield from _walk_type(field["type"], name, short_name, field["id"])


def _walk_type(column_type: Any, name: str, short: str, parent: int) -> Walk:
    if isinstance(column_type, str):
        return
    if column_type["type"] == "struct":
        yield from _walk_struct(column_type, f"{name}.", f"{short}.", parent)
    elif column_type["type"] == "list":
        yield from _walk_part(column_type, "element", name, short, parent)
    else:
        yield from _walk_part(column_type, "key", name, short, parent)
        yield from _walk_part(column_type, "value", name, short, parent)


def _walk_part(nest: Json, part: str, name: str, short: str, parent: int) -> Walk:
    part_type = nest[part]
    full = f"{name}.{part}"
    part_id = nest[f"{part}-id"]
    skipped = part != "key" and isinstance(part_type, dict) and part_type["type"] == "struct"
    short_name = short if skipped else f"{short}.{part}"
    yield Column(part_id, full, part_type, nest.get(f"{part}-required", True), parent, None), short_name
    yield from _walk_type(part_type, full, short_name, part_id)
