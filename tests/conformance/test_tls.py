"""TLS: servers behind certificates of private authorities, and clients that have to show one themselves."""

from __future__ import annotations

import contextlib
import re
import socket
import ssl
import threading
from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives import serialization

from lakeproof import check, serve
from lakeproof.cli import main
from specs.problems import Problem
from tests.conformance.whole_runs import not_met


class Authority:
    """An authority, with its certificate and two more as files: of the server and of a client."""

    def __init__(self, folder):
        self._ca = trustme.CA()
        self.ca = self._write(folder / "ca.pem", self._ca.cert_pem)
        self.server = self._ca.issue_cert("127.0.0.1")
        client = self._ca.issue_cert("client@example.org")
        self.cert = self._write(folder / "client.pem", *client.cert_chain_pems)
        self.key = self._write(folder / "client.key", client.private_key_pem)
        self.both = self._write(folder / "both.pem", client.private_key_and_cert_chain_pem)

    @staticmethod
    def _write(path, *parts):
        path.write_bytes(b"".join(part.bytes() for part in parts))
        return str(path)

    def context(self, *, wants_clients):
        """Return the TLS context of a server."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.server.configure_cert(context)
        if wants_clients:
            context.verify_mode = ssl.CERT_REQUIRED
            self._ca.configure_trust(context)
        return context


class TlsProxy:
    """Takes TLS connections on a port of its own and passes on what is in them."""

    def __init__(self, server, context):
        self._behind, self._context = ("127.0.0.1", server.port), context
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._listener.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._serve, args=(self._listener.accept()[0],), daemon=True).start()

    def _serve(self, plain):
        outside = self._context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
        with outside, contextlib.suppress(OSError):
            try:
                outside.do_handshake()
            except ssl.SSLError:  # the client reads why, whatever it has sent meanwhile
                socket.socket.shutdown(outside, socket.SHUT_WR)
                while socket.socket.recv(outside, 1 << 16):
                    pass
                return
            with socket.create_connection(self._behind) as inside:
                for end in (inside, outside):
                    end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=self._pass_on, args=(inside, outside), daemon=True).start()
                self._pass_on(outside, inside)

    @staticmethod
    def _pass_on(source, sink):
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture(scope="module")
def urls(authority):
    """The reference server behind TLS, by whether it wants certificates of clients."""
    with contextlib.ExitStack() as stack:
        server = stack.enter_context(serve("lance", storage="memory:pure"))
        proxies = {wants: TlsProxy(server, authority.context(wants_clients=wants)) for wants in (False, True)}
        yield {wants: stack.enter_context(proxy).url for wants, proxy in proxies.items()}


def judge(url, folder, **settings):
    return check(url, select="lance.namespace.list", depth="smoke", report=str(folder), timeout=10.0, **settings)


def test_an_unknown_authority_is_named_as_such(urls, tmp_path):
    with pytest.raises(Problem) as caught:
        judge(urls[False], tmp_path)
    assert re.search(r"cannot be reached: TLS fails: .*certificate", str(caught.value))
    assert not re.search(r"_ssl|Errno|\[", str(caught.value))
    assert "--ca FILE" in caught.value.hint
    assert "--insecure" in caught.value.hint


def test_the_authority_can_be_given(urls, authority, tmp_path):
    results, code = judge(urls[False], tmp_path, ca=authority.ca)
    assert code == 0, not_met(results)
    assert {entry.verdict for entry in results.requirements} == {"pass"}


def test_any_certificate_can_be_taken(urls, tmp_path):
    assert judge(urls[False], tmp_path, insecure=True)[1] == 0


def test_another_authority_is_not_enough(urls, tmp_path):
    other = tmp_path / "other.pem"
    trustme.CA().cert_pem.write_to_path(str(other))
    with pytest.raises(Problem, match="TLS fails"):
        judge(urls[False], tmp_path, ca=str(other))


def test_a_certificate_for_another_name_is_not_enough(urls, authority, tmp_path):
    with pytest.raises(Problem, match=r"TLS fails: .*localhost"):
        judge(urls[False].replace("127.0.0.1", "localhost"), tmp_path, ca=authority.ca)


def test_a_server_that_wants_a_certificate_and_gets_none_is_told(urls, authority, tmp_path):
    with pytest.raises(Problem) as caught:
        judge(urls[True], tmp_path, ca=authority.ca)
    assert "--cert" in str(caught.value)
    assert not re.search(r"_ssl|Errno|\[", str(caught.value))


@pytest.mark.parametrize("files", [("cert", "key"), ("both", "")])
def test_a_client_shows_its_certificate(files, urls, authority, tmp_path):
    cert, key = (getattr(authority, name) if name else "" for name in files)
    assert judge(urls[True], tmp_path, ca=authority.ca, cert=cert, key=key)[1] == 0


@pytest.mark.parametrize("setting", ["ca", "cert", "key"])
@pytest.mark.parametrize("content", [None, b"", b"-----BEGIN CERTIFICATE-----\nno\n-----END CERTIFICATE-----\n"])
def test_a_file_that_is_of_no_use_is_one_clear_problem(setting, content, urls, authority, tmp_path):
    path = tmp_path / "of-no-use.pem"
    if content is not None:
        path.write_bytes(content)
    given = {"cert": authority.cert, "key": authority.key} if setting == "key" else {}
    with pytest.raises(Problem) as caught:
        judge(urls[True], tmp_path, **{**given, setting: str(path)})
    assert str(path) in str(caught.value)
    assert "cannot be used for TLS" in str(caught.value)
    assert not re.search(r"_ssl|Errno|\[", str(caught.value))
    assert "PEM" in caught.value.hint


def test_an_encrypted_key_is_one_clear_problem(urls, authority, tmp_path):
    key = serialization.load_pem_private_key(Path(authority.key).read_bytes(), None)
    secret = serialization.BestAvailableEncryption(b"secret")
    traditional = serialization.PrivateFormat.TraditionalOpenSSL
    path = tmp_path / "encrypted.pem"
    path.write_bytes(key.private_bytes(serialization.Encoding.PEM, traditional, secret))
    with pytest.raises(Problem, match=r"encrypted.pem cannot be used for TLS: .*encrypted\."):
        judge(urls[True], tmp_path, ca=authority.ca, cert=authority.cert, key=str(path))


def test_a_key_of_another_certificate_is_one_clear_problem(urls, authority, tmp_path):
    other = Authority(tmp_path)
    with pytest.raises(Problem, match="cannot be used for TLS"):
        judge(urls[True], tmp_path, ca=authority.ca, cert=authority.cert, key=other.key)


def test_the_command_line_takes_the_files(urls, authority, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["lakeproof", "check", urls[True], "-k", "lance.namespace.list", "--depth", "smoke"]
    monkeypatch.setattr("sys.argv", [*words, "--ca", authority.ca, "--cert", authority.cert, "--key", authority.key])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 0
