"""Warehouses on S3: tables that are created, changed, registered and purged there, by PyIceberg too."""

from __future__ import annotations

import gzip
import json

import pyarrow as pa
import pytest
from pyarrow.fs import FileSelector, S3FileSystem
from pyiceberg.catalog import load_catalog

from lakeproof import serve
from reference_server.iceberg.catalog.warehouses import parse_warehouses
from reference_server.iceberg.files.buckets import parse_bucket
from specs.problems import Problem
from tests.reference_server.iceberg.conftest import Api, at_once

SET = {"action": "set-properties", "updates": {"k": "v"}}
ROWS = pa.table({"id": [1, 2, 3], "name": ["a", "b", "c"]})


@pytest.fixture
def bucket(s3_url):
    return S3FileSystem(access_key="k", secret_key="s", endpoint_override=s3_url, region="eu-west-1")


@pytest.fixture(params=["memory", "dir"])
def open_api(request, tmp_path, http, s3_warehouse):
    def opened(**settings):
        storage = request.param if request.param == "memory" else f"dir:{tmp_path / 'lake'}"
        return serve("iceberg", storage=storage, warehouses=(s3_warehouse, "lab"), **settings)

    return opened


@pytest.fixture
def api(open_api, http):
    with open_api() as server:
        api = Api(http, server.url)
        api.namespace("a")
        yield api
        for identifier in api.call("GET", "namespaces/a/tables").body["identifiers"]:
            api.call("DELETE", f"namespaces/a/tables/{identifier['name']}?purgeRequested=true")


def files(bucket, location):
    path = location.removeprefix("s3://")
    files = bucket.get_file_info(FileSelector(path, recursive=True, allow_not_found=True))
    return sorted(file.path.removeprefix(f"{path}/") for file in files if file.is_file)


def test_a_table_lives_in_the_bucket(api, bucket):
    created = api.table().body
    location = created["metadata"]["location"]
    assert location.startswith("s3://lake/house/a/t-")
    committed = api.commit([SET], expect=200).body
    names = [body["metadata-location"].removeprefix(f"{location}/") for body in (created, committed)]
    assert files(bucket, location) == sorted(names)
    with bucket.open_input_file(committed["metadata-location"].removeprefix("s3://")) as stream:
        assert json.loads(stream.read()) == committed["metadata"]
    assert api.load(expect=200).body["metadata"] == committed["metadata"]


def test_config_says_where_the_bucket_is_and_nothing_secret(api, s3_url):
    config = api.table().body["config"]
    assert config == {
        "client.region": "eu-west-1",
        "s3.region": "eu-west-1",
        "s3.endpoint": s3_url,
        "s3.path-style-access": "true",
    }
    assert api.load().body["config"] == config
    local = Api(api.http, api.url, "lab/")
    local.namespace("a")
    assert local.table().body["config"] == {}


def test_compressed_metadata(api, bucket):
    table = api.table(properties={"write.metadata.compression-codec": "gzip"}).body
    assert table["metadata-location"].endswith(".gz.metadata.json")
    with bucket.open_input_file(table["metadata-location"].removeprefix("s3://")) as stream:
        assert json.loads(gzip.decompress(stream.read())) == table["metadata"]
    location = api.commit([SET], expect=200).body["metadata-location"]
    api.call("DELETE", "namespaces/a/tables/t", expect=204)
    body = {"name": "t", "metadata-location": location}
    assert api.call("POST", "namespaces/a/register", body, expect=200).body["metadata"]["properties"]["k"] == "v"


def test_dropped_and_registered(api, bucket):
    table = api.table().body
    api.call("DELETE", "namespaces/a/tables/t", expect=204)
    assert len(files(bucket, table["metadata"]["location"])) == 1
    body = {"name": "u", "metadata-location": table["metadata-location"].replace("s3://", "s3a://")}
    registered = api.call("POST", "namespaces/a/register", body, expect=200).body
    assert registered["metadata"] == table["metadata"]
    api.call("DELETE", "namespaces/a/tables/u?purgeRequested=true", expect=204)
    assert files(bucket, table["metadata"]["location"]) == []
    gone = api.call("POST", "namespaces/a/register", {"name": "t", "metadata-location": table["metadata-location"]})
    assert (gone.status, gone.type) == (404, "NotFoundException")


def test_other_buckets_are_not_touched(api):
    other = "s3://elsewhere/t/metadata/00000-x.metadata.json"
    assert api.call("POST", "namespaces/a/register", {"name": "t", "metadata-location": other}).status == 400
    api.table()
    moved = {"action": "set-location", "location": "s3://elsewhere/t"}
    assert api.commit([moved]).status == 400


def test_tables_outlive_the_server(tmp_path, http, s3_warehouse):
    for _ in range(2):
        with serve("iceberg", storage=f"dir:{tmp_path}", warehouses=(s3_warehouse,)) as server:
            api = Api(http, server.url)
            if api.call("HEAD", "namespaces/a").status == 404:
                api.namespace("a")
                api.table()
            assert api.load(expect=200).body["metadata-location"].startswith("s3://lake/house/")


def test_commits_at_once(api, bucket):
    location = api.table().body["metadata"]["location"]
    answers = at_once(6, lambda: api.commit([SET]))
    assert {answer.status for answer in answers} == {200}
    log = api.load().body["metadata"]["metadata-log"]
    assert len(log) == 6
    assert len(files(bucket, location)) == 7


@pytest.mark.parametrize("access", ["vended-credentials", "remote-signing"])
def test_pyiceberg_writes_with_the_access_that_it_is_given(open_api, access, bucket):
    with open_api() as server:
        headers = {"header.X-Iceberg-Access-Delegation": access}
        catalog = load_catalog("s3", type="rest", uri=server.url, **headers)
        catalog.create_namespace("ns")
        table = catalog.create_table("ns.t", ROWS.schema)
        assert (table.io.properties.get("s3.session-token") is not None) == (access == "vended-credentials")
        if access == "remote-signing":  # without s3fs PyIceberg signs nothing; test_signing.py has its signer
            assert table.io.properties["s3.signer.endpoint"] == "v1/namespaces/ns/tables/t/sign"
            return
        table.append(ROWS)
        table.append(ROWS)
        again = catalog.load_table("ns.t")
        assert again.scan(row_filter="id > 1").to_arrow().num_rows == 4
        location = again.location()
        assert sum(name.startswith("data/") for name in files(bucket, location)) == 2
        catalog.purge_table("ns.t")
        assert files(bucket, location) == []


def test_what_a_uri_says(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "from-env")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret-from-env")
    uri, bucket = parse_bucket("s3a://b/p/?endpoint_override=h:9&scheme=http&credentials=own")
    assert (uri, bucket.name, bucket.endpoint, bucket.region) == ("s3a://b/p", "b", "http://h:9", "")
    assert (bucket.keys.id, bucket.credentials) == ("from-env", "own")
    uri, bucket = parse_bucket("s3://me:p%2Fq@b?region=r")
    assert (uri, bucket.endpoint, bucket.client_config()) == ("s3://b", "", {"client.region": "r", "s3.region": "r"})
    assert (bucket.keys.id, bucket.keys.secret) == ("me", "p/q")
    (warehouse,) = parse_warehouses(["w=s3://me:s3cret@b/p?region=r"], "/data")
    assert "s3cret" not in repr(warehouse)
    assert warehouse.uri == "s3://b/p"


@pytest.mark.parametrize(
    "uri", ["s3://", "s3:///path", "s3://b?credentials=all", "s3://b?unknown=1", "s3://b?credentials=own"]
)
def test_what_is_no_warehouse_on_s3(uri, monkeypatch):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    with pytest.raises(Problem):
        parse_warehouses([f"w={uri}"], "/data")


@pytest.mark.parametrize("bucket", ["lake-that-is-not-there", "lake"])
def test_a_bucket_that_is_not_there_is_one_clear_problem(bucket, s3_url):
    endpoint = s3_url if bucket != "lake" else "http://127.0.0.1:9"
    with pytest.raises(Problem, match="cannot be used") as problem:
        serve("iceberg", warehouses=(f"w=s3://key:s3cret@{bucket}/w?endpoint_override={endpoint}&region=r",))
    assert "s3cret" not in str(problem.value)


def test_a_dropped_tenant_leaves_nothing_in_the_bucket(http, bucket, s3_warehouse):
    with serve("iceberg", warehouses=(s3_warehouse,)) as server:
        tenants = [server.tenant(id) for id in ("one", "two")]
        for tenant in tenants:
            api = Api(http, tenant.url)
            api.namespace("a")
            api.table()
        assert [len(files(bucket, f"lake/house/_t/{id}")) for id in ("one", "two")] == [1, 1]
        tenants[0].drop()
        assert [len(files(bucket, f"lake/house/_t/{id}")) for id in ("one", "two")] == [0, 1]
    assert files(bucket, "lake/house/_t") == []
