"""Errors as Spark reports them."""

from __future__ import annotations

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must
from conformance.author.suite import Suite
from conformance.iceberg.catalog import IcebergCatalog
from conformance.values.outcomes import Unoffered
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.starting import Starter, with_settings

CLAUSE = "iceberg-errors"
NO_TABLE = "TABLE_OR_VIEW_NOT_FOUND"
NO_SCHEMA = "SCHEMA_NOT_FOUND"


@must("spark.iceberg.error.table-exists", operations=["createTable"], clause=CLAUSE, kind="scenario")
def test_table_exists(lake: Lake) -> None:
    """CREATE TABLE on an existing table is rejected as existing, and with IF NOT EXISTS leaves it unchanged."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING iceberg")
    lake.refused(f"CREATE TABLE {lake.name('t')} (y INT) USING iceberg", "TABLE_OR_VIEW_ALREADY_EXISTS")
    lake.run(f"CREATE TABLE IF NOT EXISTS {lake.name('t')} (y INT) USING iceberg")
    equal(lake.columns(lake.name("t")), {"x": "int"}, "the columns of the table")


@must(
    "spark.iceberg.error.table-missing.{}",
    operations=["loadTable"],
    clause=CLAUSE,
    kind="scenario",
    each={
        "select": "SELECT * FROM {}",
        "insert": "INSERT INTO {} VALUES (1)",
        "drop": "DROP TABLE {}",
        "alter": "ALTER TABLE {} ADD COLUMN y INT",
    },
)
def test_table_missing(lake: Lake, case: str) -> None:
    """A statement on a missing table ({}) is rejected as a missing table."""
    lake.refused(case.format(lake.name("missing")), NO_TABLE)


@must("spark.iceberg.error.namespace-exists", operations=["createNamespace"], clause=CLAUSE, kind="scenario")
def test_namespace_exists(lake: Lake) -> None:
    """CREATE NAMESPACE on an existing namespace is rejected as existing."""
    lake.refused(f"CREATE NAMESPACE {lake.namespace}", "SCHEMA_ALREADY_EXISTS")


@must(
    "spark.iceberg.error.namespace-missing.{}",
    operations=["loadNamespaceMetadata", "createTable"],
    clause=CLAUSE,
    kind="scenario",
    each={
        "create_table": "CREATE TABLE {}.t (x INT) USING iceberg",
        "describe": "DESCRIBE NAMESPACE {}",
        "drop": "DROP NAMESPACE {}",
        "show_tables": "SHOW TABLES IN {}",
    },
)
def test_namespace_missing(lake: Lake, catalog: IcebergCatalog, case: str) -> None:
    """A statement on a missing namespace ({}) is rejected as a missing namespace."""
    (missing,) = catalog.missing_namespace()
    lake.refused(case.format(lake.at(missing)), NO_SCHEMA, "NoSuchNamespaceException")


@must("spark.iceberg.error.namespace-not-empty", operations=["dropNamespace"], clause=CLAUSE, kind="scenario")
def test_namespace_not_empty(lake: Lake) -> None:
    """DROP NAMESPACE on a namespace with a table is rejected as not empty, and the table stays."""
    lake.run(f"CREATE TABLE {lake.name('t')} (x INT) USING iceberg")
    lake.refused(f"DROP NAMESPACE {lake.namespace}", "NamespaceNotEmptyException", "SCHEMA_NOT_EMPTY")
    same_items(lake.shown("TABLES"), ["t"], "the listed tables")


@must("spark.iceberg.error.unauthorized", operations=["getConfig"], clause=CLAUSE, kind="scenario")
def test_unauthorized(lake: Lake, suite: Suite, starter: Starter) -> None:
    """A statement with an invalid token is rejected as not authorized."""
    if not suite.settings.token:
        raise Unoffered("the run has no token, so nothing says that the server wants one")
    attached = starter.attach(with_settings(suite.settings, token="not-the-token", credential=""))
    stranger = Lake(attached, lambda: lake.home, suite.client)
    stranger.refused(f"SHOW TABLES IN {stranger.namespace}", "NotAuthorizedException")
