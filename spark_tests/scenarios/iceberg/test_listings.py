"""Listings of hundreds of objects."""

from __future__ import annotations

from conformance.author.checks import same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.lake import Lake

CLAUSE = "iceberg-listings"
TABLES = 300
NAMESPACES = 120


@must("spark.iceberg.listing.tables", operations=["listTables"], clause=CLAUSE, kind="scenario")
def test_tables(lake: Lake, catalog: IcebergCatalog) -> None:
    """SHOW TABLES lists each of hundreds of tables once."""
    names = [f"t{number:04}" for number in range(TABLES)]
    for name in names:
        catalog.new_table(name)
    same_items(lake.shown("TABLES"), names, "the listed tables")


@must("spark.iceberg.listing.namespaces", operations=["listNamespaces"], clause=CLAUSE, kind="scenario")
def test_namespaces(lake: Lake, catalog: IcebergCatalog) -> None:
    """SHOW NAMESPACES lists each of many namespaces once."""
    catalog.require_nested()
    names = [f"n{number:04}" for number in range(NAMESPACES)]
    for name in names:
        catalog.create_namespace(catalog.table_id(name))
    home = ".".join(lake.home)
    same_items(lake.shown("NAMESPACES", column=0), [f"{home}.{name}" for name in names], "the listed namespaces")


@must("spark.iceberg.listing.pattern", operations=["listTables"], clause=CLAUSE, kind="scenario")
def test_pattern(lake: Lake, catalog: IcebergCatalog) -> None:
    """SHOW TABLES LIKE lists the matching tables, and no table of another namespace."""
    for name in ("alpha", "beta", "alphabet"):
        catalog.new_table(name)
    other = catalog.new_namespace("other")
    catalog.create_table((*other, "alpine"), schema={"type": "struct", "fields": []})
    rows = lake.run(f"SHOW TABLES IN {lake.namespace} LIKE 'alp*'")
    same_items((row[1] for row in rows), ["alpha", "alphabet"], "the tables listed with LIKE")
