"""PyIceberg, step by step."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    CommitFailedException,
    NoSuchNamespaceError,
    NoSuchTableError,
    OAuthError,
    TableAlreadyExistsError,
    UnauthorizedError,
)
from pyiceberg.types import LongType
from pyiceberg.view.metadata import ViewVersion

from tests.clients.steps import EXPIRED_AFTER, OAUTH, Session

ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})


def connect(session: Session):
    """Return the catalog. If the server wants a token, a wrong one is refused first."""
    given = {"type": "rest", "uri": session.url}
    if session.token:
        with pytest.raises(UnauthorizedError):
            load_catalog("wrong", **given, token="wrong").list_namespaces()
        given["token"] = session.token
    return load_catalog("steps", **given)


def exchange(session: Session) -> Iterator[str]:
    """Work with a credential until its token has expired, and further with the next token."""
    given = {"type": "rest", "uri": session.url, "oauth2-server-uri": session.token_endpoint}
    with pytest.raises(OAuthError):
        load_catalog("wrong", **given, credential=f"{session.credential}x")
    catalog = load_catalog("oauth", **given, credential=session.credential)
    assert catalog.list_namespaces() == []
    time.sleep(EXPIRED_AFTER)
    assert catalog.list_namespaces() == []
    yield OAUTH


def rows_of(table):
    """The rows of a table, sorted by id."""
    return table.scan().to_arrow().sort_by("id").to_pylist()


def drive(session: Session) -> Iterator[str]:
    catalog = connect(session)
    catalog.create_namespace("ns", {"owner": "me"})
    catalog.update_namespace_properties("ns", removals={"owner"}, updates={"team": "us"})
    assert catalog.load_namespace_properties("ns") == {"team": "us"}
    assert catalog.list_namespaces() == [("ns",)]
    yield "namespaces"
    table = catalog.create_table("ns.t", ROWS.schema)
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("ns.t", ROWS.schema)
    yield "create"
    table.append(ROWS)
    yield "write"
    assert rows_of(catalog.load_table("ns.t")) == ROWS.to_pylist()
    yield "read"
    assert catalog.list_tables("ns") == [("ns", "t")]
    yield "list"
    stale = catalog.load_table("ns.t")
    with table.transaction() as change:
        change.update_schema().add_column("more", LongType()).commit()
        change.set_properties(owner="me")
    assert catalog.load_table("ns.t").schema().find_field("more").field_type == LongType()
    yield "evolve"
    table.manage_snapshots().create_branch(table.current_snapshot().snapshot_id, "work").commit()
    table.append(pa.table({"id": [4], "name": ["d"]}), branch="work")
    assert catalog.load_table("ns.t").scan().use_ref("work").to_arrow().num_rows == 4
    yield "branches"
    with pytest.raises(CommitFailedException), stale.update_schema() as update:
        update.add_column("other", LongType())
    yield "conflict"
    catalog.rename_table("ns.t", "ns.u")
    assert catalog.list_tables("ns") == [("ns", "u")]
    yield "rename"
    text = {"type": "sql", "sql": "SELECT 1 AS id", "dialect": "spark"}
    about = {"version-id": 1, "schema-id": 1, "timestamp-ms": 1, "summary": {}, "default-namespace": ["ns"]}
    version = ViewVersion.model_validate({**about, "representations": [text]})
    catalog.create_view("ns.v", ROWS.schema, version)
    assert catalog.load_view("ns.v").sql_for("spark").sql == text["sql"]
    assert catalog.list_views("ns") == [("ns", "v")]
    catalog.drop_view("ns.v")
    assert not catalog.view_exists("ns.v")
    yield "views"
    catalog.purge_table("ns.u")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("ns.u")
    catalog.drop_namespace("ns")
    with pytest.raises(NoSuchNamespaceError):
        catalog.load_namespace_properties("ns")
    yield "drop"
    yield from names(catalog, session.names)


def names(catalog, unusual):
    """Work under the unusual names."""
    for kind, name in unusual.items():
        catalog.create_namespace((name,))
        catalog.create_table((name, name), ROWS.schema).append(ROWS)
        assert catalog.list_tables((name,)) == [(name, name)]
        assert rows_of(catalog.load_table((name, name))) == ROWS.to_pylist()
        catalog.drop_table((name, name))
        catalog.drop_namespace((name,))
        yield kind
