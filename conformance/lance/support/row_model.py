"""A Lance table small enough to be obviously right: rows, versions, tags and indices.

A row is an id and a number. Every change makes a version, which keeps the rows and the indices that
the table had then. Each method does one command on the model and returns the expected outcome.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.lance.support.model import OK, Outcome

INDEX_MISSING: Outcome = (404, 6)
INDEX_EXISTS: Outcome = (409, 7)
TAG_MISSING: Outcome = (404, 8)
TAG_EXISTS: Outcome = (409, 9)

Rows = dict[int, int]


@dataclass(frozen=True)
class Version:
    """What a version of the table has."""

    rows: Rows
    indices: frozenset[str] = frozenset()


@dataclass
class TableModel:
    """See the module. `versions` has the versions by number, oldest first; `tags` the number of each tag."""

    versions: dict[int, Version] = field(default_factory=dict)
    tags: dict[str, int] = field(default_factory=dict)

    @property
    def latest(self) -> Version:
        """The latest version."""
        return self.versions[max(self.versions)]

    def insert(self, rows: Rows) -> Version:
        """InsertIntoTable in mode Append, with ids that the table does not have."""
        return self._with_rows({**self.latest.rows, **rows})

    def merge(self, rows: Rows) -> Version:
        """MergeInsertIntoTable that updates what matches and inserts the rest."""
        return self._with_rows({**self.latest.rows, **rows})

    def update(self, bound: int, addend: int) -> Version:
        """UpdateTable that adds to the number of rows whose id is not below a bound."""
        return self._with_rows({id: n + addend * (id >= bound) for id, n in self.latest.rows.items()})

    def delete(self, bound: int) -> Version:
        """DeleteFromTable of the rows whose id is below a bound."""
        return self._with_rows({id: n for id, n in self.latest.rows.items() if id >= bound})

    def restore(self, version: int) -> Version:
        """RestoreTable."""
        return self.versions[version]

    def create_index(self, name: str) -> tuple[Outcome, Version]:
        """CreateTableScalarIndex."""
        before = self.latest
        if name in before.indices:
            return INDEX_EXISTS, before
        return OK, Version(before.rows, before.indices | {name})

    def drop_index(self, name: str) -> tuple[Outcome, Version]:
        """DropTableIndex."""
        before = self.latest
        if name not in before.indices:
            return INDEX_MISSING, before
        return OK, Version(before.rows, before.indices - {name})

    def create_tag(self, name: str, version: int) -> Outcome:
        """CreateTableTag."""
        if name in self.tags:
            return TAG_EXISTS
        self.tags[name] = version
        return OK

    def update_tag(self, name: str, version: int) -> Outcome:
        """UpdateTableTag."""
        if name not in self.tags:
            return TAG_MISSING
        self.tags[name] = version
        return OK

    def delete_tag(self, name: str) -> Outcome:
        """DeleteTableTag."""
        return OK if self.tags.pop(name, None) is not None else TAG_MISSING

    def _with_rows(self, rows: Rows) -> Version:
        return Version(rows, self.latest.indices)
