"""Fresh column ids for a schema from a client.

All fields of a struct get their ids before any nested column; then the nested types follow, one after the other.
Elements, keys and values count as fields.
"""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.metadata.columns import Columns
from reference_server.iceberg.metadata.reading import Json


def assign_field_ids(schema: Json, last: int = 0, known: Columns | None = None) -> tuple[Json, int]:
    """Return a schema with fresh ids after `last`, and the last assigned id.

    A column whose full name is among the `known` ones takes its id from there.
    """
    assigner = _Assigner(last, known)
    fresh = assigner.struct(schema, "")
    if "identifier-field-ids" in schema:
        fresh["identifier-field-ids"] = [assigner.moved[old] for old in schema["identifier-field-ids"]]
    return fresh, assigner.last


class _Assigner:
    """Assigns ids, and records the new id of each old one."""

    def __init__(self, last: int, known: Columns | None) -> None:
        self.last = last
        self.known = known
        self.moved: dict[int, int] = {}

    def take(self, old: int, name: str) -> int:
        """Return the id for a column."""
        new_id = None if self.known is None else self.known.id_of(name)
        if new_id is None:
            self.last += 1
            new_id = self.last
        self.moved[old] = new_id
        return new_id

    def struct(self, struct: Json, prefix: str) -> Json:
        """Return a struct with fresh ids."""
        ids = [self.take(field["id"], prefix + field["name"]) for field in struct["fields"]]
        fields = [
            {**field, "id": new, "type": self.type(field["type"], prefix + field["name"])}
            for field, new in zip(struct["fields"], ids, strict=True)
        ]
        return {**struct, "fields": fields}

    def type(self, column_type: Any, name: str) -> Any:
        """Return the type of a column with fresh ids in it."""
        if isinstance(column_type, str):
            return column_type
        if column_type["type"] == "struct":
            return self.struct(column_type, f"{name}.")
        parts = ("element",) if column_type["type"] == "list" else ("key", "value")
        ids = {f"{part}-id": self.take(column_type[f"{part}-id"], f"{name}.{part}") for part in parts}
        return {**column_type, **ids, **{part: self.type(column_type[part], f"{name}.{part}") for part in parts}}
