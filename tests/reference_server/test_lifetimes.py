"""Tokens, credentials and scan plans that expire."""

from __future__ import annotations

import time
from typing import Any

import pytest

from lakeproof import serve
from reference_server.auth import parse_auth
from reference_server.lifetimes import Lifetimes
from specs.problems import Problem
from tests.reference_server.polaris.conftest import basic

ROOT = ("root", "s3cret")
FORM = {"grant_type": "client_credentials", "client_id": ROOT[0], "client_secret": ROOT[1]}
READS = {
    "iceberg": ("/v1/oauth/tokens", "/v1/namespaces"),
    "polaris": ("/api/catalog/v1/oauth/tokens", "/api/management/v1/catalogs"),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "iceberg": {"auth": "oauth:root:s3cret"},
    "polaris": {"bootstrap": "root:s3cret"},
}


class Tokens:
    """A client that gets tokens and reads with them."""

    def __init__(self, http, server, api):
        self.http, self.url = http, server.url
        self.token_path, self.read_path = READS[api]

    def get(self):
        scope = {"scope": "PRINCIPAL_ROLE:ALL"}
        answer = self.http("POST", self.url + self.token_path, fields=FORM | scope, encode_multipart=False)
        return answer.json()

    def read(self, token, path=None):
        headers = {"Authorization": f"Bearer {token}"}
        return self.http("GET", self.url + (path or self.read_path), headers=headers)


@pytest.mark.parametrize("api", READS)
def test_issued_tokens_expire_at_once(http, api):
    with serve(api, token_lifetime=60, **SETTINGS[api]) as server:
        tokens = Tokens(http, server, api)
        first = tokens.get()
        assert (first["expires_in"], tokens.read(first["access_token"]).status) == (60, 200)
        server.expire_tokens()
        refused = tokens.read(first["access_token"])
        assert (refused.status, "invalid_token" in refused.headers["WWW-Authenticate"]) == (401, True)
        second = tokens.get()["access_token"]
        assert tokens.read(second).status == 200
        server.expire_tokens(419)
        assert tokens.read("no.such-token").status == 401


def test_tokens_of_other_tenants_do_not_expire(http):
    with serve("iceberg", **SETTINGS["iceberg"]) as server, server.tenant() as tenant:
        token = Tokens(http, server, "iceberg").get()["access_token"]
        tenant.expire_tokens()
        assert Tokens(http, server, "iceberg").read(token).status == 200


def test_expired_tokens_are_refused_with_419_where_the_document_has_it(http):
    with serve("iceberg", "polaris", expired_status=419, auth="oauth:root:s3cret", bootstrap="root:s3cret") as server:
        for api, path, status in (
            ("iceberg", "/v1/namespaces", 419),
            ("polaris", "/api/management/v1/catalogs", 401),
            ("polaris", "/api/catalog/v1/c/namespaces", 419),
        ):
            tokens = Tokens(http, server, api)
            tokens.url = server.urls[api]
            token = tokens.get()["access_token"]
            server.expire_tokens()
            assert tokens.read(token, path).status == status, path


def test_a_token_ends_after_its_lifetime(http, monkeypatch):
    with serve("iceberg", token_lifetime=5, **SETTINGS["iceberg"]) as server:
        tokens = Tokens(http, server, "iceberg")
        token = tokens.get()["access_token"]
        later = time.time() + 6
        monkeypatch.setattr(time, "time", lambda: later)
        assert tokens.read(token).status == 401


def test_an_expired_token_is_not_exchanged(http):
    with serve("iceberg", **SETTINGS["iceberg"]) as server:
        tokens = Tokens(http, server, "iceberg")
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": tokens.get()["access_token"],
            "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
        }
        server.expire_tokens()
        refused = http(
            "POST", server.url + tokens.token_path, fields=form, encode_multipart=False, headers=basic(*ROOT)
        )
        assert refused.json()["error"] == "invalid_grant"


@pytest.mark.parametrize("auth", ["none", "token:t0ken"])
def test_a_server_without_tokens_of_its_own_says_so(auth):
    with serve("iceberg", auth=auth) as server, pytest.raises(Problem, match="any: 419 x1"):
        server.expire_tokens()


def test_another_status_is_refused():
    with pytest.raises(Problem, match="401 or 419"):
        serve("iceberg", expired_status=403)  # type: ignore[arg-type]
    with serve("iceberg", **SETTINGS["iceberg"]) as server, pytest.raises(Problem, match="401 or 419"):
        server.expire_tokens(403)


def test_credentials_have_the_lifetime_that_was_chosen(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 10_000_000.0)
    assert Lifetimes(credential=60).end_of_credentials() == 10_000_060
    assert 1800 <= Lifetimes().end_of_credentials() - 10_000_000 <= 3600


def test_a_token_lives_as_long_as_it_says(monkeypatch):
    auth = parse_auth(SETTINGS["iceberg"]["auth"], Lifetimes(token=1))
    monkeypatch.setattr(time, "time", lambda: 10_000_000.9)
    token = auth._signed_token()
    for now, over in ((10_000_001.8, False), (10_000_001.95, True)):
        monkeypatch.setattr(time, "time", lambda now=now: now)
        assert auth._is_over(token) is over


@pytest.mark.parametrize(("seconds", "status"), [(0, 404), (3600, 200)])
def test_a_scan_plan_has_the_lifetime_that_was_chosen(http, seconds, status):
    with serve("iceberg", plan_lifetime=seconds, scan_planning="async") as server:
        tables = f"{server.url}/v1/namespaces/a/tables"
        http("POST", f"{server.url}/v1/namespaces", json={"namespace": ["a"]})
        http("POST", tables, json={"name": "t", "schema": {"type": "struct", "fields": []}})
        plan = http("POST", f"{tables}/t/plan", json={}).json()
        assert http("GET", f"{tables}/t/plan/{plan['plan-id']}").status == status


@pytest.mark.parametrize("nonce", ["0123456789abcdef", "x-0123456789abcdef", "1", ""])
def test_a_token_of_an_older_server_is_refused(http, nonce):
    auth = parse_auth(SETTINGS["iceberg"]["auth"], Lifetimes())
    until = str(int((time.time() + 60) * 1000))
    signed = f"{until}.{nonce}.{auth._signature(until, nonce)}"
    with serve("iceberg", **SETTINGS["iceberg"]) as server:
        tokens = Tokens(http, server, "iceberg")
        assert tokens.read(signed).status == 401
        assert tokens.read(tokens.get()["access_token"]).status == 200
