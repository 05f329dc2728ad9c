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
    assert all(client.encode() in text and secret.encode() not in text for text in shown)


@pytest.mark.parametrize("body", [{"principal": {"name": "u"}}, {"name": "u"}])
def test_bare_and_wrapped_bodies(admin, body):
    made = admin.manage("POST", "/principals", {**body, "credentialRotationRequired": True}, expect=201).body
    user = admin.login(made["credentials"]["clientId"], made["credentials"]["clientSecret"])
    assert "must rotate" in user.manage("GET", "/principals", expect=403).body["error"]["message"]


def test_one_old_secret_stays_good(admin):
    client, first = admin.principal("u")
    secrets = [first]
    for _ in range(3):
        user = admin.login(client, secrets[-1])
        rotated = user.manage("POST", "/principals/u/rotate", expect=200).body["credentials"]
        assert rotated["clientId"] == client
        secrets.append(rotated["clientSecret"])
        good = [admin.token_for(client, secret).status == 200 for secret in secrets]
        assert good == [*[False] * (len(secrets) - 2), True, True]


def test_a_secret_that_must_be_changed_is_good_for_nothing_else(admin):
    client, secret = admin.principal("u", "service_admin", credentialRotationRequired=True)
    user = admin.login(client, secret)
    user.manage("GET", "/principals", expect=403)
    new = user.manage("POST", "/principals/u/rotate", expect=200).body["credentials"]["clientSecret"]
    assert admin.token_for(client, secret).status == 401
    admin.login(client, new).manage("GET", "/principals", expect=200)


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


def test_a_version_is_used_once(admin):
    admin.principal("u")
    changed = admin.manage("PUT", "/principals/u", {"currentEntityVersion": 1, "properties": {"a": "b"}}, expect=200)
    assert (changed.body["entityVersion"], changed.body["properties"]) == (2, {"a": "b"})
    admin.manage("PUT", "/principals/u", {"currentEntityVersion": 1, "properties": {}}, expect=409)
    assert admin.manage("PUT", "/principals/u", {"currentEntityVersion": 2, "properties": {}}).body["properties"] == {}


def test_names(admin):
    for name in ("", "x" * 257, "system$a", " SyStEm$", "a\nb"):
        admin.manage("POST", "/principals", {"principal": {"name": name}}, expect=400)
    for name in ("x" * 256, "system", "xsystem$", "a/b c%2Fd", "ü"):
        admin.principal(name)
    admin.manage("GET", "/principals/a%2Fb%20c%252Fd", expect=200)
    admin.manage("GET", "/principals/system%24a", expect=400)
    admin.manage("GET", f"/principals/{'x' * 257}", expect=400)
    assert (
        admin.manage("POST", "/principals", {"principal": {"name": "ü"}}, expect=409).type == "AlreadyExistsException"
    )


@pytest.mark.parametrize("kind", ["principals", "principal-roles"])
def test_properties_that_are_reserved(admin, revision, kind):
    for name, reserved in (("polaris.x", True), ("polaris.config.x", False), ("xpolaris.", False)):
        body = {"name": name.replace(".", ""), "properties": {name: "v"}}
        admin.manage("POST", f"/{kind}", body, expect=400 if reserved and revision == "1.7" else 201)


def test_a_dropped_principal_has_no_roles(admin):
    admin.principal("u", "r")
    admin.manage("DELETE", "/principals/u", expect=204)
    assert admin.manage("GET", "/principal-roles/r/principals").body["principals"] == []
    admin.principal("u")
    assert admin.manage("GET", "/principals/u/principal-roles").body["roles"] == []


def test_an_unknown_field_without_a_name_is_ignored(admin):
    admin.principal("u")
    version = admin.manage("GET", "/principals/u", expect=200).body["entityVersion"]
    body = {"currentEntityVersion": version, "properties": {}, "": None}
    admin.manage("PUT", "/principals/u", body, expect=200)
