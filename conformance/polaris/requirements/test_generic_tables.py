"""Generic tables: tables in other formats, of which the catalog keeps what was said."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, lacks, same_items, shows
from conformance.author.requirement import must, should
from conformance.http.client import Answer, Expected
from conformance.http.operation_client import DECLARED
from conformance.iceberg.support.content import SCHEMA
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.support.paged import paged
from conformance.values.outcomes import Unoffered

SINCE = "1.7"
SEVERAL = 3
CREATE, LOAD, LIST, DROP = ["createGenericTable"], ["loadGenericTable"], ["listGenericTables"], ["dropGenericTable"]
Names = tuple[str, ...]


def _create(catalog: PolarisCatalog, id: Names, *, expect: Expected = DECLARED, **fields: Any) -> Answer:
    catalog.tables.sandbox.note("generic table", [id])
    return catalog.create_generic_table(id[:-1], expect=expect, **{"name": id[-1], "format": "delta", **fields})


def _id(catalog: PolarisCatalog) -> Names:
    return (*catalog.tables.home, catalog.target.new_name())


def _new(catalog: PolarisCatalog) -> Names:
    id = _id(catalog)
    with catalog.client.preparing():
        _create(catalog, id)
    return id


@must("polaris.generic_table.created", operations=[*CREATE, *LOAD], clause="generic-table-kept", since=SINCE)
def test_generic_table_is_kept(catalog: PolarisCatalog) -> None:
    """A generic table is what was sent: its name, format, doc and properties, in the answer and when it is loaded."""
    id = _id(catalog)
    sent: dict[str, Any] = {"doc": "events", "properties": {"a": "1"}}
    made = _create(catalog, id, **sent)["table"]
    for table in (made, catalog.load_generic_table(id[:-1], id[-1])["table"]):
        shows(table, {"name": id[-1], "format": "delta", **sent}, "the table")


@must("polaris.generic_table.location", operations=[*CREATE, *LOAD], clause="generic-table-kept", since=SINCE)
def test_location_is_kept(catalog: PolarisCatalog) -> None:
    """A generic table has the base location that was sent, in the answer and when it is loaded."""
    beside = catalog.tables.new_table()
    id = (*beside[:-1], catalog.target.new_name())
    location = f"{catalog.tables.load_table(beside)['metadata']['location']}-{id[-1]}"
    made = _create(catalog, id, **{"base-location": location}, expect=(200, 400, 403))
    if made.status != 200:
        raise Unoffered("the server takes no generic table at the side of a table")
    for table in (made["table"], catalog.load_generic_table(id[:-1], id[-1])["table"]):
        equal(str(table["base-location"]).rstrip("/"), location, "the base-location of the table")


@must("polaris.generic_table.listed", operations=LIST, clause="generic-table-listed", since=SINCE)
def test_generic_tables_are_listed(catalog: PolarisCatalog) -> None:
    """The generic tables of a namespace are listed, and Iceberg's tables are not among them."""
    catalog.list_generic_tables(catalog.tables.home)  # what is listed later is not what was listed before
    id, table = _new(catalog), catalog.tables.new_table()
    identifiers = catalog.stated(catalog.list_generic_tables(id[:-1])["identifiers"])
    contains(identifiers, [{"namespace": list(id[:-1]), "name": id[-1]}], "the listed tables")
    lacks(identifiers, [{"namespace": list(table[:-1]), "name": table[-1]}], "the listed tables")


@must("polaris.generic_table.pages", operations=LIST, clause="generic-table-pages", kind="pagination", since=SINCE)
def test_pages_of_generic_tables(catalog: PolarisCatalog) -> None:
    """The pages of a listing of generic tables together hold every table exactly once."""
    ids = [_new(catalog) for _ in range(SEVERAL)]
    same_items(paged(catalog, catalog.list_generic_tables), [id[-1] for id in ids], "the names on all pages")


@must("polaris.generic_table.exists", operations=CREATE, clause="generic-table-exists", kind="error", since=SINCE)
def test_generic_table_that_exists(catalog: PolarisCatalog) -> None:
    """Creating a generic table that exists is refused with 409, and it stays as it is."""
    id = _new(catalog)
    before = catalog.stated(catalog.load_generic_table(id[:-1], id[-1])["table"])
    _create(catalog, id, doc="another", properties={"a": "1"}, expect=409)
    equal(catalog.stated(catalog.load_generic_table(id[:-1], id[-1])["table"]), before, "the table")


@must("polaris.generic_table.required", operations=CREATE, clause="generic-table-kept", kind="error", since=SINCE)
def test_generic_table_without_a_format(catalog: PolarisCatalog) -> None:
    """A generic table without a name or without a format is refused with 400, and not made."""
    id = _id(catalog)
    catalog.control(lambda: _new(catalog))
    for body in ({"name": id[-1]}, {"format": "delta"}, {"name": id[-1], "format": None}):
        catalog.send("createGenericTable", {"namespace": id[:-1]}, body, expect=400)
    catalog.load_generic_table(id[:-1], id[-1], expect=404)


@must("polaris.generic_table.dropped", operations=[*DROP, *LOAD], clause="generic-table-dropped", since=SINCE)
def test_generic_table_is_dropped(catalog: PolarisCatalog) -> None:
    """A generic table that was dropped is not found any more, and its name is free, or kept from others with 409."""
    id = _new(catalog)
    catalog.drop_generic_table(id[:-1], id[-1])
    catalog.load_generic_table(id[:-1], id[-1], expect=404)
    catalog.drop_generic_table(id[:-1], id[-1], expect=404)
    _create(catalog, id, expect=(200, 409))


@must(
    "polaris.generic_table.namespace",
    operations=[*CREATE, *LIST],
    clause="generic-table-missing",
    kind="error",
    since=SINCE,
)
def test_generic_table_in_no_namespace(catalog: PolarisCatalog) -> None:
    """In a namespace that does not exist no generic table is made or listed: 404."""
    id = _id(catalog)
    catalog.control(lambda: _new(catalog))
    missing = (*id[:-1], catalog.target.missing_name)
    _create(catalog, (*missing, id[-1]), expect=404)
    catalog.list_generic_tables(missing, expect=404)


@should(
    "polaris.generic_table.shared_names",
    operations=[*CREATE, "createTable"],
    clause="generic-table-names",
    kind="error",
    since=SINCE,
)
def test_tables_share_their_names(catalog: PolarisCatalog) -> None:
    """A generic table cannot have the name of a table, and a table not that of a generic table: 409."""
    id, table = _new(catalog), catalog.tables.new_table()
    _create(catalog, table, expect=409)
    catalog.tables.create_table(id, SCHEMA, expect=409)


@should(
    "polaris.generic_table.counts",
    operations=["dropNamespace"],
    clause="generic-table-names",
    kind="error",
    since=SINCE,
)
def test_namespace_with_a_generic_table(catalog: PolarisCatalog) -> None:
    """A namespace in which there is a generic table is not empty: it is not dropped."""
    id = _new(catalog)
    catalog.tables.drop_namespace(id[:-1], expect=(400, 409))
    catalog.load_generic_table(id[:-1], id[-1])
