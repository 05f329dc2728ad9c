"""DuckDB with its extension for Iceberg, step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.clients.steps import EXPIRED_AFTER, OAUTH, Session

EXTENSIONS = ("httpfs", "avro", "iceberg")  # in the order in which one needs the other
OFFLINE: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
TOKEN = "CREATE SECRET access (TYPE iceberg, TOKEN '{}')"
CREDENTIAL = (
    "CREATE OR REPLACE SECRET access (TYPE iceberg, CLIENT_ID '{}', CLIENT_SECRET '{}', OAUTH2_SERVER_URI '{}')"
)
ATTACH = "ATTACH '' AS lake (TYPE iceberg, ENDPOINT '{}', {})"


def load_extensions(connection):
    """Load the extensions for Iceberg, which are installed as packages."""
    for name in EXTENSIONS:
        folder = Path(import_module(f"duckdb_extension_{name}").__file__).parent
        (extension,) = folder.rglob("*.duckdb_extension")
        connection.execute(f"LOAD '{extension}'")


def exchange(session: Session) -> Iterator[str]:
    """Work with a credential until its token has expired, and further with the next token."""
    id, _, secret = session.credential.partition(":")
    with duckdb.connect(config=OFFLINE) as connection:
        load_extensions(connection)
        sql = connection.sql
        with pytest.raises(duckdb.Error, match="401"):
            sql(CREDENTIAL.format(id, "wrong", session.token_endpoint))
            sql(ATTACH.format(session.url, "SECRET access"))
        sql(CREDENTIAL.format(id, secret, session.token_endpoint))
        sql(ATTACH.format(session.url, "SECRET access"))
        sql("CREATE SCHEMA lake.ns")
        time.sleep(EXPIRED_AFTER)
        sql("DROP SCHEMA lake.ns")
        yield OAUTH


def drive(session: Session) -> Iterator[str]:
    with duckdb.connect(config=OFFLINE) as connection:
        load_extensions(connection)
        sql = connection.sql
        if session.token:
            sql(TOKEN.format("wrong"))
            with pytest.raises(duckdb.Error, match=r"401|Unauthorized"):
                sql(ATTACH.format(session.url, "SECRET access"))
            sql("DROP SECRET access")
            sql(TOKEN.format(session.token))
        sql(ATTACH.format(session.url, "SECRET access" if session.token else "AUTHORIZATION_TYPE 'none'"))
        sql("CREATE SCHEMA lake.ns")
        assert sql("SELECT schema_name FROM duckdb_schemas() WHERE database_name = 'lake'").fetchall() == [("ns",)]
        yield "namespaces"
        sql("CREATE TABLE lake.ns.t (id BIGINT, name VARCHAR)")
        with pytest.raises(duckdb.Error, match="already exists"):
            sql("CREATE TABLE lake.ns.t (id BIGINT)")
        yield "create"
        sql("INSERT INTO lake.ns.t VALUES (1, 'a'), (2, 'b')")
        yield "write"
        assert sql("FROM lake.ns.t ORDER BY id").fetchall() == [(1, "a"), (2, "b")]
        yield "read"
        assert sql("SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'").fetchall() == [("t",)]
        yield "list"
        sql("ALTER TABLE lake.ns.t ADD COLUMN more INTEGER")
        sql("INSERT INTO lake.ns.t VALUES (3, 'c', 7)")
        assert sql("SELECT more FROM lake.ns.t WHERE id = 3").fetchall() == [(7,)]
        yield "evolve"
        with connection.cursor() as other:
            for cursor in (connection, other):
                cursor.execute("BEGIN")
                cursor.execute("UPDATE lake.ns.t SET name = 'z' WHERE id = 1")
            other.execute("COMMIT")
            with pytest.raises(duckdb.Error):
                connection.execute("COMMIT")
        yield "conflict"
        sql("ALTER TABLE lake.ns.t RENAME TO u")
        yield "rename"
        sql("DROP TABLE lake.ns.u")
        with pytest.raises(duckdb.Error, match="does not exist"):
            sql("FROM lake.ns.u")
        sql("DROP SCHEMA lake.ns")
        yield "drop"
        for kind, name in session.names.items():
            quoted = name.replace('"', '""')
            schema, table = f'lake."{quoted}"', f'lake."{quoted}"."{quoted}"'
            sql(f"CREATE SCHEMA {schema}")
            sql(f"CREATE TABLE {table} AS SELECT 1 AS id")
            assert sql(f"FROM {table}").fetchall() == [(1,)]
            sql(f"DROP TABLE {table}")
            sql(f"DROP SCHEMA {schema}")
            yield kind
