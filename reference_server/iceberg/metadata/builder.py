"""Builders: the state of metadata while updates are applied.

A field is copied before its first change in a commit, so unchanged fields are shared with the base and an update costs
as much as it changes. Lookups during a commit are indexed: `numbered.py`.
"""

from __future__ import annotations

from collections.abc import Collection
from copy import copy
from typing import Any

from reference_server.iceberg.metadata.columns import Columns
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.numbered import Numbered, Shape
from reference_server.iceberg.metadata.reading import Json, is_int

LAST_ADDED = -1
"""Id in an update for the definition that the same commit added last."""
MAIN = "main"
"""Branch of the table's current state."""


class FieldBuilder:
    """Fields of metadata under construction; `now` is the time of the commit in ms."""

    def __init__(self, fields: Json, now: int) -> None:
        self.fields: Json = dict(fields)
        self.now = now
        self.changed = False
        self._own: set[str] = set()
        self._numbered: dict[str, Numbered] = {}

    def get(self, key: str) -> Any:
        """Return a field that every document has."""
        return self.fields[key]

    def put(self, key: str, value: Any) -> None:
        """Replace a field and count it as a change."""
        self.fields[key] = value
        self.changed = True
        self._own.discard(key)
        self._numbered.pop(key, None)

    def own(self, key: str) -> Any:
        """Return a list or an object for a change in place, and count it as a change."""
        if key not in self._own:
            self.fields[key] = copy(self.fields[key])
            self._own.add(key)
        self.changed = True
        return self.fields[key]

    def drop(self, key: str) -> None:
        """Remove a field and count it as a change."""
        self.fields.pop(key, None)
        self.changed = True

    def numbered(self, key: str, id_key: str) -> Numbered:
        """Return the index of a list of definitions with ids."""
        if key not in self._numbered:
            self._numbered[key] = Numbered(self.fields[key], id_key)
        return self._numbered[key]

    def add(self, key: str, id_key: str, definition: Json) -> None:
        """Add a definition to a list. Raises InvalidMetadata for an id of more than 32 bits."""
        if not is_int(definition[id_key]):
            raise InvalidMetadata(f"There is no {id_key} left for {key}: {definition[id_key]} has more than 32 bits.")
        self.own(key).append(definition)
        self.numbered(key, id_key).add(definition)


class Builder(FieldBuilder):
    """Table metadata under construction, and the effects of the commit so far.

    `base` is None for a table that does not exist yet. -1 stands for `last_schema`, `last_spec` and `last_order`: the
    definition that the commit added last. It counts as added even if the table had an equal one already, since the
    client cannot know the additions of others; iceberg-rust sends the pair, and Java rejects it.
    """

    def __init__(self, base: Json | None, now: int, empty: Json | None = None) -> None:
        super().__init__(empty or {} if base is None else base, now)
        self.base = base
        self.last_schema: int | None = None
        self.last_spec: int | None = None
        self.last_order: int | None = None
        self.added_snapshots: dict[int, Json] = {}
        self.removed_snapshots = False
        self.set_on_main: list[int] = []
        self._snapshots: dict[int, Json] | None = None
        self._columns: tuple[Any, Columns] | None = None

    @property
    def version(self) -> int:
        """The format version."""
        return int(self.fields["format-version"])

    def same(self, key: str, id_key: str, definition: Json, shape: Shape) -> int | None:
        """Return the id of the first definition of a list with the same shape, None when there is none."""
        return self.numbered(key, id_key).same(definition, shape)

    def find(self, key: str, id_key: str, id: int) -> Json:
        """Return the definition of a list by its id. Raises InvalidMetadata when there is none."""
        matching = self.numbered(key, id_key).by_id.get(id)
        if matching is None:
            raise InvalidMetadata(f"There is no {id_key} {id} in {key}.")
        return matching

    def remove(self, key: str, id_key: str, ids: Collection[int]) -> None:
        """Remove the objects with the given ids from a list. Unknown ids are ignored."""
        if ids:
            removed = set(ids)
            self.put(key, [entry for entry in self.fields[key] if entry[id_key] not in removed])

    def last_added(self, last_id: int | None, noun: str) -> int:
        """Return the id that -1 stands for. Raises InvalidMetadata when the commit has added none of this kind."""
        if last_id is None:
            raise InvalidMetadata(f"-1 is the last added {noun}, but this commit has added none.")
        return last_id

    def columns(self) -> Columns:
        """Return the columns of the current schema. Raises InvalidMetadata when there is no schema."""
        schema = self.find("schemas", "schema-id", self.get("current-schema-id"))
        if self._columns is None or self._columns[0] is not schema:
            self._columns = (schema, Columns(schema))
        return self._columns[1]

    def snapshots(self) -> dict[int, Json]:
        """Return the snapshots by id; additions and removals keep this index up to date."""
        if self._snapshots is None:
            self._snapshots = {snapshot["snapshot-id"]: snapshot for snapshot in self.get("snapshots")}
        return self._snapshots

    def touched(self, *keys: str) -> bool:
        """Return whether the commit replaced one of these fields."""
        return self.base is None or any(self.fields.get(key) is not self.base.get(key) for key in keys)
