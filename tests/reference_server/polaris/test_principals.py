"""Principals and their credentials."""

from __future__ import annotations

from typing import Any

import pytest

from lakeproof import serve
from tests.reference_server.polaris.conftest import ROOT, Admin, Caller


def test_credentials_are_shown_once(admin):
    made = admin.manage("POST", "/principals", {"principal": {"name": "u", "clientId": "mine"}}, expect=201).body
    client, secret = made["credentials"]["clientId"], made["credentials"]["clientSecret"]
    assert made["principal"]["clientId"] == client != "mine"
    assert (len(client), len(secret)) == (16, 32)
    shown = [admin.manage("GET", path).data for path in ("/principals", "/principals/u")]
    assert [text for text in shown if not (client.encode() in text and secret.encode() not in text)] == []


@pytest.mark.parametrize("body", [{"principal": {"name": "u"}}, {"name": "u"}])
def test_bare_and_wrapped_bodies(admin, body):
    made = admin.manage("POST", "/principals", {**body, "credentialRotationRequired": True}, expect=201).body
    user = admin.login(made["credentials"]["clientId"], made["credentials"]["clientSecret"])
    assert "must rotate" in user.manage("GET", "/principals", expect=403).body["error"]["message"]


def test_reset(admin, revision):
    if revision == "2024-09":
        admin.manage("POST", "/principals/u/reset", expect=404, declared=False)
        return
    client, first = admin.principal("u")
    admin.manage("POST", "/principals/u/reset", {"clientId": ROOT[0]}, expect=409, declared=False)
    reset = admin.manage("POST", "/principals/u/reset", expect=200).body["credentials"]
    assert admin.token_for(client, first).status == 401
    assert admin.token_for(reset["clientId"], reset["clientSecret"]).status == 200
    chosen = {"clientId": "chosen", "clientSecret": "word"}
    assert admin.manage("POST", "/principals/u/reset", chosen, expect=200).body["credentials"] == chosen
    assert admin.token_for("chosen", "word").status == 200
    assert admin.token_for(reset["clientId"], reset["clientSecret"]).status == 401
    assert admin.token_for(client, reset["clientSecret"]).status == 401
    wrong = admin.manage("POST", "/principals/u/reset", {"clientId": 5, "clientSecret": "hidden"}, expect=400)
    assert b"hidden" not in wrong.data


@pytest.mark.parametrize("storage", ["memory", "directory"])
def test_a_reset_keeps_a_client_id_that_is_not_given(http, tmp_path, storage):
    settings: dict[str, Any] = {"storage": f"dir:{tmp_path}/state"} if storage == "directory" else {}
    with serve("polaris/1.7", bootstrap=":".join(ROOT), **settings) as server:
        nobody = Caller(http, server.url, "1.7")
        admin = Admin(http, server.url, "1.7", nobody.token_for(*ROOT).body["access_token"])
        client, secret = admin.principal("u")
        before = admin.manage("GET", "/principals/u").body
        for body in (None, {}, {"clientId": ""}, {"clientSecret": "word"}, {"clientId": client}):
            answer = admin.manage("POST", "/principals/u/reset", body, expect=200).body
            reset = answer["credentials"]
            assert answer["principal"] == before == admin.manage("GET", "/principals/u").body
            assert reset["clientId"] == client
            assert reset["clientSecret"] == (body or {}).get("clientSecret", reset["clientSecret"]) != secret
            assert admin.token_for(client, secret).status == 401
            secret = reset["clientSecret"]
            assert admin.token_for(client, secret).status == 200


@pytest.mark.parametrize("kind", ["principals", "principal-roles"])
def test_properties_that_are_reserved(admin, revision, kind):
    for name, reserved in (("polaris.x", True), ("polaris.config.x", False), ("xpolaris.", False)):
        body = {"name": name.replace(".", ""), "properties": {name: "v"}}
        admin.manage("POST", f"/{kind}", body, expect=400 if reserved and revision == "1.7" else 201)


def test_an_unknown_field_without_a_name_is_ignored(admin):
    admin.principal("u")
    version = admin.manage("GET", "/principals/u", expect=200).body["entityVersion"]
    body = {"currentEntityVersion": version, "properties": {}, "": None}
    admin.manage("PUT", "/principals/u", body, expect=200)
