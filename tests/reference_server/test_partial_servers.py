"""Servers that lack operations or differ: groups, presets, and the options of the Iceberg server for them."""

from __future__ import annotations

from typing import Any

import pytest

from lakeproof import serve
from reference_server.presets import presets_of
from reference_server.rules.text import parse_rule
from reference_server.serve import absent, servable
from specs.problems import Problem
from specs.profiles import find_profile

TABLE = {"name": "t", "schema": {"type": "struct", "fields": []}}


class Client:
    """A client of an Iceberg catalog."""

    def __init__(self, http, url):
        self.http, self.url = http, url

    def status(self, method, path, body=None):
        return self.http(method, f"{self.url}/v1/{path}", json=body).status

    def get(self, path):
        return self.http("GET", f"{self.url}/v1/{path}").json()

    @property
    def endpoints(self):
        return self.get("config").get("endpoints")


@pytest.fixture
def client_of(http):
    """Return a function that makes a client of a server with the namespace `a`."""

    def client_of(server, path="namespaces"):
        client = Client(http, server.url)
        assert client.status("POST", path, {"namespace": ["a"]}) == 200
        return client

    return client_of


@pytest.mark.parametrize(
    ("form", "status", "body"),
    [
        ("", 406, b"UnsupportedOperationException"),
        (": 404", 404, b"NoSuchViewException"),
        (": 404 body='no page'", 404, b"no page"),
    ],
)
def test_a_group_is_gone_from_the_endpoints_and_refused_in_the_chosen_form(http, client_of, form, status, body):
    with serve("iceberg", without=f"views{form}") as server:
        client = client_of(server)
        refused = http("GET", f"{client.url}/v1/namespaces/a/views/v")
        assert (refused.status, body in refused.data) == (status, True)
        assert client.status("GET", "namespaces/a/tables") == 200
        assert len(client.endpoints) > 20
        assert not [endpoint for endpoint in client.endpoints if "view" in endpoint]


def test_one_operation_is_taken_away_and_given_back_while_the_server_runs(client_of):
    with serve("iceberg") as server:
        client = client_of(server)
        rename, before = "POST /v1/{prefix}/tables/rename", client.endpoints
        rule = server.rule(absent("renameTable"))
        assert client.endpoints == [endpoint for endpoint in before if endpoint != rename]
        assert client.status("POST", "tables/rename", {}) == 406
        rule.remove()
        assert client.endpoints == before


@pytest.mark.parametrize("without", ["vews", "renameTabel"])
def test_an_unknown_group_is_refused_with_the_nearest(without):
    with pytest.raises(Problem, match=r"Did you mean (views|renameTable)") as problem:
        serve("iceberg", without=without)
    assert f"no operation {without!r}" in problem.value.message


def test_an_unknown_preset_is_refused_with_the_nearest():
    with pytest.raises(Problem, match="Did you mean read-only"):
        serve("iceberg", like="readonly")


# Presets


@pytest.mark.parametrize(("api", "preset"), [(api, name) for api in servable() for name in presets_of(api)])
def test_every_rule_of_a_preset_fits_the_newest_revision(api, preset):
    own: dict[str, Any] = {"bootstrap": "root:s3cr3t"} if api == "polaris" else {}
    with serve(api, like=preset, **own) as server:
        rules = [str(parse_rule(text)) for text in presets_of(api)[preset].rules]
        assert [rule.text for rule in server.rules()] == rules


@pytest.mark.parametrize("profile", ["iceberg/1.6", "iceberg/tables-api"])
def test_a_revision_without_what_a_preset_takes_away_is_served(profile):
    with serve(profile, like=("tables-only", "no-scans"), namespaces=("a",)) as server:
        assert [rule.text for rule in server.rules() if rule.text.startswith("scans")] == []


def test_every_group_has_operations():
    for api in servable():
        assert [name for name, ids in find_profile(api).groups().items() if not ids] == []


REFUSED = [
    ("read-only", "POST", "namespaces", {"namespace": ["b"]}, 403),
    ("flat-namespaces", "POST", "namespaces", {"namespace": ["a", "b"]}, 400),
    ("location-required", "POST", "namespaces/a/tables", TABLE, 400),
    ("location-forbidden", "POST", "namespaces/a/tables", TABLE | {"location": "/tmp/x"}, 400),
    ("no-staging", "POST", "namespaces/a/tables", TABLE | {"stage-create": True}, 406),
    ("no-existence-checks", "HEAD", "namespaces/a", None, 406),
    ("no-namespace-properties", "POST", "namespaces", {"namespace": ["b"], "properties": {"k": "v"}}, 406),
]


@pytest.mark.parametrize(("preset", "method", "path", "body", "status"), REFUSED)
def test_a_preset_refuses_what_its_kind_of_catalog_lacks(http, preset, method, path, body, status):
    with serve("iceberg", like=preset, namespaces=("a",)) as server:
        client = Client(http, server.url)
        assert client.status(method, path, body) == status
        assert client.status("GET", "namespaces/a") == 200


def test_presets_make_pages_or_none(http):
    names = ("a", "b", "c")
    with serve("iceberg", like="no-pages", namespaces=names) as server:
        listed = Client(http, server.url).get("namespaces?pageSize=1&pageToken=")
        assert (len(listed["namespaces"]), listed["next-page-token"]) == (3, None)
    with serve("iceberg", like="always-pages", namespaces=names) as server:
        client = Client(http, server.url)
        first = client.get("namespaces")
        assert (len(first["namespaces"]), bool(first["next-page-token"])) == (2, True)
        assert len(client.get(f"namespaces?pageToken={first['next-page-token']}")["namespaces"]) == 1


def test_presets_leave_fields_out(http):
    with serve("iceberg", like=("bare-answers", "no-endpoints"), namespaces=("a",)) as server:
        client = Client(http, server.url)
        assert client.get("namespaces/a") == {"namespace": ["a"]}
        assert client.get("config").keys() == {"defaults", "overrides"}


# Other servers


@pytest.mark.parametrize(("settings", "names"), [({}, 1), ({"like": "no-default-properties"}, 0)])
def test_new_tables_have_default_properties_or_none(http, settings, names):
    with serve("iceberg", namespaces=("a",), **settings) as server:
        made = http("POST", f"{server.url}/v1/namespaces/a/tables", json=TABLE).json()
        assert len(made["metadata"]["properties"]) == names


def test_a_prefix_is_required(http):
    with serve("iceberg", like="several-warehouses") as server:
        client = Client(http, server.url)
        assert client.get("config")["overrides"]["prefix"] == "first"
        assert client.get("config?warehouse=second")["overrides"]["prefix"] == "second"
        assert client.status("GET", "namespaces") == 404
        assert client.status("POST", "second/namespaces", {"namespace": ["a"]}) == 200
        assert client.get("first/namespaces")["namespaces"] == []


def test_another_separator_stands_between_levels(http):
    with serve("iceberg", like="dot-separator", namespaces=("a", "a.b")) as server:
        client = Client(http, server.url)
        assert client.get("config")["overrides"]["namespace-separator"] == "%2E"
        assert client.get("namespaces/a.b")["namespace"] == ["a", "b"]
        assert client.get("namespaces?parent=a")["namespaces"] == [["a", "b"]]
        assert client.status("GET", "namespaces/a%1Fb") == 404
        server.rule("loadNamespaceMetadata namespace=a.b: 503")
        assert [client.status("GET", f"namespaces/{name}") for name in ("a", "a.b")] == [200, 503]
    with pytest.raises(Problem, match="separator is empty"):
        serve("iceberg", namespace_separator="")
