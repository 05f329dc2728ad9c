"""Pages of a listing between whose items lie objects that it does not show: of another kind, or removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import same_items
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.indexing import wait_for_index
from conformance.lance.support.listing import collect
from conformance.lance.support.versions import numbers
from conformance.lance.support.views import people
from conformance.lance.worlds import WITHOUT_PARTS
from specs.lance.identifiers import DELIMITER

SHOWN, BETWEEN = ("a", "c", "e"), ("aa", "b", "d", "f")
LIMITS = (1, 2)


@dataclass(frozen=True, slots=True)
class Among:
    """A listing of SHOWN with other objects BETWEEN them: `prepare` creates both and returns the expected items.

    `pages` returns the items of all pages of a limit.
    """

    id: str
    prepare: Callable[[LanceCatalog], list[Any]]
    pages: Callable[[LanceCatalog, int], list[Any]]


def _tables(catalog: LanceCatalog, limit: int) -> list[Any]:
    names = collect(
        lambda **page: catalog.list_tables(catalog.home, **page), "tables", limit=limit, include_declared=False
    )
    return [str(name).rpartition(DELIMITER)[2] for name in names]


def _namespaces(catalog: LanceCatalog, limit: int) -> list[Any]:
    return collect(lambda **page: catalog.list_namespaces(catalog.home, **page), "namespaces", limit=limit)


def _beside(add: Callable[[LanceCatalog, str], object]) -> Callable[[LanceCatalog], list[Any]]:
    """Create the tables SHOWN, and between them what `add` makes of each other name."""

    def prepare(catalog: LanceCatalog) -> list[Any]:
        catalog.require_nested()
        for name in sorted((*SHOWN, *BETWEEN)):
            if name in SHOWN:
                catalog.new_table(name, rows=1)
            else:
                add(catalog, name)
        return list(SHOWN)

    return prepare


def _add_dropped(catalog: LanceCatalog, name: str) -> None:
    catalog.drop_table(catalog.new_table(name, rows=1))


def _add_deregistered(catalog: LanceCatalog, name: str) -> None:
    catalog.deregister_table(catalog.new_table(name, rows=1))


def _namespaces_among_tables(catalog: LanceCatalog) -> list[Any]:
    catalog.require_nested()
    for name in sorted((*SHOWN, *BETWEEN)):
        if name in SHOWN:
            catalog.create_namespace((*catalog.home, name))
        else:
            catalog.new_table(name, rows=1)
    return list(SHOWN)


def _tags_among_deleted(catalog: LanceCatalog) -> list[Any]:
    id = catalog.new_table()
    version = catalog.version(id)
    for name in (*SHOWN, *BETWEEN):
        catalog.create_table_tag(id, tag=name, version=version)
    for name in BETWEEN:
        catalog.delete_table_tag(id, tag=name)
    return list(SHOWN)


def _versions_among_deleted(catalog: LanceCatalog) -> list[Any]:
    id = catalog.new_table()
    for at in range(5):
        catalog.update_table_schema_metadata(id, {"at": str(at)})
    every = numbers(catalog, id)
    gone = every[1:-1:2]
    ranges = [{"start_version": number, "end_version": number + 1} for number in gone]
    catalog.batch_delete_table_versions(id, ranges=ranges)
    return [number for number in every if number not in gone]


def _indices_among_dropped(catalog: LanceCatalog) -> list[Any]:
    id = catalog.new_table_of(people(0, 20))
    for name in sorted((*SHOWN, "b", "d")):
        catalog.create_table_index(id, column="id", index_type="BTREE", name=name)
        wait_for_index(catalog, id, name)
    for name in ("b", "d"):
        catalog.drop_table_index(id, name)
    return list(SHOWN)


def _of_table(field: str, fetch: str, name: str = "") -> Callable[[LanceCatalog, int], list[Any]]:
    def pages(catalog: LanceCatalog, limit: int) -> list[Any]:
        id = catalog.table_id()
        items = collect(lambda **page: getattr(catalog, fetch)(id, **page), field, limit=limit)
        return [item[name] if name else item for item in items]

    return pages


AMONG = {
    "tables.declared": Among("ListTables", _beside(lambda catalog, name: catalog.new_declared_table(name)), _tables),
    "tables.namespaces": Among(
        "ListTables", _beside(lambda catalog, name: catalog.create_namespace((*catalog.home, name))), _tables
    ),
    "tables.dropped": Among("ListTables", _beside(_add_dropped), _tables),
    "tables.deregistered": Among("ListTables", _beside(_add_deregistered), _tables),
    "namespaces.tables": Among("ListNamespaces", _namespaces_among_tables, _namespaces),
    "tags.deleted": Among("ListTableTags", _tags_among_deleted, _of_table("tags", "list_table_tags")),
    "versions.deleted": Among(
        "ListTableVersions", _versions_among_deleted, _of_table("versions", "list_table_versions", "version")
    ),
    "indices.dropped": Among(
        "ListTableIndices", _indices_among_dropped, _of_table("indexes", "list_table_indices", "index_name")
    ),
}


@must(
    "lance.pagination.among.{}",
    clause="page-token",
    kind="pagination",
    each=AMONG,
    world={**WITHOUT_PARTS, "names": ("plain",), "place": ("child",)},
)
def test_pages_among_others(catalog: LanceCatalog, case: Among) -> None:
    """Pages of {} hold every item once, where objects that it does not list lie between the items."""
    with catalog.client.preparing():
        expected = case.prepare(catalog)
    for limit in LIMITS:
        same_items(case.pages(catalog, limit), expected, f"the items on pages of {limit}")
