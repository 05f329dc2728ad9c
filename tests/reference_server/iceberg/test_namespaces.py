"""Namespaces over HTTP."""

from __future__ import annotations

import pytest

HOSTILE = ["with space", "a+b", "50%", "new/db", "new.db", "..", "ä-漢字-🦆", "'; --", "a\\b", "x" * 255, "%2F"]


def encoded(name):
    return "".join(f"%{byte:02X}" for byte in name.encode())


@pytest.mark.parametrize("name", HOSTILE)
def test_names_come_back_as_they_went_in(api, name):
    api.namespace(name, properties={"k": name})
    api.namespace(name, name)
    namespace = api.call("GET", f"namespaces/{encoded(name)}", expect=200).body
    assert namespace == {"namespace": [name], "properties": {"k": name}}
    below = api.call("GET", f"namespaces?parent={encoded(name)}", expect=200).body
    assert below["namespaces"] == [[name, name]]
    api.table(f"{encoded(name)}%1F{encoded(name)}/tables/{encoded(name)}")
    listed = api.call("GET", f"namespaces/{encoded(name)}%1f{encoded(name)}/tables", expect=200).body
    assert listed["identifiers"] == [{"namespace": [name, name], "name": name}]
    loaded = api.load(f"{encoded(name)}%1F{encoded(name)}/tables/{encoded(name)}", expect=200).body
    assert ".." not in loaded["metadata-location"].split("/")


@pytest.mark.parametrize("levels", [[], [""], ["a", ""], ["\x00"], ["a\x1fb"], ["x" * 256], [" "], ["l"] * 65])
def test_impossible_names_are_refused(api, levels):
    refused = api.call("POST", "namespaces", {"namespace": levels}, expect=400)
    assert refused.type == "BadRequestException"


def test_a_namespace_is_created_once(api):
    refused = api.call("POST", "namespaces", {"namespace": ["a"], "properties": {"k": "v"}}, expect=409)
    assert refused.type == "AlreadyExistsException"
    assert api.call("GET", "namespaces/a").body["properties"] == {}


def test_a_parent_has_to_be_there(api):
    refused = api.call("POST", "namespaces", {"namespace": ["none", "below"]}, expect=404)
    assert refused.type == "NoSuchNamespaceException"


def test_existence(api):
    assert api.call("HEAD", "namespaces/a").status == 204
    assert api.call("HEAD", "namespaces/b").status == 404
    assert api.call("HEAD", "namespaces/a%1Fb").status == 404


def test_dropping(api):
    api.namespace("a", "b")
    api.namespace("ab")
    assert api.call("DELETE", "namespaces/a", expect=409).type == "NamespaceNotEmptyException"
    api.call("DELETE", "namespaces/a%1Fb", expect=204)
    api.table()
    assert api.call("DELETE", "namespaces/a", expect=409).type == "NamespaceNotEmptyException"
    api.call("DELETE", "namespaces/a/tables/t", expect=204)
    api.call("DELETE", "namespaces/a", expect=204)
    assert api.call("DELETE", "namespaces/a", expect=404).type == "NoSuchNamespaceException"
    assert api.call("GET", "namespaces").body["namespaces"] == [["ab"]]


def test_properties_are_updated_as_a_whole(api):
    path = "namespaces/a/properties"
    first = api.call("POST", path, {"updates": {"x": "1", "y": "2"}, "removals": ["none"]}, expect=200)
    assert first.body == {"updated": ["x", "y"], "removed": [], "missing": ["none"]}
    second = api.call("POST", path, {"updates": {"x": "3"}, "removals": ["y"]}, expect=200)
    assert second.body == {"updated": ["x"], "removed": ["y"], "missing": []}
    refused = api.call("POST", path, {"updates": {"x": "4"}, "removals": ["x"]}, expect=422)
    assert refused.type == "UnprocessableEntityException"
    api.call("POST", path, {"updates": {"x": 4}}, expect=400)
    assert api.call("GET", "namespaces/a").body["properties"] == {"x": "3"}
    assert api.call("POST", "namespaces/b/properties", {"updates": {}}, expect=404).type == "NoSuchNamespaceException"


def test_requests_are_open_and_bodies_are_checked(api):
    api.call("POST", "namespaces?later=1", {"namespace": ["n"], "later": {"x": 1}}, expect=200)
    api.call("POST", "namespaces", {"namespace": "n"}, expect=400)
    api.call("POST", "namespaces", {}, expect=400)
    text = api.http("POST", api.url + "/v1/namespaces", body="{", headers={"Content-Type": "text/plain"})
    assert text.status == 400
    assert text.json()["error"]["type"] == "BadRequestException"
