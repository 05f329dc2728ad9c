"""PyIceberg against the reference server: each piece of work from beginning to end, on both backends."""

from __future__ import annotations

import warnings
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import (
    BadRequestError,
    CommitFailedException,
    CommitStateUnknownException,
    NamespaceAlreadyExistsError,
    NamespaceNotEmptyError,
    NoSuchNamespaceError,
    NoSuchTableError,
    TableAlreadyExistsError,
    UnauthorizedError,
)
from pyiceberg.types import LongType

from lakeproof import serve

ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})


@pytest.fixture(params=["memory", "dir"])
def catalog(request, tmp_path):
    storage = request.param if request.param == "memory" else f"dir:{tmp_path / 'lake'}"
    with serve("iceberg", storage=storage) as server:
        catalog = load_catalog("reference", type="rest", uri=server.url)
        catalog.create_namespace("ns")
        yield catalog


@pytest.fixture
def table(catalog):
    table = catalog.create_table("ns.t", ROWS.schema)
    table.append(ROWS)
    return table


def ids(table):
    return sorted(table.scan().to_arrow()["id"].to_pylist())


def test_namespaces(catalog):
    with pytest.raises(BadRequestError, match="/properties/k: 1 is not of type"):
        catalog.create_namespace(("ns", "inner"), {"k": 1})  # which PyIceberg sends as a number
    catalog.create_namespace(("ns", "inner"), {"k": "1"})
    assert catalog.load_namespace_properties(("ns", "inner"))["k"] == "1"
    assert catalog.list_namespaces("ns") == [("ns", "inner")]
    catalog.update_namespace_properties(("ns", "inner"), removals={"k"}, updates={"l": "2"})
    assert catalog.load_namespace_properties(("ns", "inner")) == {"l": "2"}
    with pytest.raises(NamespaceAlreadyExistsError):
        catalog.create_namespace("ns")
    with pytest.raises(NamespaceNotEmptyError):
        catalog.drop_namespace("ns")
    with pytest.raises(NoSuchNamespaceError):
        catalog.load_namespace_properties("missing")


def test_rows_come_and_go(table):
    table.append(pa.table({"id": [4], "name": ["d"]}))
    assert ids(table) == [1, 2, 3, 4]
    table.delete("id < 3")
    assert ids(table) == [3, 4]
    table.overwrite(pa.table({"id": [9], "name": ["z"]}))
    assert ids(table) == [9]
    assert table.history()[-1].snapshot_id == table.current_snapshot().snapshot_id


def test_schema_and_spec_evolve(catalog, table):
    with table.update_schema() as update:
        update.add_column("more", LongType())
        update.rename_column("name", "title")
    with table.update_spec() as update:
        update.add_identity("id")
    table.append(pa.table({"id": [4], "title": ["d"], "more": [5]}))
    loaded = catalog.load_table("ns.t")
    assert loaded.scan(row_filter="id = 4").to_arrow().to_pylist() == [{"id": 4, "title": "d", "more": 5}]
    assert [field.name for field in loaded.spec().fields] == ["id"]


def test_branches_and_tags(catalog, table):
    first = table.current_snapshot().snapshot_id
    table.manage_snapshots().create_tag(first, "start").create_branch(first, "work").commit()
    table.append(pa.table({"id": [4], "name": ["d"]}), branch="work")
    loaded = catalog.load_table("ns.t")
    assert set(loaded.refs()) == {"main", "start", "work"}
    assert loaded.scan().use_ref("work").to_arrow().num_rows == 4
    assert ids(loaded) == [1, 2, 3]


def test_a_transaction_is_one_commit(catalog, table):
    before = len(table.metadata.metadata_log)
    with table.transaction() as transaction:
        transaction.set_properties(owner="me")
        transaction.append(pa.table({"id": [4], "name": ["d"]}))
    loaded = catalog.load_table("ns.t")
    assert loaded.properties["owner"] == "me"
    assert ids(loaded) == [1, 2, 3, 4]
    assert len(loaded.metadata.metadata_log) == before + 1


def test_a_staged_table_appears_with_its_commit(catalog):
    transaction = catalog.create_table_transaction("ns.staged", ROWS.schema)
    assert not catalog.table_exists("ns.staged")
    transaction.append(ROWS)
    transaction.commit_transaction()
    assert ids(catalog.load_table("ns.staged")) == [1, 2, 3]


def test_a_stale_commit_fails(catalog, table):
    stale = catalog.load_table("ns.t")
    with table.update_schema() as update:
        update.add_column("more", LongType())
    with pytest.raises(CommitFailedException), stale.update_schema() as update:
        update.add_column("other", LongType())
    assert [field.name for field in catalog.load_table("ns.t").schema().fields] == ["id", "name", "more"]


def test_names_move(catalog, table):
    catalog.rename_table("ns.t", "ns.u")
    assert catalog.list_tables("ns") == [("ns", "u")]
    location = catalog.load_table("ns.u").metadata_location
    catalog.drop_table("ns.u")
    catalog.register_table("ns.v", location)
    assert ids(catalog.load_table("ns.v")) == [1, 2, 3]
    with pytest.raises(TableAlreadyExistsError):
        catalog.create_table("ns.v", ROWS.schema)
    catalog.purge_table("ns.v")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("ns.v")


def test_a_table_with_two_names_is_there_until_both_are_purged(catalog, table):
    again = catalog.register_table("ns.again", catalog.load_table("ns.t").metadata_location)
    again.append(pa.table({"id": [4], "name": ["d"]}))
    catalog.purge_table("ns.t")
    assert ids(catalog.load_table("ns.again")) == [1, 2, 3, 4]
    catalog.purge_table("ns.again")
    with pytest.raises(NoSuchTableError):
        catalog.load_table("ns.again")


def test_a_warehouse_with_credentials():
    settings: dict[str, Any] = {"warehouses": ("default", "lab"), "auth": "oauth:me:s3cret"}
    with serve("iceberg", **settings) as server:
        given = {"type": "rest", "uri": server.url, "warehouse": "lab"}
        catalog = load_catalog("lab", **given, credential="me:s3cret")
        catalog.create_namespace("ns")
        catalog.create_table("ns.t", ROWS.schema).append(ROWS)
        assert "/lab/ns/" in catalog.load_table("ns.t").location()
        assert ids(catalog.load_table("ns.t")) == [1, 2, 3]
        other = load_catalog("default", type="rest", uri=server.url, credential="me:s3cret")
        assert other.list_namespaces() == []
        with pytest.raises(UnauthorizedError):
            load_catalog("lab", **given, token="wrong")


@pytest.mark.parametrize("apis", [("iceberg",), ()])
def test_the_token_endpoint_is_not_guessed(apis):
    """PyIceberg guesses the endpoint of its first token, before it reads the configuration, unless it is given."""
    with serve(*apis, auth="oauth:me:s3cret") as server:
        given = {"type": "rest", "uri": server.urls["iceberg"], "credential": "me:s3cret"}
        with pytest.warns(DeprecationWarning, match="missing the OAuth2 server URI") as guesses:
            named = load_catalog("reference", **given).properties["oauth2-server-uri"]
        assert len(guesses) == 1
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            catalog = load_catalog("told", **given, **{"oauth2-server-uri": named})
            catalog.create_namespace("ns")
            catalog.create_table("ns.t", ROWS.schema).append(ROWS)
            assert ids(catalog.load_table("ns.t")) == [1, 2, 3]


def test_a_client_keeps_its_own_token_endpoint():
    with serve("iceberg", auth="oauth:me:s3cret") as server:
        own = f"http://localhost:{server.port}/v1/oauth/tokens"
        given = {"type": "rest", "uri": server.url, "credential": "me:s3cret", "oauth2-server-uri": own}
        assert load_catalog("own", **given).properties["oauth2-server-uri"] == own


def test_faults_reach_the_client():
    with serve("iceberg", faults=["commit-state-unknown"]) as server:
        catalog = load_catalog("reference", type="rest", uri=server.url)
        catalog.create_namespace("ns")
        table = catalog.create_table("ns.t", ROWS.schema)
        with pytest.raises(CommitStateUnknownException):
            table.append(ROWS)
        assert ids(catalog.load_table("ns.t")) == [1, 2, 3]


def test_the_server_plans_scans(table, catalog):
    there = load_catalog("there", type="rest", uri=catalog.uri, **{"scan-planning-mode": "server"})
    with table.update_spec() as update:
        update.add_field("id", "bucket[4]", "shard")
    table.append(pa.table({"id": [4, 5, 6], "name": ["d", "e", "f"]}))
    table.delete("id = 5")
    remote = there.load_table("ns.t")
    assert catalog.supports_server_side_planning() is False
    assert there.supports_server_side_planning() is True
    assert ids(remote) == [1, 2, 3, 4, 6]
    for chosen in ("id > 3", "id = 4 or name = 'a'", "name is null", "not (name like 'd%')"):
        here, planned = (side.scan(row_filter=chosen) for side in (table, remote))
        assert {task.file.file_path for task in planned.plan_files()} <= {
            task.file.file_path for task in here.plan_files()
        }
        assert planned.to_arrow().sort_by("id") == here.to_arrow().sort_by("id")
    first = table.history()[0].snapshot_id
    assert remote.scan(snapshot_id=first, selected_fields=("name",)).to_arrow()["name"].to_pylist() == ["a", "b", "c"]


def test_the_server_plans_scans_piece_by_piece():
    with serve("iceberg", page_size=1) as server:
        catalog = load_catalog("there", type="rest", uri=server.url, **{"scan-planning-mode": "server"})
        catalog.create_namespace("ns")
        table = catalog.create_table("ns.t", ROWS.schema)
        for number in range(5):
            table.append(pa.table({"id": [number], "name": ["x"]}))
        assert ids(table) == [0, 1, 2, 3, 4]
