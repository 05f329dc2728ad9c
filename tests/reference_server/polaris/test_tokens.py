"""Tokens: who gets one, for which roles, and what ends it."""

from __future__ import annotations

import time
from typing import Any

import pytest

from lakeproof import serve
from reference_server.lifetimes import TOKEN_SECONDS, Lifetimes
from reference_server.polaris.entities.access_tokens import Claims, Signer, is_scope
from tests.reference_server.polaris.conftest import ALL, ROOT, TOKENS, Admin, Caller

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS = "urn:ietf:params:oauth:token-type:access_token"


@pytest.fixture
def nobody(admin):
    return Caller(admin.http, admin.url, admin.revision)


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"client_secret": "wrong"}, 401, "unauthorized_client"),
        ({"client_id": "nobody"}, 401, "unauthorized_client"),
        ({"client_secret": ""}, 401, "unauthorized_client"),
        ({"client_secret": None}, 400, "invalid_client"),
        ({"scope": None}, 400, "invalid_scope"),
        ({"scope": "catalog"}, 400, "invalid_scope"),
        ({"scope": "PRINCIPAL_ROLE:"}, 400, "invalid_scope"),
        ({"scope": f"{ALL} catalog"}, 400, "invalid_scope"),
        ({"grant_type": "password"}, 400, "unsupported_grant_type"),
        ({"grant_type": None}, 400, "invalid_request"),
        ({"requested_token_type": "jwt"}, 400, "invalid_request"),
    ],
)
def test_refused_requests(nobody, changes, status, code):
    form = {"grant_type": "client_credentials", "client_id": ROOT[0], "client_secret": ROOT[1], "scope": ALL, **changes}
    answer = nobody.call("POST", TOKENS, form={name: value for name, value in form.items() if value is not None})
    assert (answer.status, answer.body["error"]) == (status, code)
    assert b"wrong" not in answer.data


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer x.y.z"}, {"Authorization": "Basic x"}])
def test_without_a_token(nobody, header):
    answer = nobody.manage("GET", "/catalogs", headers=header, expect=401)
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")


def test_a_token_that_was_changed_opens_nothing(admin):
    head, _, signature = admin.token.rpartition(".")
    for token in (head, f"{head}.", f"{head}.{signature[:-2]}xx", f"{head[:-4]}.{signature}", "é.é", "."):
        Caller(admin.http, admin.url, admin.revision, token.encode().decode("latin1")).manage(
            "GET", "/catalogs", expect=401
        )


def test_a_token_that_was_taken_ends(admin, monkeypatch):
    admin.manage("GET", "/catalogs")
    later = time.time() + TOKEN_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    admin.manage("GET", "/catalogs", expect=401)


def test_a_token_has_claims_and_an_end(monkeypatch):
    lifetimes = Lifetimes()
    signer = Signer(b"k", lifetimes)
    token = signer.sign(Claims("u", "id", ALL))
    assert signer.read(token) == Claims("u", "id", ALL)
    assert Signer(b"other", lifetimes).read(token) is None
    assert not lifetimes.is_over(signer.read(token).until, 0)
    later = time.time() + TOKEN_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert lifetimes.is_over(signer.read(token).until, 0)


def test_scopes():
    assert is_scope(f"{ALL} PRINCIPAL_ROLE:a")
    assert not any(map(is_scope, ("", " ", "ALL", "PRINCIPAL_ROLE:a b")))
    assert Claims("u", "id", "PRINCIPAL_ROLE:a PRINCIPAL_ROLE:b").roles == {"a", "b"}
    assert Claims("u", "id", f"PRINCIPAL_ROLE:a {ALL}").roles is None


def configuration(caller, expect):
    """Ask for the configuration of a catalog that is not there, as everybody with a good token may."""
    caller.content("GET", "/config?warehouse=nothing", expect=expect, declared=False)


MISSING = {"2024-09": 400, "1.7": 404}  # what is said of a catalog that is not there


def test_a_token_of_a_dropped_principal_opens_nothing(admin, revision):
    pair = admin.principal("u")
    user = admin.login(*pair)
    configuration(user, MISSING[revision])
    admin.manage("DELETE", "/principals/u", expect=204)
    configuration(user, 401)
    admin.principal("u")
    configuration(user, 401)
    assert admin.token_for(*pair).status == 401


def test_a_role_that_is_not_assigned(admin, revision):
    user = admin.login(*admin.principal("u", "r"), scope="PRINCIPAL_ROLE:r PRINCIPAL_ROLE:other")
    status = {"2024-09": MISSING[revision], "1.7": 401}[revision]
    configuration(user, status)


def test_a_role_that_is_taken_away(admin, revision):
    pair = admin.principal("u", "r")
    named, all_roles = admin.login(*pair, scope="PRINCIPAL_ROLE:r"), admin.login(*pair)
    configuration(named, MISSING[revision])
    admin.manage("DELETE", "/principals/u/principal-roles/r", expect=204)
    configuration(named, {"2024-09": MISSING[revision], "1.7": 401}[revision])
    configuration(all_roles, MISSING[revision])


def exchange(caller, token, *, authorized=True, **more):
    form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": ACCESS, **more}
    headers = {"Authorization": "Bearer x"} if authorized else {}
    return caller.call("POST", TOKENS, form=form, headers=headers)


def test_exchange(admin, nobody):
    token = exchange(nobody, admin.token).body["access_token"]
    assert token != admin.token
    Caller(admin.http, admin.url, admin.revision, token).manage("GET", "/catalogs", expect=200)
    refusals = [
        (exchange(nobody, admin.token, authorized=False), "invalid_client"),
        (exchange(nobody, "x.y.z"), "invalid_client"),
        (exchange(nobody, admin.token, subject_token_type="saml2"), "invalid_request"),
    ]
    assert [(answer.status, answer.body["error"]) for answer, _ in refusals] == [(400, code) for _, code in refusals]


def test_an_exchange_never_widens(admin, nobody, revision):
    pair = admin.principal("u", "r", "s")
    narrow = admin.token_for(*pair, scope="PRINCIPAL_ROLE:r").body["access_token"]
    for scope in (ALL, "PRINCIPAL_ROLE:s", "PRINCIPAL_ROLE:r PRINCIPAL_ROLE:s"):
        answer = exchange(nobody, narrow, scope=scope)
        if revision == "1.7":
            assert (answer.status, answer.body["error"]) == (400, "invalid_scope")
        else:
            assert answer.status == 200
    wide = admin.token_for(*pair).body["access_token"]
    assert exchange(nobody, wide, scope="PRINCIPAL_ROLE:r").status == 200


def test_realms(admin, revision):
    header = "Polaris-Realm"
    admin.manage("GET", "/catalogs", headers={header: "POLARIS"}, expect=200)
    answer = admin.manage("GET", "/catalogs", headers={header: "other"}, declared=False)
    assert answer.status == {"2024-09": 200, "1.7": 404}[revision]
    form = {"grant_type": "client_credentials", "client_id": ROOT[0], "client_secret": ROOT[1], "scope": ALL}
    asked = admin.call("POST", TOKENS, form=form, headers={header: "other"}, declared=False)
    assert asked.status == answer.status
    if revision == "1.7":
        assert answer.type == asked.type == "MissingOrInvalidRealm"


def test_credentials_are_shown_once_where_none_are_given(http, capfd, tmp_path):
    with serve("polaris/1.7", storage=f"dir:{tmp_path}"):
        shown = capfd.readouterr().err.split()[-1]
    with serve("polaris/1.7", storage=f"dir:{tmp_path}", bootstrap="other:s3cr3t") as server:
        assert shown not in capfd.readouterr().err
        caller = Caller(http, server.url, "1.7")
        assert caller.token_for(*shown.split(":")).status == 200
        assert caller.token_for("other", "s3cr3t").status == 401


def test_tokens_outlive_a_restart_and_no_secret_is_kept(http, tmp_path):
    options: dict[str, Any] = {"storage": f"dir:{tmp_path}", "bootstrap": ":".join(ROOT)}
    with serve("polaris/1.7", **options) as server:
        caller = Caller(http, server.url, "1.7")
        token = caller.token_for(*ROOT).body["access_token"]
        _, secret = Admin(http, server.url, "1.7", token).principal("u")
    with serve("polaris/1.7", **options) as server:
        Caller(http, server.url, "1.7", token).manage("GET", "/catalogs", expect=200)
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert kept
    assert [text for text in (ROOT[1], secret, token) if text.encode() in kept] == []
