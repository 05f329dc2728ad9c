"""Random changes of one table on the target and on a model: rows, versions, tags, indices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from conformance.author.checks import distinct, equal, holds, number, same_items, status_is
from conformance.author.requirement import should
from conformance.author.suite import Suite
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.merging import UPSERT
from conformance.lance.support.rows import Outcome, RowModel, Rows, Version

IDS = st.integers(0, 9)
NUMBERS = st.integers(-3, 3)
NAMES = st.sampled_from(["x", "y"])
PLACES = st.floats(0, 1)
ROWS = st.dictionaries(IDS, NUMBERS, min_size=1, max_size=4)


def numbered(rows: Rows) -> bytes:
    """Return rows as an Arrow stream."""
    columns = {"id": pa.array(rows.keys(), pa.int64()), "n": pa.array(rows.values(), pa.int64())}
    return stream(pa.table(columns))


class TableMachine(RuleBasedStateMachine):
    """The commands on one table. The requirement below sets `catalog` for the run."""

    catalog: LanceCatalog

    def __init__(self) -> None:
        super().__init__()
        self.catalog.begin_example()
        self.id = self.catalog.table_id()
        self.catalog.create_table(self.id, numbered({0: 0}))
        self.model = RowModel()
        self._note(Version({0: 0}))

    @rule(rows=ROWS)
    def insert(self, rows: Rows) -> None:
        """Run InsertIntoTable with new rows."""
        new = {id: n for id, n in rows.items() if id not in self.model.latest.rows}
        if new:
            self.catalog.insert_into_table(self.id, numbered(new))
            self._note(self.model.insert(new))

    @rule(rows=ROWS)
    def merge(self, rows: Rows) -> None:
        """Run MergeInsertIntoTable."""
        self.catalog.merge_insert_into_table(self.id, numbered(rows), on="id", **UPSERT)
        self._note(self.model.merge(rows))

    @rule(bound=IDS, addend=NUMBERS)
    def update(self, bound: int, addend: int) -> None:
        """Run UpdateTable."""
        self.catalog.update_table(self.id, predicate=f"id >= {bound}", updates=[["n", f"n + {addend}"]])
        self._note(self.model.update(bound, addend))

    @rule(bound=IDS)
    def delete(self, bound: int) -> None:
        """Run DeleteFromTable."""
        self.catalog.delete_from_table(self.id, predicate=f"id < {bound}")
        self._note(self.model.delete(bound))

    @rule(place=PLACES)
    def restore(self, place: float) -> None:
        """Run RestoreTable with any version so far."""
        version = self._version_at(place)
        self.catalog.restore_table(self.id, version=version)
        self._note(self.model.restore(version))

    @rule(name=NAMES)
    def create_index(self, name: str) -> None:
        """Run CreateTableScalarIndex."""
        expected, after = self.model.create_index(name)
        body: dict[str, Any] = {"column": "id", "index_type": "BTREE", "name": name}
        self._same(expected, lambda: self.catalog.create_table_scalar_index(self.id, **body, expect=None))
        self._note(after)

    @rule(name=NAMES)
    def drop_index(self, name: str) -> None:
        """Run DropTableIndex."""
        expected, after = self.model.drop_index(name)
        self._same(expected, lambda: self.catalog.drop_table_index(self.id, name, expect=None))
        self._note(after)

    @rule(name=NAMES, place=PLACES)
    def create_tag(self, name: str, place: float) -> None:
        """Run CreateTableTag."""
        body: dict[str, Any] = {"tag": name, "version": self._version_at(place)}
        expected = self.model.create_tag(name, body["version"])
        self._same(expected, lambda: self.catalog.create_table_tag(self.id, **body, expect=None))

    @rule(name=NAMES, place=PLACES)
    def update_tag(self, name: str, place: float) -> None:
        """Run UpdateTableTag."""
        body: dict[str, Any] = {"tag": name, "version": self._version_at(place)}
        expected = self.model.update_tag(name, body["version"])
        self._same(expected, lambda: self.catalog.update_table_tag(self.id, **body, expect=None))

    @rule(name=NAMES)
    def delete_tag(self, name: str) -> None:
        """Run DeleteTableTag."""
        expected = self.model.delete_tag(name)
        self._same(expected, lambda: self.catalog.delete_table_tag(self.id, tag=name, expect=None))

    @rule(place=PLACES, bound=IDS)
    def query_version(self, place: float, bound: int) -> None:
        """Run QueryTable on any version, with a filter."""
        version = self._version_at(place)
        expected = {id: n for id, n in self.model.versions[version].rows.items() if id >= bound}
        rows = self._read(filter=f"id >= {bound}", version=version)
        equal(rows, expected, f"the column n by id in version {version}, from id {bound} on")

    @invariant()
    def rows_agree(self) -> None:
        """Check the latest rows against the model."""
        equal(self._read(), self.model.latest.rows, "the column n by id in the latest version")

    @invariant()
    def tags_and_indices_agree(self) -> None:
        """Check the tags and the indices against the model."""
        tags = self.catalog.list_table_tags(self.id)["tags"]
        equal({name: tag["version"] for name, tag in tags.items()}, self.model.tags, "the versions of the tags")
        indices = self.catalog.list_table_indices(self.id)["indexes"]
        names = {index["index_name"] for index in indices}
        same_items(names, self.model.latest.indices, "the listed indices")

    def _read(self, **query: Any) -> Rows:
        rows = self.catalog.rows(self.id, **query)
        ids = [number(row["id"], "the id of a row") for row in rows]
        distinct(ids, "the ids of the rows")
        return {id: row["n"] for id, row in zip(ids, rows, strict=True)}

    def _note(self, after: Version) -> None:
        """Note the latest version, which has a new number unless nothing changed."""
        version = self.catalog.version(self.id)
        if self.model.versions and version == max(self.model.versions):
            holds(after == self.model.latest, f"a change of the table makes a version after {version}")
        else:
            holds(version not in self.model.versions, f"the version {version} after a change was not there before it")
        self.model.versions[version] = after

    def _version_at(self, place: float) -> int:
        numbers = sorted(self.model.versions)
        return numbers[min(int(place * len(numbers)), len(numbers) - 1)]

    def _same(self, expected: Outcome, command: Callable[[], Answer]) -> None:
        answer = command()
        status, code = expected
        status_is(answer.status, status)
        if code is not None:
            equal(answer.code, code, "the code of the error")


SUBJECTS = [
    *("InsertIntoTable", "MergeInsertIntoTable", "UpdateTable", "DeleteFromTable", "QueryTable", "RestoreTable"),
    *("CreateTableScalarIndex", "DropTableIndex", "ListTableIndices"),
    *("CreateTableTag", "UpdateTableTag", "DeleteTableTag", "ListTableTags"),
]


@should("lance.model.rows", operations=SUBJECTS, clause="changes-compose", kind="model")
def test_table_model(suite: Suite, catalog: LanceCatalog) -> None:
    """Every sequence of changes of a table leaves the rows, versions, tags and indices that a simple model predicts."""
    suite.run_machine(TableMachine, catalog=catalog)
