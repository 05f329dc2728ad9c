"""Tokens and credentials over HTTP."""

from __future__ import annotations

import base64

import pytest

from lakeproof import serve
from reference_server.auth import Auth
from reference_server.errors import Unauthenticated
from tests.reference_server.iceberg.conftest import Api

FORM = {"grant_type": "client_credentials", "client_id": "root", "client_secret": "s3cret", "scope": "catalog"}
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
EXCHANGE = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token_type": ACCESS_TOKEN}


@pytest.fixture
def api(http):
    with serve("iceberg", auth="oauth:root:s3cret") as server:
        yield Api(http, server.url)


def ask(api, form, headers=None):
    return api.http("POST", api.url + "/v1/oauth/tokens", fields=form, encode_multipart=False, headers=headers)


def bearer(token):
    return {"Authorization": f"Bearer {token}"}


def test_a_token_is_issued_and_accepted(api):
    answer = ask(api, FORM)
    assert answer.status == 200
    body = answer.json()
    assert (body["token_type"], body["issued_token_type"], body["scope"]) == ("bearer", ACCESS_TOKEN, "catalog")
    assert "s3cret" not in answer.data.decode()
    api.call("GET", "config", headers=bearer(body["access_token"]), expect=200)
    exchanged = ask(api, {**EXCHANGE, "subject_token": body["access_token"]}).json()
    api.call("GET", "config", headers=bearer(exchanged["access_token"]), expect=200)


def test_basic_authentication(api):
    basic = base64.b64encode(b"root:s3cret").decode()
    assert ask(api, {"grant_type": "client_credentials"}, {"Authorization": f"Basic {basic}"}).status == 200
    assert ask(api, {"grant_type": "client_credentials"}, {"Authorization": "Basic ???"}).status == 401


@pytest.mark.parametrize(
    "headers", [{}, bearer("None"), bearer("1.2.3"), bearer("99999999999.x.y"), bearer("é".encode().decode("latin1"))]
)
def test_without_a_good_token_there_is_nothing(api, headers):
    refused = api.call("GET", "config", headers=headers, expect=401)
    assert refused.type == "NotAuthorizedException"
    assert refused.headers["WWW-Authenticate"].startswith("Bearer")
    assert api.call("HEAD", "namespaces/a", headers=headers).status == 401


@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        ({**FORM, "client_secret": "wrong"}, 401, "invalid_client"),
        ({**FORM, "client_id": "wrong"}, 401, "invalid_client"),
        ({**FORM, "grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"client_id": "root"}, 400, "invalid_request"),
        ({"grant_type": "client_credentials"}, 400, "invalid_request"),
        ({**EXCHANGE, "subject_token": "no"}, 400, "invalid_grant"),
        (EXCHANGE, 400, "invalid_request"),
    ],
)
def test_refusals_are_those_of_oauth(api, form, status, code):
    answer = ask(api, form)
    assert (answer.status, answer.json()["error"]) == (status, code)


def test_anybody_gets_a_token_where_nobody_is_asked(http):
    with serve("iceberg") as server:
        api = Api(http, server.url)
        assert ask(api, FORM).status == 200
        api.call("GET", "config", headers=bearer("None"), expect=200)


def test_a_static_token_is_the_secret(http):
    with serve("iceberg", auth="token:t0ken") as server:
        api = Api(http, server.url)
        assert ask(api, FORM).status == 401
        assert ask(api, {**FORM, "client_secret": "t0ken"}).json()["access_token"] == "t0ken"
        api.call("GET", "config", headers=bearer("t0ken"), expect=200)


def test_tokens_end(monkeypatch):
    auth = Auth(client=("a", "b"))
    token = auth.issue("a", "b")
    auth.authenticate(bearer(token))
    monkeypatch.setattr("time.time", lambda: 4e9)
    with pytest.raises(Unauthenticated):
        auth.authenticate(bearer(token))


@pytest.mark.parametrize(
    "other", [("a", "other"), ("a", "b\0"), ("a", "b\0\0"), ("a\0", "b"), ("a\0b", ""), ("", "a\0b"), ("", "")]
)
def test_another_secret_makes_other_tokens(other):
    with pytest.raises(Unauthenticated):
        Auth(client=other).authenticate(bearer(Auth(client=("a", "b")).issue("a", "b")))


@pytest.mark.parametrize("more", ["\0", "\0\0", "\ufffd", " ", "\n"])
def test_a_secret_with_something_behind_it_is_another_one(api, http, more):
    assert ask(api, {**FORM, "client_secret": f"s3cret{more}"}).status == 401
    assert ask(api, {**FORM, "client_id": f"root{more}"}).status == 401
    with serve("iceberg", auth="token:t0ken") as server:
        assert ask(Api(http, server.url), {**FORM, "client_secret": f"t0ken{more}"}).status == 401


@pytest.mark.parametrize("more", ["\u00a0", "\u2003", "\x1f", "\0", "\n"])
def test_a_token_with_something_behind_it_is_another_one(more):
    for name, header in (("Authorization", f"Bearer t0ken{more}"), ("x-api-key", f"t0ken{more}")):
        with pytest.raises(Unauthenticated):
            Auth(token="t0ken").authenticate({name: header})
    Auth(token="t0ken").authenticate(bearer("t0ken \t"))
