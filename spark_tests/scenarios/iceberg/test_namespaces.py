"""Namespaces by SQL."""

from __future__ import annotations

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from spark_tests.scenarios.lake import Lake, has_property

CLAUSE = "iceberg-namespaces"


@must("spark.iceberg.namespace.created", operations=["createNamespace"], clause=CLAUSE, kind="scenario")
def test_create(lake: Lake, catalog: IcebergCatalog) -> None:
    """A namespace that Spark creates is listed and described with its properties."""
    catalog.note_namespaces([catalog.namespace_id("made")])
    name = catalog.namespace_id("made")[0]
    lake.run(f"CREATE NAMESPACE {lake.at(name)} COMMENT 'made here' WITH PROPERTIES (owner_team = 'a')")
    contains(lake.shown("NAMESPACES", where=lake.catalog, column=0), [name], "the listed namespaces")
    described = lake.described(lake.at(name))
    equal(described.get("Comment"), "made here", "the Comment of the namespace")
    has_property(described, "owner_team,a")


@must(
    "spark.iceberg.namespace.created-if-absent",
    operations=["createNamespace", "loadNamespaceMetadata"],
    clause=CLAUSE,
    kind="scenario",
)
def test_create_if_not_exists(lake: Lake) -> None:
    """CREATE NAMESPACE IF NOT EXISTS leaves an existing namespace unchanged."""
    lake.run(f"ALTER NAMESPACE {lake.namespace} SET PROPERTIES (kept = 'yes')")
    lake.run(f"CREATE NAMESPACE IF NOT EXISTS {lake.namespace} WITH PROPERTIES (kept = 'no')")
    described = lake.described(lake.namespace)
    has_property(described, "(kept,yes)")


@must(
    "spark.iceberg.namespace.nested",
    operations=["createNamespace", "listNamespaces", "dropNamespace"],
    clause=CLAUSE,
    kind="scenario",
)
def test_nested(lake: Lake, catalog: IcebergCatalog) -> None:
    """Nested namespaces can be created and dropped, are listed only at their level, and contain their own tables."""
    catalog.require_nested()
    lake.run(f"CREATE NAMESPACE {lake.name('a')}")
    lake.run(f"CREATE NAMESPACE {lake.name('a', 'b')}")
    lake.run(f"CREATE TABLE {lake.name('a', 'b', 't')} (x INT) USING iceberg")
    lake.run(f"CREATE TABLE {lake.name('t')} (y INT) USING iceberg")
    lake.run(f"INSERT INTO {lake.name('a', 'b', 't')} VALUES (7)")
    home = ".".join(lake.home)
    same_items(lake.shown("NAMESPACES", column=0), [f"{home}.a"], "the listed namespaces")
    same_items(lake.shown("NAMESPACES", where=lake.name("a"), column=0), [f"{home}.a.b"], "the namespaces in a")
    same_items(lake.shown("TABLES", where=lake.name("a")), [], "the tables listed in a")
    equal(lake.run(f"SELECT * FROM {lake.name('a', 'b', 't')}"), [(7,)], "the rows of the table")
    lake.run(f"DROP TABLE {lake.name('a', 'b', 't')}")
    lake.run(f"DROP NAMESPACE {lake.name('a', 'b')}")
    same_items(lake.shown("NAMESPACES", where=lake.name("a"), column=0), [], "the namespaces in a")


@must("spark.iceberg.namespace.properties", operations=["updateProperties"], clause=CLAUSE, kind="scenario")
def test_properties(lake: Lake) -> None:
    """ALTER NAMESPACE sets and replaces properties, and leaves the others unchanged."""
    lake.run(f"ALTER NAMESPACE {lake.namespace} SET PROPERTIES (a = '1', b = '1')")
    lake.run(f"ALTER NAMESPACE {lake.namespace} SET PROPERTIES (b = '2')")
    described = lake.described(lake.namespace)
    has_property(described, "(a,1)")
    has_property(described, "(b,2)")


@must("spark.iceberg.namespace.dropped", operations=["dropNamespace"], clause=CLAUSE, kind="scenario")
def test_drop(lake: Lake, catalog: IcebergCatalog) -> None:
    """A dropped namespace is no longer listed, and DROP NAMESPACE IF EXISTS accepts a missing namespace."""
    (name,) = catalog.new_namespace("gone")
    lake.run(f"DROP NAMESPACE {lake.at(name)}")
    lacks(lake.shown("NAMESPACES", where=lake.catalog, column=0), [name], "the listed namespaces")
    lake.run(f"DROP NAMESPACE IF EXISTS {lake.at(name)}")
