"""getConfig, warehouses and prefixes over HTTP."""

from __future__ import annotations

import pytest

from lakeproof import serve
from specs.problems import Problem
from specs.profiles import find_profile
from tests.reference_server.iceberg.conftest import Api

WAREHOUSES = ("default", "lab", "far/away")


@pytest.fixture
def several(open_api):
    with open_api(warehouses=WAREHOUSES) as api:
        yield api


def test_no_warehouse_is_the_default_one_without_prefix(several):
    config = several.call("GET", "config", expect=200).body
    assert config["overrides"] == {"namespace-separator": "%1F"}
    assert config["idempotency-key-lifetime"] == "PT30M"


@pytest.mark.parametrize("name", WAREHOUSES)
def test_the_prefix_of_a_warehouse_is_its_name(several, name):
    assert several.call("GET", f"config?warehouse={name}", expect=200).body["overrides"]["prefix"] == name


def test_a_warehouse_may_be_named_by_its_uri(http, tmp_path):
    with serve("iceberg", warehouses=[f"mine=file://{tmp_path}/w/"]) as server:
        api = Api(http, server.url)
        answer = api.call("GET", f"config?warehouse=file://{tmp_path}/w", expect=200)
        assert answer.body["overrides"]["prefix"] == "mine"
        api.namespace("a")
        assert api.table().body["metadata-location"].startswith(f"file://{tmp_path}/w/a/t-")


def test_an_unknown_warehouse(several):
    assert several.call("GET", "config?warehouse=none", expect=404).type == "NoSuchWarehouseException"
    answer = several.http("GET", several.url + "/v1/none/namespaces")
    assert (answer.status, answer.json()["error"]["type"]) == (404, "NoSuchWarehouseException")


def test_warehouses_know_nothing_of_each_other(several, http):
    apis = {name: Api(http, several.url, f"{name}/") for name in WAREHOUSES}
    for name, api in apis.items():
        api.namespace("a", properties={"of": name})
        api.table()
    assert several.call("GET", "namespaces/a").body["properties"] == {"of": "default"}
    for name, api in apis.items():
        assert api.call("GET", "namespaces/a").body["properties"] == {"of": name}
    locations = {api.load().body["metadata"]["location"].rsplit("/", 2)[0] for api in apis.values()}
    assert len(locations) == len(WAREHOUSES)


def test_unknown_paths_have_an_error_body(several):
    for path in (
        "",
        "/",
        "/v1",
        "/v1/",
        "/v1/nothing",
        "/v2/namespaces",
        "/v1/lab/nothing",
        "/v1/namespaces/a/tables/t/x/y",
    ):
        answer = several.http("GET", several.url + path)
        assert (answer.status, answer.json()["error"]["code"]) == (404, 404), path
    answer = several.http("PUT", several.url + "/v1/lab/namespaces")
    assert (answer.status, answer.headers["Allow"]) == (405, "GET, POST")


@pytest.mark.parametrize("revision", ["1.6", "1.11", "2026-08"])
def test_endpoints_are_what_is_served(http, revision):
    operations = find_profile(f"iceberg/{revision}").document().operations
    with serve(f"iceberg/{revision}") as server:
        config = http("GET", server.url + "/v1/config").json()
    if revision == "1.6":
        assert config.keys() == {"defaults", "overrides"}
        return
    assert set(config["endpoints"]) <= {f"{operation.method} {operation.path}" for operation in operations.values()}
    assert "POST /v1/{prefix}/transactions/commit" in config["endpoints"]
    assert "idempotency-key-lifetime" in config


OAUTH = "oauth:me:s3cret"
FORM = {"grant_type": "client_credentials", "client_id": "me", "client_secret": "s3cret"}


def defaults(http, url, path="/v1/config", **headers):
    sent = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = http("GET", url + path, headers={"Authorization": f"Bearer {token(http, url)}", **sent})
    assert answer.status == 200
    return answer.json()["defaults"]


def token(http, url):
    answer = http("POST", f"{url}/v1/oauth/tokens", fields=FORM, encode_multipart=False)
    return answer.json()["access_token"]


@pytest.mark.parametrize("apis", [("iceberg",), ()])
@pytest.mark.parametrize("path", ["/v1/config", "//v1/config?warehouse=default", "/v1/%63onfig"])
def test_the_token_endpoint_is_named_as_the_client_calls_the_server(http, apis, path):
    with serve(*apis, auth=OAUTH) as server:
        url = server.urls["iceberg"]
        named = defaults(http, url, path)["oauth2-server-uri"]
        assert named == f"{url}/v1/oauth/tokens"
        assert token(http, named.removesuffix("/v1/oauth/tokens"))


@pytest.mark.parametrize(
    ("headers", "start"),
    [
        ({"Host": "lake.example"}, "http://lake.example"),
        ({"Host": "[::1]:8181"}, "http://[::1]:8181"),
        ({"X_Forwarded_Proto": "https"}, "https://127.0.0.1:{}"),
        ({"X_Forwarded_Proto": "HTTPS, http", "X_Forwarded_Host": "lake.example, inner"}, "https://lake.example"),
        ({"X_Forwarded_Proto": "gopher"}, "http://127.0.0.1:{}"),
    ],
)
def test_a_client_behind_a_proxy_has_an_answer_of_its_own(http, headers, start):
    with serve("iceberg", auth=OAUTH) as server:
        direct = defaults(http, server.url)
        named = defaults(http, server.url, **headers)["oauth2-server-uri"]
        assert named == start.format(server.port) + "/v1/oauth/tokens"
        assert defaults(http, server.url) == direct


@pytest.mark.parametrize("auth", ["none", "token:s3cret"])
def test_no_token_endpoint_is_named_where_no_token_is_needed_or_one_is_known(http, auth):
    with serve("iceberg", auth=auth) as server:
        answer = http("GET", f"{server.url}/v1/config", headers={"Authorization": "Bearer s3cret"})
        assert answer.json()["defaults"] == {}


@pytest.mark.parametrize(
    "names", [("a", "a"), ("namespaces",), ("config/x",), ("",), ("a/",), ("a//b",), ("a=relative",)]
)
def test_impossible_warehouses(names):
    with pytest.raises(Problem):
        serve("iceberg", warehouses=names)


def test_all_apis_on_one_port(http):
    with serve() as server:
        assert set(server.urls) == {"lance", "iceberg", "polaris"}
        config = http("GET", server.urls["iceberg"] + "/v1/config")
        assert config.status == 200
        assert http("GET", server.urls["lance"] + "/v1/table").status == 200
