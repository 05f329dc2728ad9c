"""Tenants: catalogs of their own in one server, made by their URL and given back when they are dropped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import reference_server.control.tenants as tenants_module
from lakeproof import connect, serve
from reference_server.iceberg.catalog.warehouses import parse_warehouses
from specs.problems import Problem

ROOT = "root:s3cret"
SCHEMA = {"type": "struct", "fields": [{"id": 1, "name": "x", "type": "long", "required": False}]}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server():
    with serve(bootstrap=ROOT) as server:
        yield server


def make_namespace(http, tenant, name="a"):
    url = tenant.urls["iceberg"]
    return http("POST", f"{url}/v1/namespaces", json={"namespace": [name]}).status


def make_table(http, tenant):
    make_namespace(http, tenant)
    table = {"name": "t", "schema": SCHEMA}
    return http("POST", f"{tenant.urls['iceberg']}/v1/namespaces/a/tables", json=table).json()["metadata"]["location"]


def test_tenants_share_nothing(server, http):
    with server.tenant() as one, server.tenant() as other:
        assert [make_namespace(http, one), make_namespace(http, one), make_namespace(http, other)] == [200, 409, 200]
        assert http("POST", f"{one.urls['lance']}/v1/namespace/a/create", json={}).status == 200
        assert http("POST", f"{other.urls['lance']}/v1/namespace/a/describe", json={}).status == 404
        one.assert_requested("createNamespace", times=2)
        other.assert_requested("createNamespace", times=1)
    with pytest.raises(AssertionError):
        server.assert_requested("createNamespace")


def test_a_url_alone_makes_a_tenant(server, http):
    url = f"{server.control_address}/_t/by-url"
    assert http("GET", f"{url}/iceberg/v1/namespaces").json()["namespaces"] == []
    assert "by-url" in server.control("GET", "/tenants")["tenants"]
    server.control("DELETE", "/tenants/by-url")
    assert "by-url" not in server.control("GET", "/tenants")["tenants"]


@pytest.mark.parametrize("api", ["iceberg", "lance"])
def test_the_path_of_an_api_leads_to_it_also_where_it_is_alone(http, api):
    path = {"iceberg": "/v1/config", "lance": "/v1/namespace/$/list"}[api]
    with serve(api) as server:
        for place in ("", f"/{api}", "/_t/x", f"/_t/x/{api}"):
            assert http("GET", server.control_address + place + path).status == 200
        assert http("GET", f"{server.control_address}/_t/x/other{path}").status == 404


@pytest.mark.parametrize("in_tenant", [False, True])
def test_a_reset_leaves_what_was_there_at_the_start(http, in_tenant):
    seed = {"iceberg": {"namespaces": ["seeded"]}}
    with serve("iceberg", "lance", seed=seed, rules=("dropTable: 503",), auth="oauth:me:s3cret") as started:
        server = started.tenant("t") if in_tenant else started
        form = {"grant_type": "client_credentials", "client_id": "me", "client_secret": "s3cret"}
        token = http("POST", f"{server.urls['iceberg']}/v1/oauth/tokens", fields=form, encode_multipart=False).json()
        allowed = {"Authorization": f"Bearer {token['access_token']}"}
        spaces = f"{server.urls['iceberg']}/v1/namespaces"
        assert http("POST", spaces, json={"namespace": ["new"]}, headers=allowed).status == 200
        server.rule("loadTable: 503")
        assert http("POST", f"{server.control_address}/_lakeproof/reset", json={}).status == 204
        assert server.requests() == []
        assert [rule.text for rule in server.rules()] == ["dropTable: 503"]
        assert http("GET", spaces, headers=allowed).json()["namespaces"] == [["seeded"]]
        server.reset()


def test_catalogs_on_a_directory_are_not_reset(http, tmp_path):
    with serve("iceberg", storage=f"dir:{tmp_path}") as server:
        assert make_namespace(http, server) == 200
        with pytest.raises(Problem, match="are not reset"):
            server.reset()
        with server.tenant() as tenant:
            assert [make_namespace(http, tenant), tenant.reset(), make_namespace(http, tenant)] == [200, None, 200]
        assert make_namespace(http, server) == 409


@pytest.mark.parametrize("id", ["", "a b", "a%2Fb", ".hidden", "x" * 65, "ä"])
def test_an_id_that_cannot_be_one_is_refused(server, http, id):
    answer = http("GET", f"{server.control_address}/_t/{id}/iceberg/v1/config".replace(" ", "%20"))
    assert (answer.status, "The id of a tenant" in answer.json()["error"]["message"]) == (400, True)


def test_an_id_of_another_kind_is_refused(server):
    for body in ({"id": 1}, {"id": "a b"}, ["a"]):
        with pytest.raises(Problem):
            server.control("POST", "/tenants", body)


def test_the_same_id_is_the_same_tenant(server, http):
    with server.tenant("mine") as first:
        make_namespace(http, first)
        assert make_namespace(http, server.tenant("mine")) == 409


def test_requests_at_once_make_one_tenant(server, http):
    with server.tenant() as tenant, ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(lambda _: make_namespace(http, tenant), range(8)))
    assert sorted(statuses) == [200, *[409] * 7]


def test_a_dropped_tenant_gives_its_files_back_and_can_be_made_again(server, http):
    tenant = server.tenant("again")
    location = Path(make_table(http, tenant).removeprefix("file://"))
    assert location.is_dir()
    tenant.drop()
    assert not location.exists()
    with pytest.raises(Problem, match="There is no tenant again"):
        server.control("DELETE", "/tenants/again")
    with server.tenant("again") as tenant:
        url = f"{tenant.urls['iceberg']}/v1/namespaces"
        assert http("GET", url).json()["namespaces"] == []


def test_nothing_is_left_when_the_server_stops(http):
    with serve("iceberg") as server:
        url = f"{server.control_address}/_t/one/v1/namespaces"
        http("POST", url, json={"namespace": ["a"]})
        made = http("POST", f"{url}/a/tables", json={"name": "t", "schema": SCHEMA}).json()["metadata"]["location"]
    assert not Path(made.removeprefix("file://")).parents[2].exists()


def test_a_server_on_a_directory_has_tenants_in_memory(http, tmp_path):
    with serve("iceberg", storage=f"dir:{tmp_path}") as server, server.tenant() as tenant:
        assert str(tmp_path) not in make_table(http, tenant)


def test_root_has_the_same_credentials_in_every_tenant(server, http):
    form = dict(zip(("client_id", "client_secret"), ROOT.split(":"), strict=True))
    form |= {"grant_type": "client_credentials", "scope": "PRINCIPAL_ROLE:ALL"}
    with server.tenant() as one, server.tenant() as other:
        tokens = [
            http("POST", f"{each.urls['polaris']}/api/catalog/v1/oauth/tokens", fields=form, encode_multipart=False)
            for each in (one, other)
        ]
        headers = {"Authorization": f"Bearer {tokens[0].json()['access_token']}"}
        principals = [
            http("GET", f"{each.urls['polaris']}/api/management/v1/principals", headers=headers).status
            for each in (one, other)
        ]
    assert principals == [200, 401]


def test_the_token_endpoint_is_the_tenant_s(http):
    with serve("iceberg", auth="oauth:me:secret") as server, server.tenant("x") as tenant:
        form = {"grant_type": "client_credentials", "client_id": "me", "client_secret": "secret"}
        token = http("POST", f"{tenant.url}/v1/oauth/tokens", fields=form, encode_multipart=False).json()
        headers = {"Authorization": f"Bearer {token['access_token']}"}
        defaults = http("GET", f"{tenant.url}/v1/config", headers=headers).json()["defaults"]
    assert defaults["oauth2-server-uri"] == f"{tenant.url}/v1/oauth/tokens"


def test_faults_of_the_server_apply_to_its_tenants(http):
    with serve("iceberg", faults=("throttled",)) as server, server.tenant() as tenant:
        assert http("GET", f"{tenant.url}/v1/config").status == 429
        assert tenant.requests()[0].rules == ["throttled"]


def test_control_paths_of_a_tenant_have_the_same_guard(server, http):
    with server.tenant() as tenant:
        url = f"{tenant.control_address}/_lakeproof/requests"
        assert http("GET", url, headers={"Origin": "http://evil.example"}).status == 403
    made = server.control("GET", "/tenants")["tenants"]
    url = f"{server.control_address}/_t/of-a-page/iceberg/v1/config"
    assert http("GET", url, headers={"Sec-Fetch-Site": "cross-site"}).status == 403
    assert server.control("GET", "/tenants")["tenants"] == made


def test_a_server_elsewhere_is_used_by_its_url(server, http):
    remote = connect(server.control_address)
    assert remote.urls == server.urls
    with remote.tenant() as tenant:
        make_namespace(http, tenant)
        tenant.assert_requested("createNamespace", times=1)


def test_there_is_a_largest_number_of_tenants(http, monkeypatch):
    monkeypatch.setattr(tenants_module, "MOST", 2)
    with serve("lance", storage="memory:pure") as server:
        first, _ = server.tenant(), server.tenant()
        refused = http("GET", f"{server.control_address}/_t/third/v1/table")
        assert (refused.status, "has 2 tenants" in refused.json()["error"]["message"]) == (503, True)
        first.drop()
        server.tenant()


def test_warehouses_of_tenants_are_apart():
    texts = ["a", "b=file:///data/b", "c=s3://bucket/path/?region=x"]
    locations = [warehouse.uri for warehouse in parse_warehouses(texts, "/tmp/x", "one")]
    assert locations == ["file:///tmp/x/a", "file:///tmp/x/b", "s3://bucket/path/_t/one"]
