"""Rows of a table: a model, the history of a race by row, and invalid predicates.

In the model a row is an id and a number. Every change creates a version with the rows and indices of that moment.
Each method runs one command on the model and returns the expected outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from conformance.history import READ, Event, Key
from conformance.history.registers import SET

BAD_PREDICATES = {
    "syntax": "(((",
    "column": "nowhere > 1",
    "type": "id = 'text'",
    "value": "id",
    "leftover": "id >= 1 AN name = 'row 1'",
    "statement": "id >= 1; DROP TABLE t",
}
Outcome = tuple[int, int | None]  # a status, with the code of an error
OK: Outcome = (200, None)
INDEX_MISSING: Outcome = (404, 6)
INDEX_EXISTS: Outcome = (409, 7)
TAG_MISSING: Outcome = (404, 8)
TAG_EXISTS: Outcome = (409, 9)
COUNTER = 0  # the id of the row whose number is incremented
REGISTERS = (-1, -2)  # the ids of the rows whose number is overwritten

Rows = dict[int, int]


@dataclass(frozen=True)
class Version:
    """The rows and indices of a version."""

    rows: Rows
    indices: frozenset[str] = frozenset()


@dataclass
class RowModel:
    """One table. `versions` has the versions by number, oldest first; `tags` the version of each tag."""

    versions: dict[int, Version] = field(default_factory=dict)
    tags: dict[str, int] = field(default_factory=dict)

    @property
    def latest(self) -> Version:
        """The latest version."""
        return self.versions[max(self.versions)]

    def insert(self, rows: Rows) -> Version:
        """Run InsertIntoTable in mode Append with ids that the table lacks."""
        return self._with_rows({**self.latest.rows, **rows})

    def merge(self, rows: Rows) -> Version:
        """Run MergeInsertIntoTable that updates matching rows and inserts the others."""
        return self._with_rows({**self.latest.rows, **rows})

    def update(self, bound: int, addend: int) -> Version:
        """Run UpdateTable that adds to the number of rows with an id of at least `bound`."""
        return self._with_rows({id: n + addend * (id >= bound) for id, n in self.latest.rows.items()})

    def delete(self, bound: int) -> Version:
        """Run DeleteFromTable on the rows with an id below `bound`."""
        return self._with_rows({id: n for id, n in self.latest.rows.items() if id >= bound})

    def restore(self, version: int) -> Version:
        """Run RestoreTable."""
        return self.versions[version]

    def create_index(self, name: str) -> tuple[Outcome, Version]:
        """Run CreateTableScalarIndex."""
        before = self.latest
        if name in before.indices:
            return INDEX_EXISTS, before
        return OK, Version(before.rows, before.indices | {name})

    def drop_index(self, name: str) -> tuple[Outcome, Version]:
        """Run DropTableIndex."""
        before = self.latest
        if name not in before.indices:
            return INDEX_MISSING, before
        return OK, Version(before.rows, before.indices - {name})

    def create_tag(self, name: str, version: int) -> Outcome:
        """Run CreateTableTag."""
        if name in self.tags:
            return TAG_EXISTS
        self.tags[name] = version
        return OK

    def update_tag(self, name: str, version: int) -> Outcome:
        """Run UpdateTableTag."""
        if name not in self.tags:
            return TAG_MISSING
        self.tags[name] = version
        return OK

    def delete_tag(self, name: str) -> Outcome:
        """Run DeleteTableTag."""
        return OK if self.tags.pop(name, None) is not None else TAG_MISSING

    def _with_rows(self, rows: Rows) -> Version:
        return Version(rows, self.latest.indices)


def by_row(event: Event) -> list[Event]:
    """Split an operation on a table into operations on its parts: a set of rows, a counter, registers."""
    if event.action != READ:
        action, *register = event.action.split()
        kind = {"insert": "set", "increment": "sum", "put": "register"}[action]
        return [replace(event, key=(kind, *event.key, *register), action=SET if register else action)]
    if event.result is None:
        return []
    rows = event.result
    first = {id: numbers[0] for id, numbers in rows.items()}
    seen: dict[Key, Any] = {
        ("set", *event.key): {id for id in rows if id > 0},
        ("sum", *event.key): first.get(COUNTER, 0),
        **{("register", *event.key, str(register)): first.get(register) or None for register in REGISTERS},
    }
    return [replace(event, key=key, result=result) for key, result in seen.items()]
