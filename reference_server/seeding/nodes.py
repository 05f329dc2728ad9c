"""Places of a seed: values with their JSON pointer, so that every error names its place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from specs.problems import Problem, did_you_mean

LONGEST = 200


@dataclass(frozen=True, slots=True)
class Node:
    """A value of a seed and its JSON pointer."""

    value: Any
    place: str = ""

    def problem(self, message: str, hint: str = "") -> Problem:
        """Return the error of this place; `message` is a sentence without its end."""
        return Problem(f"The seed is invalid at {self.place or 'its top'}: {message.rstrip('.')}.", hint)

    def _mapping(self) -> dict[str, Any]:
        value = {} if self.value is None else self.value
        if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
            raise self.problem(f"expected a mapping of names, got {self.shown}")
        return value

    def entries(self) -> list[tuple[str, Node]]:
        """Return the names and values of a mapping; none where there is no value. Raises Problem for another value."""
        return [(name, Node(value, f"{self.place}/{name}")) for name, value in self._mapping().items()]

    def fields(self, *known: str) -> dict[str, Node]:
        """Return the fields of a mapping. Raises Problem for an unknown field and for another value."""
        for name in self._mapping():
            if name not in known:
                raise self.problem(f"there is no field {name!r}", did_you_mean(name, known))
        return dict(self.entries())

    def items(self) -> list[Node]:
        """Return the items of a list; none where there is no value. Raises Problem for another value."""
        value = [] if self.value is None else self.value
        if not isinstance(value, list):
            raise self.problem(f"expected a list, got {self.shown}")
        return [Node(item, f"{self.place}/{index}") for index, item in enumerate(value)]

    def named(self) -> list[tuple[str, Node]]:
        """Return the names of a list, each without a value, or the entries of a mapping. Raises Problem."""
        if isinstance(self.value, list):
            return [(item.text, Node(None, item.place)) for item in self.items()]
        return self.entries()

    @property
    def texts(self) -> dict[str, str]:
        """The texts of a mapping by their names. Raises Problem for another value."""
        return {name: value.text for name, value in self.entries()}

    @property
    def text(self) -> str:
        """The value as text. Raises Problem for another value."""
        if not isinstance(self.value, str) or not self.value:
            raise self.problem(f"expected text, got {self.shown}")
        return self.value

    @property
    def shown(self) -> str:
        """The value for a message."""
        text = repr(self.value)
        return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."

    def path(self, name: str) -> tuple[str, ...]:
        """Return the parts of a name, `a.b` or, with dots in its parts, `["a.b", "c"]`. Raises Problem."""
        parts: Any = name.split(".")
        if name.startswith("["):
            try:
                parts = orjson.loads(name)
            except orjson.JSONDecodeError:
                parts = []
        if not parts or not all(isinstance(part, str) and part for part in parts):
            raise self.problem(f"the name {name!r:.200} has an empty part", 'Write a.b, or ["a.b", "c"].')
        return tuple(parts)


def commits_of(table: Mapping[str, Node]) -> list[Node]:
    """Return the lists of rows of a table, one for each commit: those of `commits`, and then `rows`. Raises Problem."""
    commits = table["commits"].items() if "commits" in table else []
    return commits + ([table["rows"]] if "rows" in table else [])
