"""TLS of the server: with a certificate that it issues itself, and with one from files."""

from __future__ import annotations

import ssl
import urllib.request
from typing import Any

import pytest
import trustme

from lakeproof import connect, serve
from specs.problems import Problem


def get(url, **trust):
    context = ssl.create_default_context(**trust)
    with urllib.request.urlopen(url, context=context) as answer:
        return answer.read()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    file = tmp_path_factory.mktemp("tls") / "ca.pem"
    with serve("iceberg", tls="self-signed", tls_ca=str(file)) as server:
        yield server


def test_a_client_that_trusts_the_authority_is_served(server):
    assert server.url.startswith("https://127.0.0.1:")
    assert b"overrides" in get(f"{server.url}/v1/config", cafile=server.settings.tls_ca)
    assert b"overrides" in get(f"{server.url}/v1/config".replace("127.0.0.1", "localhost"), cadata=server.ca)


def test_a_client_that_does_not_trust_it_refuses(server):
    with pytest.raises(OSError, match="CERTIFICATE_VERIFY_FAILED"):
        get(f"{server.url}/v1/config")


def test_the_authority_is_served(server):
    assert get(f"{server.url}/_lakeproof/ca.pem", cadata=server.ca).decode() == server.ca


def test_control_and_tenants_use_tls(server):
    with server.tenant() as tenant:
        get(f"{tenant.url}/v1/config", cadata=server.ca)
        tenant.assert_requested("getConfig", times=1)
    assert connect(server.control_address, ca=server.settings.tls_ca).url == server.url


def test_the_token_endpoint_has_the_scheme():
    with serve("iceberg", tls="self-signed", auth="oauth:a:b") as server:
        url = f"{server.url}/v1/oauth/tokens"
        form = b"grant_type=client_credentials&client_id=a&client_secret=b"
        context = ssl.create_default_context(cadata=server.ca)
        with urllib.request.urlopen(url, form, context=context) as answer:
            token = answer.read().decode().partition('"access_token":"')[2].partition('"')[0]
        request = urllib.request.Request(f"{server.url}/v1/config", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, context=context) as answer:
            assert url.encode() in answer.read()


def test_a_certificate_from_files(tmp_path):
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    both, chain, key = (tmp_path / name for name in ("both.pem", "chain.pem", "key.pem"))
    issued.private_key_and_cert_chain_pem.write_to_path(str(both))
    issued.private_key_pem.write_to_path(str(key))
    chain.write_bytes(b"".join(part.bytes() for part in issued.cert_chain_pems))
    each: list[dict[str, Any]] = [{"tls": str(both)}, {"tls": str(chain), "tls_key": str(key)}]
    for settings in each:
        with serve("iceberg", **settings) as server:
            get(f"{server.url}/v1/config", cadata=authority.cert_pem.bytes().decode())
            assert server.requests("getConfig")
            with pytest.raises(Problem, match="no authority of its own"):
                server.control("GET", "/ca.pem")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tls": "/no/file"}, "--tls: /no/file cannot be used: No such file or directory."),
        ({"tls": __file__}, "--tls: .* cannot be used"),
        ({"tls_key": "k.pem"}, "--tls-key has no effect without --tls."),
        ({"tls": "self-signed", "tls_key": "k.pem"}, "--tls-key has no effect with --tls self-signed."),
        ({"tls_ca": "ca.pem"}, "--tls-ca has no effect without --tls self-signed."),
        ({"tls": "self-signed", "tls_ca": "/proc/no/ca.pem"}, "--tls-ca: /proc/no/ca.pem cannot be written"),
    ],
)
def test_files_that_do_not_fit_are_refused(settings, message):
    with pytest.raises(Problem, match=message), serve("iceberg", **settings):
        pass
