"""Secrets: one with something behind it, as hash functions fill up keys, is another secret."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from lakeproof import serve
from reference_server.polaris.entities.credentials import PrincipalCredentials, hashed, is_secret, quickly_hashed
from tests.reference_server.polaris.conftest import ROOT, Admin, Caller, basic

LONG = "x" * 100
OTHERS = ("\0", "\0\0", " ", "\n", "\ufffd")


@pytest.fixture(params=["memory", "directory"])
def admin(request, http, tmp_path):
    settings: dict[str, Any] = {"storage": f"dir:{tmp_path}/state"} if request.param == "directory" else {}
    with serve("polaris/1.7", bootstrap=":".join(ROOT), **settings) as server:
        nobody = Caller(http, server.url, "1.7")
        yield Admin(http, server.url, "1.7", nobody.token_for(*ROOT).body["access_token"])


def older_hash(secret):
    salt = bytes(range(16))
    return f"{salt.hex()}:{hashlib.scrypt(secret.encode(), salt=salt, n=1 << 12, r=8, p=1).hex()}"


@pytest.mark.parametrize("hash_", [hashed, quickly_hashed, older_hash])
@pytest.mark.parametrize("secret", ["word", LONG, "word\u00e9"])
def test_only_the_secret_itself_is_good(hash_, secret):
    credentials = PrincipalCredentials("i", "c", (hash_(secret),))
    assert is_secret(secret, credentials)
    others = [*(secret + more for more in OTHERS), secret[:-1], f"\0{secret}", ""]
    assert [other for other in others if is_secret(other, credentials)] == []
    assert not is_secret(secret, None)
    assert not is_secret("", PrincipalCredentials("i", "c", ()))


def test_a_secret_may_end_with_a_nul():
    credentials = PrincipalCredentials("i", "c", (hashed("word\0"),))
    assert is_secret("word\0", credentials)
    assert not is_secret("word", credentials)


def test_secrets_of_all_kinds_are_good_together():
    credentials = PrincipalCredentials("i", "c", (quickly_hashed("new"), older_hash("old")))
    assert [secret for secret in ("new", "old", "none") if is_secret(secret, credentials)] == ["new", "old"]


def test_tokens_are_issued_for_the_secret_itself(admin):
    client, issued = admin.principal("u")
    admin.manage("POST", "/principals/u/reset", {"clientId": "me", "clientSecret": "word"}, expect=200)
    other, drawn = admin.principal("v")
    for id, secret in (ROOT, ("me", "word"), (other, drawn)):
        assert admin.token_for(id, secret).status == 200
        for more in OTHERS:
            assert admin.token_for(id, secret + more).status == 401, (id, more)
            assert admin.token_for(id + more, secret).status == 401, (id, more)
    assert admin.token_for(client, issued).status == 401


def test_basic_authentication_with_a_nul(admin):
    form = {"grant_type": "client_credentials", "scope": "PRINCIPAL_ROLE:ALL"}
    anonymous = Caller(admin.http, admin.url, "1.7")
    tokens = "/api/catalog/v1/oauth/tokens"
    for more in ("%00", "\0"):
        anonymous.call("POST", tokens, form=form, headers=basic(ROOT[0], ROOT[1] + more), expect=401)
    anonymous.call("POST", tokens, form=form, headers=basic(*ROOT), expect=200)
