"""Tables in the root namespace."""

from __future__ import annotations

from conformance.author.checks import contains, equal, holds, lacks, url
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.listing import collect_all_tables, collect_tables
from conformance.values.outcomes import Skipped, Unoffered

ROOT: Names = ()
LISTED = "the tables of the root namespace"
NOT_THERE = (400, 403)  # statuses for CreateTable on a server that has no tables in the root


def new_root_table(catalog: LanceCatalog, name: str = "t") -> Names:
    """Create a table of three rows in the root. Raises Skipped in a given namespace, Unoffered where there are none."""
    if catalog.base:
        raise Skipped("the run stays in the given namespace", "a run without --namespace")
    id = (f"{catalog.home_name}_{name}",)
    answer = catalog.create_table(id, stream(tables(3)), expect=(200, *NOT_THERE))
    if answer.status != 200:
        raise Unoffered("the server has no tables in the root namespace")
    return id


@must("lance.root.table.rows", operations=["CreateTable", "InsertIntoTable"], clause="root-tables")
def test_root_table_has_rows(catalog: LanceCatalog) -> None:
    """CreateTable and InsertIntoTable store rows in a table of the root namespace."""
    id = new_root_table(catalog)
    catalog.insert_into_table(id, stream(tables(2, first=3)))
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")


@must("lance.root.table.described", operations=["DescribeTable"], clause="root-tables")
def test_root_table_is_described(catalog: LanceCatalog) -> None:
    """DescribeTable returns the name and a complete table_uri of a table in the root namespace."""
    id = new_root_table(catalog)
    described = catalog.describe_table(id, _query={"load_detailed_metadata": True, "with_table_uri": True})
    equal(described.get("table") or id[0], id[0], "the name of the table")
    equal(described.get("namespace") or [], [], "the namespace of the table")
    holds(url(described["table_uri"], "the table_uri").scheme, "the table_uri has a scheme")


@must("lance.root.table.listed", operations=["ListTables"], clause="root-tables")
def test_root_table_is_listed(catalog: LanceCatalog) -> None:
    """ListTables on the root lists a table of the root namespace by its name."""
    id = new_root_table(catalog)
    contains(collect_tables(catalog, ROOT), id, LISTED)


@must("lance.root.table.listed_among_all", operations=["ListAllTables"], clause="root-tables")
def test_root_table_is_listed_among_all(catalog: LanceCatalog) -> None:
    """ListAllTables lists a table of the root namespace by its name alone."""
    id = new_root_table(catalog)
    contains(collect_all_tables(catalog), id, "all tables")


@must("lance.root.table.dropped", operations=["DropTable"], clause="root-tables")
def test_root_table_is_dropped(catalog: LanceCatalog) -> None:
    """DropTable removes a table of the root namespace, and its name can be reused."""
    id = new_root_table(catalog)
    catalog.drop_table(id)
    catalog.table_exists(id, expect=404)
    lacks(collect_tables(catalog, ROOT), id, LISTED)
    catalog.create_table(id, stream(tables(1)))
    equal(catalog.count_table_rows(id).json, 1, "the count of rows")


@must("lance.root.table.deregistered", operations=["DeregisterTable"], clause="root-tables")
def test_root_table_is_deregistered(catalog: LanceCatalog) -> None:
    """DeregisterTable removes a table from the root namespace and from its listing."""
    id = new_root_table(catalog)
    catalog.deregister_table(id)
    catalog.table_exists(id, expect=404)
    lacks(collect_tables(catalog, ROOT), id, LISTED)


@must("lance.root.table.renamed", operations=["RenameTable"], clause="root-tables")
def test_root_table_is_renamed(catalog: LanceCatalog) -> None:
    """RenameTable renames a table of the root namespace, moves it to another namespace and moves it back."""
    id = new_root_table(catalog)
    other = (f"{id[0]}2",)
    catalog.rename_table(id, other[0])
    catalog.table_exists(id, expect=404)
    equal(catalog.count_table_rows(other).json, 3, "the count of rows")
    catalog.require_namespaces()
    inner = catalog.table_id()
    catalog.rename_table(other, inner[-1], new_namespace_id=list(catalog.home))
    equal(catalog.count_table_rows(inner).json, 3, "the count of rows")
    catalog.rename_table(inner, id[0], new_namespace_id=[])
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")
