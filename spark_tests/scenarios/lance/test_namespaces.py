"""Namespaces by SQL."""

from __future__ import annotations

from conformance.lance.catalog import LanceCatalog
from conformance.requirement import must
from spark_tests.scenarios.lake import Lake

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
    assert name in lake.shown("NAMESPACES", where=lake.catalog, column=0)
    described: dict[str, str] = dict(lake.run(f"DESCRIBE NAMESPACE EXTENDED {lake.at(name)}"))
    assert described.get("Comment") == "made here"
    assert "(team,a)" in described.get("Properties", "")


@must(
    "spark.lance.namespace.nested",
    operations=["CreateNamespace", "ListNamespaces", "DropNamespace", "CreateEmptyTable"],
    clause=CLAUSE,
    kind="scenario",
)
def test_nested(lake: Lake, catalog: LanceCatalog) -> None:
    """Namespaces within namespaces are made, listed at their level only, hold tables of their own, and are dropped."""
    catalog.require_nested()
    lake.run(f"CREATE NAMESPACE {lake.name('a')}")
    lake.run(f"CREATE NAMESPACE {lake.name('a', 'b')}")
    lake.run(f"CREATE TABLE {lake.name('a', 'b', 't')} (x INT) USING lance")
    lake.run(f"INSERT INTO {lake.name('a', 'b', 't')} VALUES (7)")
    home = ".".join(lake.home)
    assert lake.shown("NAMESPACES", column=0) == [f"{home}.a"]
    assert lake.shown("NAMESPACES", where=lake.name("a"), column=0) == [f"{home}.a.b"]
    assert lake.run(f"SELECT * FROM {lake.name('a', 'b', 't')}") == [(7,)]
    lake.run(f"DROP TABLE {lake.name('a', 'b', 't')}")
    lake.run(f"DROP NAMESPACE {lake.name('a', 'b')}")
    assert lake.shown("NAMESPACES", where=lake.name("a"), column=0) == []


@must("spark.lance.namespace.dropped", operations=["DropNamespace", "NamespaceExists"], clause=CLAUSE, kind="scenario")
def test_drop(lake: Lake, catalog: LanceCatalog) -> None:
    """A namespace that Spark drops is no longer listed, and DROP NAMESPACE IF EXISTS of none is no error."""
    name = f"{catalog.home_name}_gone"
    catalog.create_namespace((name,))
    lake.run(f"DROP NAMESPACE {lake.at(name)}")
    assert name not in lake.shown("NAMESPACES", where=lake.catalog, column=0)
    lake.run(f"DROP NAMESPACE IF EXISTS {lake.at(name)}")
