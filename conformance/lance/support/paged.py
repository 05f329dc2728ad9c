"""The paged listings of Lance: how each is requested, and how it gets another item."""

from __future__ import annotations

from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import BRANCH
from conformance.lance.support.arrow import stream
from conformance.lance.support.indexing import wait_for_index
from conformance.lance.support.listing import LanceListing
from conformance.lance.worlds import STATE, all_but
from conformance.values.worlds import Pins
from specs.lance.identifiers import join_parts


def _add_namespace(catalog: LanceCatalog, name: str) -> str:
    catalog.require_nested()
    return catalog.new_namespace(name)[-1]


def _add_table(catalog: LanceCatalog, name: str) -> str:
    id = catalog.new_table(name)
    return id[-1]


def _add_listed_table(catalog: LanceCatalog, name: str) -> str:
    return join_parts(catalog.new_table(name))


def _table(catalog: LanceCatalog, name: str) -> Names:
    """Return the id of the table whose content is listed, an existing one if the run is read-only."""
    return catalog.new_table(name) if catalog.target.read_only else catalog.table_id(name)


def _create_once(catalog: LanceCatalog, name: str) -> tuple[Names, bool]:
    """Return a table of this example, and whether this call created it."""
    id = catalog.table_id(name)
    missing = _is_missing(catalog, id)
    if missing:
        catalog.make_table(id, tables(3))
    return id, missing


def _is_missing(catalog: LanceCatalog, id: Names) -> bool:
    return catalog.table_exists(id, expect=(200, 404)).status == 404


def _add_index(catalog: LanceCatalog, name: str) -> str:
    id, _ = _create_once(catalog, "indexed")
    catalog.create_table_index(id, column="id", index_type="BTREE", name=name)
    wait_for_index(catalog, id, name)
    return name


def _add_tag(catalog: LanceCatalog, name: str) -> str:
    id, _ = _create_once(catalog, "tagged")
    catalog.create_table_tag(id, tag=name, version=catalog.version(id))
    return name


def _add_branch(catalog: LanceCatalog, name: str) -> str:
    id = catalog.table_id("branched")
    if _is_missing(catalog, id):
        catalog.new_table("branched")  # in the state of the world: none has branches
    catalog.create_table_branch(id, name=name)
    return name


def _add_version(catalog: LanceCatalog, _name: str) -> str:
    id, created = _create_once(catalog, "versioned")
    if not created:
        catalog.insert_into_table(id, stream(tables(1)))
    return str(catalog.version(id))


# Of listings of a table's content: their own table is in no state, has no branch, and no name beside it.
OWN_TABLE: Pins = {STATE: ("new",), BRANCH: ("main",), **all_but(names=("case",))}
LISTINGS = {
    "list_namespaces": LanceListing(
        "ListNamespaces",
        "namespaces",
        lambda catalog, **page: catalog.list_namespaces(catalog.home, **page),
        _add_namespace,
    ),
    "list_tables": LanceListing(
        "ListTables", "tables", lambda catalog, **page: catalog.list_tables(catalog.home, **page), _add_table
    ),
    "list_all_tables": LanceListing(
        "ListAllTables", "tables", lambda catalog, **page: catalog.list_all_tables(**page), _add_listed_table
    ),
    "list_table_indices": LanceListing(
        "ListTableIndices",
        "indexes",
        lambda catalog, **page: catalog.list_table_indices(_table(catalog, "indexed"), **page),
        _add_index,
        name="index_name",
        own=True,
        world=OWN_TABLE,
    ),
    "list_table_tags": LanceListing(
        "ListTableTags",
        "tags",
        lambda catalog, **page: catalog.list_table_tags(_table(catalog, "tagged"), **page),
        _add_tag,
        own=True,
        world=OWN_TABLE,
    ),
    "list_table_branches": LanceListing(
        "ListTableBranches",
        "branches",
        lambda catalog, **page: catalog.list_table_branches(_table(catalog, "branched"), **page),
        _add_branch,
        own=True,
    ),
    "list_table_versions": LanceListing(
        "ListTableVersions",
        "versions",
        lambda catalog, **page: catalog.list_table_versions(_table(catalog, "versioned"), **page),
        _add_version,
        name="version",
        own=True,
        world=OWN_TABLE,
    ),
}
