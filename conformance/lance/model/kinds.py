"""The kinds of things in the model of the Lance Namespace, and the names that stand for their symbols."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import number, text
from conformance.author.strategies import tables
from conformance.common.model.rows import Fields, ModelKind, Symbols, Thing, end, two
from conformance.common.model.running import ModelRun
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.views import DETAILED, people

LanceRun = ModelRun[LanceCatalog]
HOME, NAMESPACE, TABLE = "home", "namespace", "table"
REGISTERED = "registered table"
LEFT = "data of a deregistered table"
TAGGED, TAG = "table with versions", "tag"
ROWS, COLUMNS, METADATA = "table with rows", "table with columns", "table with metadata"
INDEXED, INDEX = "table with indices", "index"
BRANCHED, BRANCH = "table with branches", "branch"
FIRST, LATEST = "first version", "latest version"
REGISTERED_ROWS = 3
# The names of tags begin alike, and each table has its own.
TAG_NAMES = {f"{TAG} 1": "v1", f"{TAG} 2": "v10"}
INDEX_NAMES = {f"{INDEX} 1": "by", f"{INDEX} 2": "by_other"}
BRANCH_NAMES = {f"{BRANCH} 1": "dev", f"{BRANCH} 2": "dev2"}
NAMES_OF_PARTS = {**TAG_NAMES, **INDEX_NAMES, **BRANCH_NAMES}
NUMBERS_OF_ROWS = {FIRST: 3, LATEST: 5}  # of a table with versions


NAMESPACES = two(NAMESPACE)
# One lies in a namespace, where it has the name of another one.
TABLES: tuple[Symbols, ...] = ((f"{NAMESPACE} 1", f"{TABLE} 1"), (HOME, f"{TABLE} 1"), (HOME, f"{TABLE} 2"))


def _parts(table: str, part: str) -> tuple[Symbols, ...]:
    """Return the ids of three parts of tables: two of one table, and one of another table with an equal name."""
    return (f"{table} 1", f"{part} 1"), (f"{table} 1", f"{part} 2"), (f"{table} 2", f"{part} 1")


TAGS, INDICES, BRANCHES = _parts(TAGGED, TAG), _parts(INDEXED, INDEX), _parts(BRANCHED, BRANCH)
THERE_OR_NOT = (200, 404)
FIRST_ROWS = ((0, 0), (1, 1), (2, 2))  # the id and the number of each
FIRST_COLUMNS = (("id", (0, 1, 2)), ("n", (0, 1, 2)), ("name", ("row 0", "row 1", "row 2")))  # each with its values
NO_METADATA: Fields = {"schema": {}, "column": {}}
GIVEN: Mapping[Thing, Fields] = {
    (HOME, (HOME,)): {},
    **{(kind, id): {} for kind in (TAGGED, INDEXED, BRANCHED) for id in two(kind)},
    **{(ROWS, id): {"rows": FIRST_ROWS} for id in two(ROWS)},
    **{(COLUMNS, id): {"columns": FIRST_COLUMNS} for id in two(COLUMNS)},
    **{(METADATA, id): NO_METADATA for id in two(METADATA)},
}


def place(on: Symbols) -> Thing:
    """Return the place of a table: its namespace, or the home of the example."""
    return (HOME if on[0] == HOME else NAMESPACE), on[:1]


KINDS: Mapping[str, ModelKind] = {
    HOME: ModelKind([(HOME,)]),
    NAMESPACE: ModelKind(NAMESPACES),
    TABLE: ModelKind(TABLES, lambda id: [place(id)]),
    LEFT: ModelKind(TABLES),
    REGISTERED: ModelKind(two(REGISTERED)),
    TAGGED: ModelKind(two(TAGGED)),
    TAG: ModelKind(TAGS, lambda id: [(TAGGED, id[:1])]),
    ROWS: ModelKind(two(ROWS)),
    COLUMNS: ModelKind(two(COLUMNS)),
    METADATA: ModelKind(two(METADATA)),
    INDEXED: ModelKind(two(INDEXED)),
    INDEX: ModelKind(INDICES, lambda id: [(INDEXED, id[:1])]),
    BRANCHED: ModelKind(two(BRANCHED)),
    BRANCH: ModelKind(BRANCHES, lambda id: [(BRANCHED, id[:1])]),
}
# The kinds whose lives are tested in worlds, each with the clause that their operations agree.
LIVES: Mapping[str, str] = {
    REGISTERED: "deregister-table-data",
    ROWS: "rows-agree",
    COLUMNS: "schema-agrees",
    METADATA: "versions-agree",
    TAG: "tags-agree",
    INDEX: "indices-agree",
    BRANCH: "list-branches",
}
ended = partial(end, KINDS)


@dataclass(frozen=True, slots=True)
class TableOfVersions:
    """A table with two versions that was created for the model."""

    id: Names
    first: int
    latest: int

    def label(self, version: Any) -> Any:
        """Return the words for a version, or another value as it is."""
        return {self.first: FIRST, self.latest: LATEST}.get(version, version)


@dataclass(slots=True, eq=False)
class ChangedTable:
    """A table of FIRST_ROWS that was created for the model, and what the last change told of its version.

    `first` is its first version, and `schema` the one that DescribeTable returned then.
    """

    id: Names
    first: int
    schema: Any
    told: Any = None


@dataclass(frozen=True, slots=True)
class RegisteredTable:
    """A table of REGISTERED_ROWS rows that was created for the model and deregistered, and its location."""

    id: Names
    location: str


def id_of(run: LanceRun, on: Symbols) -> Names:
    """Return the identifier of a table."""
    if len(on) == 1:
        id: Names = run.name(on[0]).id
        return id
    return (*run.name(on[0]), run.name(on[1]))


def named(catalog: LanceCatalog, symbol: str) -> Any:
    """Return the name of the run for a symbol: an identifier, the last part of one, or a table with what it has."""
    if symbol == HOME:
        return catalog.home
    if symbol in NAMES_OF_PARTS:
        return NAMES_OF_PARTS[symbol]
    kind, name = symbol.rpartition(" ")[0], catalog.target.new_name()
    if kind == NAMESPACE:
        return catalog.namespace_id(name)
    if kind == TABLE:
        return catalog.table_id(name)[-1]
    with catalog.client.preparing():
        return MAKERS[kind](catalog, name)


def _new_versions(catalog: LanceCatalog, name: str) -> TableOfVersions:
    id = catalog.new_table(name)
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(tables(2, first=3)))
    return TableOfVersions(id, first, catalog.version(id))


def _new_branched(catalog: LanceCatalog, name: str) -> TableOfVersions:
    first, latest = NUMBERS_OF_ROWS.values()
    id = catalog.new_table_of(tables(first), name, branched=False)
    version = catalog.version(id)
    catalog.insert_into_table(id, stream(tables(latest - first, first=first)))
    return TableOfVersions(id, version, catalog.version(id))


def _new_changed(catalog: LanceCatalog, name: str) -> ChangedTable:
    id = catalog.new_table_of(people(0, len(FIRST_ROWS)), name)
    described = catalog.describe_table(id, _query=DETAILED)
    return ChangedTable(id, number(described["version"], "the version of the table"), described["schema"])


def _new_registered(catalog: LanceCatalog, name: str) -> RegisteredTable:
    id = catalog.table_id(name)
    catalog.make_table(id, tables(REGISTERED_ROWS))  # without the branch of the world, where main has no rows
    return RegisteredTable(id, text(catalog.deregister_table(id)["location"], "the location of the table"))


MAKERS: Mapping[str, Callable[[LanceCatalog, str], Any]] = {
    REGISTERED: _new_registered,
    TAGGED: _new_versions,
    ROWS: _new_changed,
    COLUMNS: _new_changed,
    METADATA: _new_changed,
    INDEXED: _new_changed,
    BRANCHED: _new_branched,
}
