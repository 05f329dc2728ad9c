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


def test_requests_are_open_and_bodies_are_checked(api):
    api.call("POST", "namespaces?later=1", {"namespace": ["n"], "later": {"x": 1}}, expect=200)
    api.call("POST", "namespaces", {"namespace": "n"}, expect=400)
    api.call("POST", "namespaces", {}, expect=400)
    text = api.http("POST", api.url + "/v1/namespaces", body="{", headers={"Content-Type": "text/plain"})
    assert text.status == 400
    assert text.json()["error"]["type"] == "BadRequestException"
