"""The kinds of things in the model of the Lance Namespace, and the names that stand for their symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import text
from conformance.author.strategies import tables
from conformance.common.model.rows import ModelKind, Symbols, Thing, end, two
from conformance.common.model.running import ModelRun
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream

LanceRun = ModelRun[LanceCatalog]
HOME, NAMESPACE, TABLE = "home", "namespace", "table"
REGISTERED = "registered table"
LEFT = "data of a deregistered table"
TAGGED, TAG = "table with versions", "tag"
FIRST, LATEST = "first version", "latest version"
REGISTERED_ROWS = 3
# The names of tags begin alike, and each table has its own.
TAG_NAMES = {f"{TAG} 1": "v1", f"{TAG} 2": "v10"}


NAMESPACES = two(NAMESPACE)
# One lies in a namespace, where it has the name of another one.
TABLES: tuple[Symbols, ...] = ((f"{NAMESPACE} 1", f"{TABLE} 1"), (HOME, f"{TABLE} 1"), (HOME, f"{TABLE} 2"))
TAGS: tuple[Symbols, ...] = (
    (f"{TAGGED} 1", f"{TAG} 1"),
    (f"{TAGGED} 1", f"{TAG} 2"),
    (f"{TAGGED} 2", f"{TAG} 1"),
)
THERE_OR_NOT = (200, 404)
GIVEN: tuple[Thing, ...] = ((HOME, (HOME,)), *((TAGGED, id) for id in two(TAGGED)))


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
    if symbol in TAG_NAMES:
        return TAG_NAMES[symbol]
    kind, name = symbol.rpartition(" ")[0], catalog.target.new_name()
    if kind == NAMESPACE:
        return catalog.namespace_id(name)
    if kind == TABLE:
        return catalog.table_id(name)[-1]
    with catalog.client.preparing():
        return (_new_registered if kind == REGISTERED else _new_versions)(catalog, name)


def _new_versions(catalog: LanceCatalog, name: str) -> TableOfVersions:
    id = catalog.new_table(name)
    first = catalog.version(id)
    catalog.insert_into_table(id, stream(tables(2, first=3)))
    return TableOfVersions(id, first, catalog.version(id))


def _new_registered(catalog: LanceCatalog, name: str) -> RegisteredTable:
    id = catalog.table_id(name)
    catalog.make_table(id, tables(REGISTERED_ROWS))  # without the branch of the world, where main has no rows
    return RegisteredTable(id, text(catalog.deregister_table(id)["location"], "the location of the table"))
