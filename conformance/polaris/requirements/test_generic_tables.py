"""Generic tables: tables of other formats, whose description the catalog stores."""

from __future__ import annotations

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must, should
from conformance.iceberg.support.content import SCHEMA
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import SINCE, Names
from conformance.polaris.support.readables import new_generic_table
from conformance.polaris.worlds import WITHOUT_NAMESAKES
from conformance.values.outcomes import Unoffered

SEVERAL = 3
CREATE, LOAD, LIST, DROP = ["createGenericTable"], ["loadGenericTable"], ["listGenericTables"], ["dropGenericTable"]


def _id(catalog: PolarisCatalog) -> Names:
    return catalog.tables.table_id(catalog.target.new_name())


def _new(catalog: PolarisCatalog) -> Names:
    id = _id(catalog)
    with catalog.client.preparing():
        new_generic_table(catalog, id)
    return id


@must("polaris.generic_table.location", operations=[*CREATE, *LOAD], clause="generic-table-kept", since=SINCE)
def test_location_is_kept(catalog: PolarisCatalog) -> None:
    """createGenericTable and loadGenericTable return the base-location that was sent."""
    beside = catalog.tables.new_table()
    id = (*beside[:-1], catalog.target.new_name())
    location = f"{catalog.tables.load_table(beside)['metadata']['location']}-{id[-1]}"
    made = new_generic_table(catalog, id, **{"base-location": location}, expect=(200, 400, 403))
    if not made.succeeded:
        raise Unoffered("the server takes no generic table at the side of a table")
    for table in (made["table"], catalog.load_generic_table(id[:-1], id[-1])["table"]):
        equal(str(table["base-location"]).rstrip("/"), location, "the base-location of the table")


@must("polaris.generic_table.listed", operations=LIST, clause="generic-table-listed", since=SINCE)
def test_generic_tables_are_listed(catalog: PolarisCatalog) -> None:
    """listGenericTables returns the generic tables of a namespace and no Iceberg table."""
    catalog.list_generic_tables(catalog.tables.home)  # a server that caches this list must not return it below
    id, table = _new(catalog), catalog.tables.new_table()
    identifiers = catalog.documented(catalog.list_generic_tables(id[:-1])["identifiers"])
    contains(identifiers, [{"namespace": list(id[:-1]), "name": id[-1]}], "the listed tables")
    lacks(identifiers, [{"namespace": list(table[:-1]), "name": table[-1]}], "the listed tables")


@must(
    "polaris.generic_table.pages",
    operations=LIST,
    clause="generic-table-pages",
    kind="pagination",
    since=SINCE,
    world=WITHOUT_NAMESAKES,
)
def test_pages_of_generic_tables(catalog: PolarisCatalog) -> None:
    """The pages of listGenericTables together contain every generic table exactly once."""
    ids = [_new(catalog) for _ in range(SEVERAL)]
    same_items(catalog.paged_names(catalog.list_generic_tables), [id[-1] for id in ids], "the names on all pages")


@must("polaris.generic_table.required", operations=CREATE, clause="generic-table-kept", kind="error", since=SINCE)
def test_generic_table_without_a_format(catalog: PolarisCatalog) -> None:
    """createGenericTable without a name or a format returns 400 and creates nothing."""
    id = _id(catalog)
    catalog.control(lambda: _new(catalog))
    for body in ({"name": id[-1]}, {"format": "delta"}, {"name": id[-1], "format": None}):
        catalog.send("createGenericTable", {"namespace": id[:-1]}, body, expect=400)
    catalog.load_generic_table(id[:-1], id[-1], expect=404)


@must(
    "polaris.generic_table.namespace",
    operations=[*CREATE, *LIST],
    clause="generic-table-missing",
    kind="error",
    since=SINCE,
)
def test_generic_table_in_no_namespace(catalog: PolarisCatalog) -> None:
    """createGenericTable and listGenericTables in a namespace that does not exist return 404."""
    id = _id(catalog)
    catalog.control(lambda: _new(catalog))
    missing = (*id[:-1], catalog.target.missing_name)
    new_generic_table(catalog, (*missing, id[-1]), expect=404)
    catalog.list_generic_tables(missing, expect=404)


@should(
    "polaris.generic_table.shared_names",
    operations=[*CREATE, "createTable"],
    clause="generic-table-names",
    kind="error",
    since=SINCE,
)
def test_tables_share_their_names(catalog: PolarisCatalog) -> None:
    """createGenericTable with the name of an Iceberg table returns 409, and the other way round."""
    id, table = _new(catalog), catalog.tables.new_table()
    new_generic_table(catalog, table, expect=409)
    catalog.tables.create_table(id, SCHEMA, expect=409)


@should(
    "polaris.generic_table.counts",
    operations=["dropNamespace"],
    clause="generic-table-names",
    kind="error",
    since=SINCE,
)
def test_namespace_with_a_generic_table(catalog: PolarisCatalog) -> None:
    """dropNamespace returns 400 or 409 while the namespace contains a generic table."""
    id = _new(catalog)
    catalog.tables.drop_namespace(id[:-1], expect=(400, 409))
    catalog.load_generic_table(id[:-1], id[-1])
