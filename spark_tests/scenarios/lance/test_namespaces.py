"""Namespaces by SQL."""

from __future__ import annotations

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog
from spark_tests.scenarios.lake import Lake, has_property

CLAUSE = "lance-namespaces"


@must(
    "spark.lance.namespace.created",
    operations=["CreateNamespace", "NamespaceExists", "ListNamespaces", "DescribeNamespace"],
    clause=CLAUSE,
    kind="scenario",
)
def test_create(lake: Lake, catalog: LanceCatalog) -> None:
    """A namespace that Spark creates is listed and described with its properties."""
    name = f"{catalog.home_name}_made"
    catalog.note_namespaces([(name,)])
    lake.run(f"CREATE NAMESPACE {lake.at(name)} COMMENT 'made here' WITH PROPERTIES (team = 'a')")
    contains(lake.shown("NAMESPACES", where=lake.catalog, column=0), [name], "the listed namespaces")
    described = lake.described(lake.at(name))
    equal(described.get("Comment"), "made here", "the Comment of the namespace")
    has_property(described, "(team,a)")


@must(
    "spark.lance.namespace.nested",
    operations=["CreateNamespace", "ListNamespaces", "DropNamespace", "CreateEmptyTable"],
    clause=CLAUSE,
    kind="scenario",
)
def test_nested(lake: Lake, catalog: LanceCatalog) -> None:
    """Nested namespaces can be created and dropped, are listed only at their level, and contain their own tables."""
    catalog.require_nested()
    lake.run(f"CREATE NAMESPACE {lake.name('a')}")
    lake.run(f"CREATE NAMESPACE {lake.name('a', 'b')}")
    lake.run(f"CREATE TABLE {lake.name('a', 'b', 't')} (x INT) USING lance")
    lake.run(f"INSERT INTO {lake.name('a', 'b', 't')} VALUES (7)")
    home = ".".join(lake.home)
    same_items(lake.shown("NAMESPACES", column=0), [f"{home}.a"], "the listed namespaces")
    same_items(lake.shown("NAMESPACES", where=lake.name("a"), column=0), [f"{home}.a.b"], "the namespaces in a")
    equal(lake.run(f"SELECT * FROM {lake.name('a', 'b', 't')}"), [(7,)], "the rows of the table")
    lake.run(f"DROP TABLE {lake.name('a', 'b', 't')}")
    lake.run(f"DROP NAMESPACE {lake.name('a', 'b')}")
    same_items(lake.shown("NAMESPACES", where=lake.name("a"), column=0), [], "the namespaces in a")


@must("spark.lance.namespace.dropped", operations=["DropNamespace", "NamespaceExists"], clause=CLAUSE, kind="scenario")
def test_drop(lake: Lake, catalog: LanceCatalog) -> None:
    """A dropped namespace is no longer listed, and DROP NAMESPACE IF EXISTS accepts a missing namespace."""
    name = f"{catalog.home_name}_gone"
    catalog.create_namespace((name,))
    lake.run(f"DROP NAMESPACE {lake.at(name)}")
    lacks(lake.shown("NAMESPACES", where=lake.catalog, column=0), [name], "the listed namespaces")
    lake.run(f"DROP NAMESPACE IF EXISTS {lake.at(name)}")
