"""Locations of tables and namespaces: inside their catalog and namespace, and without overlaps."""

from __future__ import annotations

from conformance.author.checks import equal, holds
from conformance.author.requirement import should
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.content import SCHEMA
from conformance.polaris.catalog import BASE_LOCATION, PolarisCatalog
from conformance.polaris.entities import CATALOG

REFUSED = (400, 403)
UNSTRUCTURED = "polaris.config.allow.unstructured.table.location"
OVERLAPPING = "polaris.config.allow.overlapping.table.location"
CREATE, COMMIT, SPACE = ["createTable"], ["updateTable"], ["createNamespace"]


def _made(catalog: PolarisCatalog, **properties: str) -> tuple[IcebergClient, str, tuple[str, ...]]:
    """Create a catalog with a namespace; return its operations, its base location and the namespace."""
    with catalog.client.preparing():
        (name,) = catalog.new(CATALOG, properties=properties)
        base = str(catalog.get(CATALOG, (name,))["properties"][BASE_LOCATION])
        tables, namespace = catalog.within(name), (catalog.target.new_name(),)
        tables.create_namespace(namespace)
    return tables, base, namespace


def _elsewhere(catalog: PolarisCatalog) -> str:
    """Return a location of the run outside all of its catalogs."""
    return catalog.storage.base(catalog.target, catalog.target.new_name())


@should("polaris.location.default", operations=CREATE, clause="location-inside")
def test_where_a_table_lies(catalog: PolarisCatalog) -> None:
    """createTable without a location places the table below the base location of its catalog."""
    tables, base, namespace = _made(catalog)
    location = tables.create_table((*namespace, "t"), SCHEMA)["metadata"]["location"]
    holds(str(location).startswith(f"{base.rstrip('/')}/"), "the table lies in the base location of its catalog")


@should("polaris.location.outside", operations=CREATE, clause="location-inside", kind="error")
def test_table_outside_of_its_catalog(catalog: PolarisCatalog) -> None:
    """createTable outside the allowed locations returns 400 or 403 and creates nothing."""
    tables, base, namespace = _made(catalog)
    id = (*namespace, "t")
    catalog.control(lambda: tables.create_table((*namespace, "u"), SCHEMA, location=f"{base}/{namespace[0]}/u"))
    tables.create_table(id, SCHEMA, location=_elsewhere(catalog), expect=REFUSED)
    tables.load_table(id, expect=404)


@should("polaris.location.namespace", operations=CREATE, clause="location-in-namespace", kind="error")
def test_table_outside_of_its_namespace(catalog: PolarisCatalog) -> None:
    """createTable outside its namespace returns 400 or 403, unless the catalog allows unstructured locations."""
    tables, base, namespace = _made(catalog)
    tables.create_table((*namespace, "t"), SCHEMA, location=f"{base}/elsewhere/t", expect=REFUSED)
    tables.load_table((*namespace, "t"), expect=404)
    loose, base, namespace = _made(catalog, **{UNSTRUCTURED: "true"})
    location = f"{base}/elsewhere/t"
    actual = loose.create_table((*namespace, "t"), SCHEMA, location=location)["metadata"]["location"]
    equal(str(actual).rstrip("/"), location, "the location of the table")


@should("polaris.location.overlap", operations=CREATE, clause="location-overlap", kind="error")
def test_tables_do_not_overlap(catalog: PolarisCatalog) -> None:
    """createTable at, in or around another table's location returns 400 or 403, unless the catalog allows it."""
    tables, base, namespace = _made(catalog)
    place = f"{base}/{namespace[0]}/a/b"
    with catalog.client.preparing():
        tables.create_table((*namespace, "t"), SCHEMA, location=place)
    for location in (place, f"{place}/c", f"{base}/{namespace[0]}/a"):
        tables.create_table((*namespace, "u"), SCHEMA, location=location, expect=REFUSED)
    tables.create_table((*namespace, "u"), SCHEMA, location=f"{place}c")
    loose, base, namespace = _made(catalog, **{OVERLAPPING: "true"})
    place = f"{base}/{namespace[0]}/a"
    loose.create_table((*namespace, "t"), SCHEMA, location=place)
    loose.create_table((*namespace, "u"), SCHEMA, location=f"{place}/b")


@should("polaris.location.freed", operations=["dropTable", *CREATE], clause="location-overlap")
def test_place_of_a_dropped_table(catalog: PolarisCatalog) -> None:
    """createTable succeeds at the location of a dropped table."""
    tables, base, namespace = _made(catalog)
    place = f"{base}/{namespace[0]}/a"
    with catalog.client.preparing():
        tables.create_table((*namespace, "t"), SCHEMA, location=place)
    tables.drop_table((*namespace, "t"))
    tables.create_table((*namespace, "u"), SCHEMA, location=place)


@should("polaris.location.moved", operations=COMMIT, clause="location-inside", kind="error")
def test_table_is_not_moved_outside(catalog: PolarisCatalog) -> None:
    """A commit that sets a location outside the allowed ones returns 400 or 403 and changes nothing."""
    tables, _, namespace = _made(catalog)
    id = (*namespace, "t")
    with catalog.client.preparing():
        before = tables.create_table(id, SCHEMA)["metadata"]["location"]
    tables.update_table(id, [{"action": "set-location", "location": _elsewhere(catalog)}], [], expect=REFUSED)
    equal(tables.load_table(id)["metadata"]["location"], before, "the location of the table")


@should(
    "polaris.location.custom_namespace", operations=SPACE, clause="location-custom-namespace", kind="error", since="1.7"
)
def test_namespace_elsewhere(catalog: PolarisCatalog) -> None:
    """createNamespace with a location that does not follow from its name returns 400 and creates nothing."""
    tables, base, _ = _made(catalog)
    other = (catalog.target.new_name(),)
    tables.create_namespace(other, properties={"location": f"{base}/elsewhere"}, expect=400)
    tables.load_namespace_metadata(other, expect=404)
    tables.create_namespace(other, properties={"location": f"{base}/{other[0]}"})


@should("polaris.location.registered", operations=["registerTable"], clause="location-inside", kind="error")
def test_registered_table_of_another_catalog(catalog: PolarisCatalog) -> None:
    """registerTable with a metadata file of another catalog returns 400 or 403 and registers nothing."""
    tables, _, namespace = _made(catalog)
    other, _, other_namespace = _made(catalog)
    with catalog.client.preparing():
        location = tables.create_table((*namespace, "t"), SCHEMA)["metadata-location"]
    other.register_table((*other_namespace, "t"), location, expect=REFUSED)
    other.load_table((*other_namespace, "t"), expect=404)
