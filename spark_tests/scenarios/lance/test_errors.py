"""Errors as Spark reports them."""

from __future__ import annotations

from conformance.author.checks import equal, lacks, same_items
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.lance.catalog import LanceCatalog
from conformance.values.outcomes import Unoffered
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.starting import Starter, with_settings

CLAUSE = "lance-errors"
CREATE = ("CreateEmptyTable", "DescribeTable")
FILLED = ("CreateEmptyTable", "DropNamespace")
CONNECTOR = ("LanceNamespaceException", "RuntimeException")


@must("spark.lance.error.table-exists", operations=["TableExists", "CreateEmptyTable"], clause=CLAUSE, kind="scenario")
def test_table_exists(lake: Lake) -> None:
    """CREATE TABLE on an existing table is rejected as existing, and with IF NOT EXISTS leaves it unchanged."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING lance")
    lake.refused(f"CREATE TABLE {lake.name('t')} (y INT) USING lance", "TABLE_OR_VIEW_ALREADY_EXISTS")
    lake.run(f"CREATE TABLE IF NOT EXISTS {lake.name('t')} (y INT) USING lance")
    equal(lake.columns(lake.name("t")), {"x": "int"}, "the columns of the table")


@must(
    "spark.lance.error.table-missing.{}",
    operations=["DescribeTable", "TableExists"],
    clause=CLAUSE,
    kind="scenario",
    each={"select": "SELECT * FROM {}", "insert": "INSERT INTO {} VALUES (1)", "drop": "DROP TABLE {}"},
)
def test_table_missing(lake: Lake, case: str) -> None:
    """A statement on a missing table ({}) is rejected as a missing table."""
    lake.refused(case.format(lake.name("missing")), "TABLE_OR_VIEW_NOT_FOUND")


@must(
    "spark.lance.error.namespace-exists",
    operations=["NamespaceExists", "CreateNamespace"],
    clause=CLAUSE,
    kind="scenario",
)
def test_namespace_exists(lake: Lake) -> None:
    """CREATE NAMESPACE on an existing namespace is rejected as existing."""
    lake.refused(f"CREATE NAMESPACE {lake.namespace}", "SCHEMA_ALREADY_EXISTS")


@must(
    "spark.lance.error.namespace-missing.{}",
    operations=["NamespaceExists", "ListTables", "CreateEmptyTable"],
    clause=CLAUSE,
    kind="scenario",
    each={
        "create_table": "CREATE TABLE {}.t (x INT) USING lance",
        "describe": "DESCRIBE NAMESPACE {}",
        "drop": "DROP NAMESPACE {}",
        "show_tables": "SHOW TABLES IN {}",
    },
)
def test_namespace_missing(lake: Lake, catalog: LanceCatalog, case: str) -> None:
    """A statement on a missing namespace ({}) is rejected."""
    lake.refused(case.format(lake.at(*catalog.missing_namespace())), "SCHEMA_NOT_FOUND", *CONNECTOR)


@must("spark.lance.error.namespace-not-empty", operations=FILLED, clause=CLAUSE, kind="scenario")
def test_namespace_not_empty(lake: Lake) -> None:
    """DROP NAMESPACE on a namespace with a table is rejected, and the table stays; with CASCADE both are dropped."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING lance")
    lake.refused(f"DROP NAMESPACE {lake.namespace}", "SCHEMA_NOT_EMPTY", *CONNECTOR)
    same_items(lake.shown("TABLES"), ["t"], "the listed tables")
    lake.run(f"DROP NAMESPACE {lake.namespace} CASCADE")
    lacks(lake.shown("NAMESPACES", where=lake.catalog, column=0), [lake.home[0]], "the listed namespaces")


@must("spark.lance.error.unauthorized", operations=CREATE, clause=CLAUSE, kind="scenario")
def test_unauthorized(lake: Lake, suite: Suite, starter: Starter) -> None:
    """A query with an invalid token is rejected and returns no rows."""
    if not suite.settings.token:
        raise Unoffered("the run has no token, so nothing says that the server wants one")
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING lance")
    attached = starter.attach(with_settings(suite.settings, token="not-the-token"))
    stranger = Lake(attached, lambda: lake.home, suite.client)
    stranger.refused(f"SELECT * FROM {stranger.name('t')}", "LanceNamespaceException")
