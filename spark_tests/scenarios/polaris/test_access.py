"""Access control: two principals with different grants, each in its own session."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import must
from conformance.polaris.callers import Caller
from conformance.polaris.catalog import PolarisCatalog
from spark_tests.scenarios.lake import Lake
from spark_tests.scenarios.polaris.conftest import LakeOf

CLAUSE = "polaris-access"
CONTENT = "CATALOG_MANAGE_CONTENT"
FORBIDDEN = "ForbiddenException"
READER = ("NAMESPACE_LIST", "NAMESPACE_READ_PROPERTIES", "TABLE_READ_DATA")
ROWS = [(1, "a"), (2, "b")]
OPERATIONS = ["createPrincipal", "addGrantToCatalogRole", "loadTable", "updateTable"]


def on_catalog(*privileges: str) -> list[dict[str, Any]]:
    """Return grants of privileges on the whole catalog."""
    return [{"type": "catalog", "privilege": privilege} for privilege in privileges]


def on_namespace(levels: tuple[str, ...], *privileges: str) -> list[dict[str, Any]]:
    """Return grants of privileges on a namespace."""
    return [{"type": "namespace", "namespace": list(levels), "privilege": privilege} for privilege in privileges]


def filled(catalog: PolarisCatalog, lake_of: LakeOf) -> Lake:
    """Create a table with two rows as a principal with all privileges; return that principal's catalog."""
    writer = lake_of(catalog.new_caller(*on_catalog(CONTENT)))
    writer.run(f"CREATE TABLE {writer.name('t')} USING iceberg AS SELECT * FROM VALUES (1, 'a'), (2, 'b') AS s(x, y)")
    return writer


def rows(lake: Lake) -> list[tuple[Any, ...]]:
    """Return the rows of the table."""
    return lake.run(f"SELECT x, y FROM {lake.name('t')} ORDER BY x")


@must("spark.polaris.access.reader", operations=OPERATIONS, clause=CLAUSE, kind="scenario")
def test_reader(catalog: PolarisCatalog, lake_of: LakeOf) -> None:
    """A principal that may only read data reads another principal's rows, but cannot insert, drop, alter or create."""
    writer = filled(catalog, lake_of)
    reader = lake_of(catalog.new_caller(*on_catalog(*READER)))
    equal(rows(reader), ROWS, "the rows that the reader sees")
    for statement in (
        f"INSERT INTO {reader.name('t')} VALUES (3, 'c')",
        f"DROP TABLE {reader.name('t')}",
        f"CREATE TABLE {reader.name('u')} (x INT) USING iceberg",
        f"ALTER TABLE {reader.name('t')} ADD COLUMN z INT",
    ):
        reader.refused(statement, FORBIDDEN)
    equal(rows(writer), ROWS, "the rows after what was refused")


@must("spark.polaris.access.nothing", operations=OPERATIONS, clause=CLAUSE, kind="scenario")
def test_nothing(catalog: PolarisCatalog, lake_of: LakeOf) -> None:
    """A principal without grants can neither list nor read tables."""
    writer = filled(catalog, lake_of)
    stranger = lake_of(catalog.new_caller())
    stranger.refused(f"SELECT * FROM {stranger.name('t')}", FORBIDDEN)
    stranger.refused(f"SHOW TABLES IN {stranger.namespace}", FORBIDDEN)
    equal(rows(writer), ROWS, "the rows that the other principal sees")


@must("spark.polaris.access.revoked", operations=OPERATIONS, clause=CLAUSE, kind="scenario")
def test_revoked(catalog: PolarisCatalog, lake_of: LakeOf) -> None:
    """A grant revoked between two statements applies only to the first, and applies again once it is granted again."""
    filled(catalog, lake_of)
    grants = on_catalog(*READER)
    caller = catalog.new_caller(*grants)
    reader = lake_of(caller)
    equal(rows(reader), ROWS, "the rows before")
    change(catalog, caller, grants, "revoke")
    reader.refused(f"SELECT x, y FROM {reader.name('t')}", FORBIDDEN)
    change(catalog, caller, grants, "add")
    equal(rows(reader), ROWS, "the rows after the privileges were granted again")


def change(catalog: PolarisCatalog, caller: Caller, grants: list[dict[str, Any]], way: str) -> None:
    """Grant privileges to the role of a caller, or revoke them."""
    send = {"add": catalog.add_grant_to_catalog_role, "revoke": catalog.revoke_grant_from_catalog_role}[way]
    for grant in grants:
        send(catalog.home, caller.catalog_role, grant)


@must("spark.polaris.access.own-namespace", operations=OPERATIONS, clause=CLAUSE, kind="scenario")
def test_own_namespace(catalog: PolarisCatalog, lake_of: LakeOf) -> None:
    """Each of two principals can write to the namespace granted to it, and not to the namespace of the other."""
    filled(catalog, lake_of)
    ours, theirs = catalog.tables.home, catalog.tables.new_namespace()
    lake, other = (lake_of(catalog.new_caller(*on_namespace(levels, CONTENT))) for levels in (ours, theirs))
    lake.run(f"INSERT INTO {lake.name('t')} VALUES (3, 'c')")
    other.run(f"CREATE TABLE {other.at(*theirs, 't')} USING iceberg AS SELECT 9 AS x, 'z' AS y")
    other.refused(f"INSERT INTO {other.name('t')} VALUES (4, 'd')", FORBIDDEN)
    lake.refused(f"INSERT INTO {lake.at(*theirs, 't')} VALUES (4, 'd')", FORBIDDEN)
    equal(rows(lake), [*ROWS, (3, "c")], "the rows of one namespace")
    equal(other.run(f"SELECT x, y FROM {other.at(*theirs, 't')}"), [(9, "z")], "the rows of the other")
