"""Messages about servers with which no run can start: the situation that their answers show, and the way out."""

from __future__ import annotations

import socket
import ssl
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import trustme

from conformance.run.recognition import recognise
from conformance.target.reach import check_listening, speaks_tls
from conformance.values.settings import Settings
from lakeproof import check
from specs.problems import Problem
from tests.conformance.small_servers import SmallServer, say

PAGE = b"<!DOCTYPE html><html><title>Console</title></html>"
NO_HOST = "http://catalog.invalid:8181"  # RFC 6761: a name that never resolves


def page(handler, status=200):
    handler.send_response(status)
    handler.send_header("Content-Type", "text/html; charset=utf-8")
    handler.send_header("Content-Length", str(len(PAGE)))
    handler.end_headers()
    handler.wfile.write(PAGE)


def problem_of(url, api, folder):
    """Return the problem of a run with an API, and of one that finds it out itself."""
    with pytest.raises(Problem) as caught:
        check(url, api=api, report=str(folder)) if api else recognise(Settings(server=url))
    return caught.value


SITUATIONS = {
    "page": (page, "returned 200 with an HTML page: a console or a proxy answers there", "another port or path"),
    "missing page": (lambda one: page(one, 404), "returned 404 with an HTML page", "another port or path"),
    "redirect": (
        lambda one: say(one, 307, {}, Location="https://h/api"),
        "returned 307 and redirects to https://h/api",
        "follows no redirects",
    ),
    "missing": (lambda one: say(one, 404, {"oh": "no"}), "returned 404 for /", "--path-prefix dev"),
    "closed": (lambda one: say(one, 401, {}), "returned 401: it requires credentials", "--token"),
    "starting": (lambda one: say(one, 503, {}), "returned 503 for the first request: the server", "--wait SECONDS"),
    "broken": (lambda one: say(one, 500, {}), "returned 500 for the first request.", "Look into its log"),
    "empty": (
        lambda one: say(one, 200, {}),
        "returned 200 with application/json: it does not speak",
        "Another service",
    ),
    "foreign": (lambda one: say(one, 200, {"status": "ok"}), 'Its body is {"status":"ok"}', "Another service"),
}


@pytest.mark.parametrize("api", ["iceberg", ""], ids=["named", "unnamed"])
@pytest.mark.parametrize("situation", SITUATIONS)
def test_each_situation_has_words_and_a_way_out_of_its_own(situation, api, tmp_path):
    answer, words, hint = SITUATIONS[situation]
    with SmallServer(lambda handler, _: answer(handler)) as server:
        problem = problem_of(server.url, api, tmp_path)
    assert words in str(problem)
    assert hint in problem.hint
    others = {other for other, (_, said, _) in SITUATIONS.items() if said in str(problem)} - {situation, "empty"}
    assert others == set()


def test_the_tried_paths_are_named(tmp_path):
    with SmallServer(lambda handler, _: say(handler, 404, {})) as server:
        named, unnamed = problem_of(server.url, "iceberg", tmp_path), problem_of(server.url, "", tmp_path)
    assert f"{server.url} returned 404 for /v1/config and /v1/namespaces: it does not speak iceberg/" in str(named)
    for path in ("/v1/namespace/%24/list", "/v1/config", "/api/management/v1/catalogs"):
        assert path in str(unnamed)


@pytest.mark.parametrize("api", ["iceberg", ""], ids=["named", "unnamed"])
def test_a_host_that_does_not_resolve_is_named_without_a_path(api, tmp_path):
    problem = problem_of(NO_HOST, api, tmp_path)
    assert f"{NO_HOST} cannot be reached: the host catalog.invalid does not resolve (" in str(problem)
    assert "/v1/" not in str(problem)
    with pytest.raises(Problem, match="does not resolve"):
        check_listening(Settings(server=NO_HOST))


@pytest.mark.parametrize("api", ["iceberg", ""], ids=["named", "unnamed"])
def test_a_port_that_refuses_is_named_without_a_path(api, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    problem = problem_of(url, api, tmp_path)
    assert str(problem).startswith(f"{url} cannot be reached: no connection: Connection refused.")
    assert "--wait SECONDS" in problem.hint


@contextmanager
def shaking_hands():
    """A server that speaks TLS alone: it ends each connection after the handshake."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    trustme.CA().issue_cert("127.0.0.1").configure_cert(context)

    def serve(listener):
        while True:
            try:
                connection, _ = listener.accept()
                context.wrap_socket(connection, server_side=True).close()
            except ssl.SSLError:
                connection.close()
            except OSError:
                return

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        yield SimpleNamespace(url=f"http://127.0.0.1:{listener.getsockname()[1]}")


@pytest.mark.parametrize("api", ["iceberg", ""], ids=["named", "unnamed"])
def test_tls_behind_an_http_url_is_told(api, tmp_path):
    with shaking_hands() as server:
        problem = problem_of(server.url, api, tmp_path)
    assert f"{server.url} cannot be used: the server speaks TLS at this port" in str(problem)
    assert problem.hint == f"Use {server.url.replace('http:', 'https:')}."


def test_a_400_of_a_server_that_speaks_tls_is_told(tmp_path, monkeypatch):
    """nginx and Go answer plain HTTP at a port for TLS."""
    monkeypatch.setattr("conformance.target.unrecognised.speaks_tls", lambda _: True)
    with SmallServer(lambda handler, _: say(handler, 400, "sent to an HTTPS server")) as server:
        assert "speaks TLS at this port" in str(problem_of(server.url, "iceberg", tmp_path))


@pytest.mark.parametrize("api", ["iceberg", ""], ids=["named", "unnamed"])
def test_plain_http_behind_an_https_url_is_told(api, tmp_path):
    with SmallServer(lambda handler, _: say(handler, 200, {})) as server:
        url = server.url.replace("http:", "https:")
        problem = problem_of(url, api, tmp_path)
        assert not speaks_tls(server.url)
    assert f"{url} cannot be reached: the server speaks plain HTTP at this port" in str(problem)
    assert problem.hint.startswith(f"Use {server.url}")
