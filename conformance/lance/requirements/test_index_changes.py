"""Queries of indexed columns after rows were updated, merged, overwritten, restored or deleted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import COLORS, KINDS, IndexType, new_index
from conformance.lance.support.merging import UPSERT
from conformance.lance.support.queries import Row, ids

FOUND = "the ids of the rows found"


def _row(id: int, color: str = "", text: str = "") -> Row:
    return {"id": id, "color": color or COLORS[id % 3], "text": text or ("apples" if id % 7 == 0 else "pears")}


ROWS = [_row(id) for id in range(40)]
NEW = [_row(id, "black", "plums") for id in (5, 6, 7, 100, 101)]
Rows = list[Row]


@dataclass(frozen=True, slots=True)
class RowChange:
    """A change of a table of ROWS after its index was built: `act` changes the table, `rows` are those afterwards."""

    act: Callable[[LanceCatalog, Names], object]
    rows: Rows


def _table(rows: Rows) -> pa.Table:
    return pa.Table.from_pylist(rows)


def _update(catalog: LanceCatalog, id: Names) -> object:
    return catalog.update_table(id, predicate="id < 10", updates=[["color", "'black'"], ["text", "'plums'"]])


def _merge(catalog: LanceCatalog, id: Names) -> object:
    return catalog.merge_insert_into_table(id, stream(_table(NEW)), on="id", **UPSERT)


def _restore(catalog: LanceCatalog, id: Names) -> object:
    version = catalog.version(id)
    catalog.delete_from_table(id, predicate="id < 20")
    catalog.insert_into_table(id, stream(_table(NEW)))
    return catalog.restore_table(id, version=version)


CHANGES = {
    "update": RowChange(_update, [*(_row(id, "black", "plums") for id in range(10)), *ROWS[10:]]),
    "merge": RowChange(_merge, [*(row for row in ROWS if row["id"] not in (5, 6, 7)), *NEW]),
    "overwrite": RowChange(
        lambda catalog, id: catalog.insert_into_table(id, stream(_table(NEW)), mode="Overwrite"), NEW
    ),
    "delete": RowChange(lambda catalog, id: catalog.delete_from_table(id, predicate="id < 20"), ROWS[20:]),
    "restore": RowChange(_restore, ROWS),
}
FILTERS: dict[str, dict[str, Callable[[Row], bool]]] = {
    "btree": {
        "id >= 5 AND id < 25": lambda row: 5 <= row["id"] < 25,
        "id = 100": lambda row: row["id"] == 100,
    },
    "bitmap": {
        "color = 'black'": lambda row: row["color"] == "black",
        "color = 'red'": lambda row: row["color"] == "red",
    },
}
SCALAR = {
    f"{kind}.{change}": (KINDS[kind], FILTERS[kind], CHANGES[change])
    for kind in FILTERS
    for change in CHANGES
    if (kind, change) != ("btree", "update")  # which changes no id
}
Case = tuple[IndexType, dict[str, Callable[[Row], bool]], RowChange]


def _new_indexed(catalog: LanceCatalog, kind: IndexType) -> Names:
    with catalog.client.preparing():
        id = catalog.new_table_of(_table(ROWS))
        new_index(catalog, id, kind)
    return id


@must("lance.index.changed.{}", operations=["QueryTable"], clause="index-answers", kind="data", each=SCALAR)
def test_filter_after_a_change(catalog: LanceCatalog, case: Case) -> None:
    """QueryTable and CountTableRows with a filter on an indexed column find the rows of the latest version ({})."""
    kind, filters, change = case
    id = _new_indexed(catalog, kind)
    with catalog.client.preparing():
        change.act(catalog, id)
    for filter, holds in filters.items():
        expected = [row["id"] for row in change.rows if holds(row)]
        same_items(ids(catalog.rows(id, filter=filter)), expected, f"{FOUND} with {filter}")
        equal(catalog.count_table_rows(id, predicate=filter).json, len(expected), f"the count of rows with {filter}")


@must("lance.index.changed.fts.{}", operations=["QueryTable"], clause="index-fts", kind="data", each=CHANGES)
def test_text_after_a_change(catalog: LanceCatalog, case: RowChange) -> None:
    """A text query on an indexed column finds the rows as they are after a change ({})."""
    id = _new_indexed(catalog, KINDS["fts"])
    with catalog.client.preparing():
        case.act(catalog, id)
    for word in ("plums", "apples"):
        query = {"string_query": {"query": word, "columns": ["text"]}}
        expected = [row["id"] for row in case.rows if row["text"] == word]
        same_items(ids(catalog.rows(id, full_text_query=query)), expected, f"{FOUND} with {word}")


# Vectors


def _vectors(places: dict[int, float]) -> pa.Table:
    """Return rows with vectors on a line, by their ids."""
    vectors = pa.array([[place, 1.0] for place in places.values()], pa.list_(pa.float32(), 2))
    return pa.table({"id": pa.array(places, pa.int64()), "vector": vectors})


MOVED = _vectors({5: -50.0})
MOVES: dict[str, Callable[[LanceCatalog, Names], Any]] = {
    "merge": lambda catalog, id: catalog.merge_insert_into_table(id, stream(MOVED), on="id", **UPSERT),
    "overwrite": lambda catalog, id: catalog.insert_into_table(id, stream(MOVED), mode="Overwrite"),
    "delete_and_insert": lambda catalog, id: (
        catalog.delete_from_table(id, predicate="id = 5"),
        catalog.insert_into_table(id, stream(MOVED)),
    ),
}


@must("lance.index.changed.vector.{}", operations=["QueryTable"], clause="index-answers", kind="data", each=MOVES)
def test_search_after_a_change(catalog: LanceCatalog, case: Callable[[LanceCatalog, Names], Any]) -> None:
    """A search of an indexed vector column finds a row that was moved ({}) at its new place, and not at the old one."""
    with catalog.client.preparing():
        id = catalog.new_table_of(_vectors({number: float(number) for number in range(300)}))
        new_index(catalog, id, KINDS["ivf_flat"], distance_type="l2")
        case(catalog, id)
    search: dict[str, Any] = {"vector_column": "vector", "distance_type": "l2", "k": 1}
    equal(ids(catalog.rows(id, vector={"single_vector": [-50.0, 1.0]}, **search)), [5], FOUND)
    rows = catalog.rows(id, vector={"single_vector": [5.0, 1.0]}, **search)
    lacks([row["vector"] for row in rows], [[5.0, 1.0]], "the vectors of the rows at the old place")
