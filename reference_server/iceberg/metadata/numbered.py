"""Index of definitions with ids, by id and by content: a lookup costs the same however many there are."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping

from reference_server.iceberg.metadata.reading import Json

Shape = Callable[[Json], Hashable]
"""Content of a definition without its id: definitions of equal shape are the same."""
Parts = Callable[[Json], Iterable[tuple[Hashable, int]]]
"""Contents of the parts of a definition without their ids, each with its id."""


class Numbered:
    """Index of a growing list of definitions: by id, and by shape or parts once requested."""

    def __init__(self, definitions: Iterable[Json], id_key: str) -> None:
        self._id_key = id_key
        self._shape: Shape | None = None
        self._by_shape: dict[Hashable, int] = {}
        self._parts: Parts | None = None
        self._by_part: dict[Hashable, int] = {}
        self.by_id: dict[int, Json] = {}
        self.highest: int | None = None
        for definition in definitions:
            self.add(definition)

    def add(self, definition: Json) -> None:
        """Add a definition. Of several with one id, or one shape, `by_id` and `same` find the first."""
        number: int = definition[self._id_key]
        self.by_id.setdefault(number, definition)
        self.highest = number if self.highest is None else max(number, self.highest)
        if self._shape is not None:
            self._by_shape.setdefault(self._shape(definition), number)
        self._add_parts(definition)

    def same(self, definition: Json, shape: Shape) -> int | None:
        """Return the id of the first definition of the same shape, None when there is none."""
        if self._shape is None:
            self._shape = shape
            for number, known in self.by_id.items():
                self._by_shape.setdefault(shape(known), number)
        return self._by_shape.get(shape(definition))

    def by_part(self, parts: Parts) -> Mapping[Hashable, int]:
        """Return the ids of the parts of all definitions by content; of equal parts, the highest id."""
        if self._parts is None:
            self._parts = parts
            for known in self.by_id.values():
                self._add_parts(known)
        return self._by_part

    def _add_parts(self, definition: Json) -> None:
        for part, number in self._parts(definition) if self._parts else ():
            self._by_part[part] = max(number, self._by_part.get(part, number))

    def next_id(self, default: int) -> int:
        """Return the id after the highest, or the default where there is none."""
        return default if self.highest is None else self.highest + 1
