"""The first request: what is said of servers that send clients elsewhere, fail, are something else, or are not up."""

from __future__ import annotations

import json
import socket
import time
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Any

import pytest

from conformance.target import target
from lakeproof import check, serve
from reference_server.faults import HEADER
from specs.problems import Problem
from tests.conformance.mutants import TOKEN
from tests.conformance.partial_servers import Partial, partial_server
from tests.conformance.small_servers import Meddler, SmallServer, drip, hang_up, say
from tests.conformance.whole_runs import not_met

APIS = ("lance", "iceberg")
LONG = 60.0
CONFIG = {"defaults": {}, "overrides": {}}


def problem_of(answer, folder, api="lance", **settings):
    """Return the problem that a run reports for a server, and the number of requests that the server got."""
    with SmallServer(lambda handler, _: answer(handler)) as server:
        with pytest.raises(Problem) as caught:
            check(server.url, api=api, report=str(folder), **settings)
        return caught.value, len(server.asked)


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_redirect_is_named_with_its_place(api, status, tmp_path):
    place = "https://catalog.example/api"
    problem, asked = problem_of(lambda handler: say(handler, status, Location=place), tmp_path, api)
    assert f"returned {status} and redirects to {place}" in str(problem)
    assert "follows no redirects" in problem.hint
    assert asked == 1


def test_a_redirect_to_nowhere_is_told(tmp_path):
    assert "redirects to nowhere" in str(problem_of(lambda handler: say(handler, 302), tmp_path)[0])


@pytest.mark.parametrize("api", APIS)
def test_a_server_that_fails_at_once_is_told(api, tmp_path):
    problem, _ = problem_of(lambda handler: say(handler, 500, {"oh": "no"}), tmp_path, api)
    assert "returned 500 for the first request" in str(problem)
    assert "--wait" in problem.hint


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("status", [401, 403])
def test_a_server_that_wants_credentials_is_told(api, status, tmp_path):
    problem, _ = problem_of(lambda handler: say(handler, status, {}), tmp_path, api)
    assert f"returned {status}: it requires credentials" in str(problem)


@pytest.mark.parametrize("status", [401, 403])
def test_a_catalog_behind_an_open_configuration_wants_credentials(status, tmp_path):
    def answer(handler):
        say(handler, *((200, CONFIG) if handler.path.startswith("/v1/config") else (status, {})))

    problem, asked = problem_of(answer, tmp_path, "iceberg")
    assert f"/v1/namespaces returned {status}: it requires credentials" in str(problem)
    assert "--credential" in problem.hint
    assert asked == 2


@pytest.mark.parametrize("status", [400, 404])
def test_a_catalog_that_wants_a_warehouse_is_told_in_its_own_words(status, tmp_path):
    error = {"error": {"message": "there is no such bucket", "type": "bad_request", "code": status}}

    def answer(handler):
        say(handler, *((status, error) if handler.path.startswith("/v1/config") else (404, {})))

    problem, _ = problem_of(answer, tmp_path, "iceberg")
    assert f'answers {status}: "there is no such bucket"' in str(problem)
    assert "--warehouse" in problem.hint


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("body", [{}, [], None, 1, {"namespaces": 1}, {"defaults": []}, {"error": None}])
def test_another_server_is_told(api, body, tmp_path):
    problem, _ = problem_of(lambda handler: say(handler, 200, body), tmp_path, api)
    assert f"returned 200 with application/json: it does not speak {api}/" in str(problem)


@pytest.mark.parametrize(("spoken", "api"), [("lance", "iceberg"), ("lance", "polaris"), ("iceberg", "lance")])
def test_a_server_of_another_api_is_told(spoken, api, tmp_path):
    with serve(spoken, storage="memory") as server, pytest.raises(Problem, match=f"does not speak {api}/"):
        check(server.url, api=api, report=str(tmp_path))


# What a server lacks of the answer by which it is recognised


FINDINGS = {
    ("iceberg", "getConfig", "defaults"): "iceberg.config.maps",
    ("iceberg", "getConfig", "overrides"): "iceberg.config.maps",
    ("lance", "ListNamespaces", "namespaces"): "lance.wire.list_namespaces",
    ("polaris", "listCatalogs", "catalogs"): "polaris.wire.list_catalogs",
}


@contextmanager
def lacking(api, path, change):
    """A server whose answers to GET on a path are changed, and what a run needs beside its URL."""

    def meddle(proxy, handler, _number):
        if handler.command != "GET" or not handler.path.partition("?")[0].endswith(path):
            return False
        answer = proxy.ask("GET", handler.path, dict(handler.headers.items()))
        return answer.status == 200 and say(handler, 200, change(json.loads(answer.body)))

    own: dict[str, Any] = {"bootstrap": "root:s3cr3t"} if api == "polaris" else {}
    given = {"credential": "root:s3cr3t"} if api == "polaris" else {}
    with serve(api, storage="memory", **own) as server, Meddler(server.url, meddle) as proxy:
        yield proxy.url, {"api": api, **given}


PATHS = {"getConfig": "/v1/config", "ListNamespaces": "/v1/namespace/%24/list", "listCatalogs": "/v1/catalogs"}


def without(*fields):
    return lambda value: {name: kept for name, kept in value.items() if name not in fields}


@pytest.mark.parametrize(("api", "operation", "field"), FINDINGS)
def test_what_is_missing_of_the_first_answer_is_a_finding(api, operation, field, tmp_path):
    """Recognition does not ask for what a MUST asks for: the MUST would never fail."""
    finding = FINDINGS[api, operation, field]
    with lacking(api, PATHS[operation], without(field)) as (url, given):
        results, code = check(url, report=str(tmp_path), select=finding, depth="smoke", **given)
    assert code == 1
    verdicts = {result.id: (result.verdict, result.level, result.message) for result in results.requirements}
    verdict, level, message = verdicts[finding]
    assert (verdict, level) == ("fail", "MUST")
    assert f'"{field}"' in message


@pytest.mark.parametrize("config", [{}, {"defaults": None}, {"defaults": [], "overrides": "x"}, []])
def test_a_catalog_is_known_by_its_listing_where_its_configuration_says_nothing(config, tmp_path):
    with lacking("iceberg", "/v1/config", lambda _: config) as (url, given):
        select = "iceberg.config.maps or iceberg.namespace.create.conflict or iceberg.config.prefix"
        results, _ = check(url, report=str(tmp_path), select=select, **given)
    verdicts = {result.id: result.verdict for result in results.requirements}
    assert verdicts["iceberg.config.maps"] == "fail"
    assert verdicts["iceberg.namespace.create.conflict"] == "pass"


def test_what_lacks_one_map_of_settings_still_has_the_other(tmp_path):
    with lacking("iceberg", "/v1/config", without("defaults")) as (url, given):
        results, code = check(url, report=str(tmp_path), select="iceberg.config.prefix", **given)
    assert code == 0, not_met(results)
    assert {result.verdict for result in results.requirements} == {"pass"}


def test_a_catalog_without_a_configuration_is_tested(tmp_path):
    """Its router knows no such path; the MUST on the configuration fails, and the others are tested."""

    def meddle(_server, handler, _number):
        return handler.path.startswith("/v1/config") and say(handler, 404, "nothing here")

    with serve("iceberg") as server, Meddler(server.url, meddle) as proxy:
        select = "iceberg.config.maps or iceberg.namespace.create.conflict"
        results, _ = check(proxy.url, api="iceberg", report=str(tmp_path), select=select)
    verdicts = {result.id: result.verdict for result in results.requirements}
    assert verdicts["iceberg.config.maps"] != "pass"
    assert verdicts["iceberg.namespace.create.conflict"] == "pass"


def test_a_namespace_without_a_list_of_namespaces_is_known_by_its_tables(tmp_path):
    def meddle(_server, handler, _number):
        path = handler.path.partition("?")[0]
        if path == "/v1/namespace/%24/list":
            return say(handler, 501, "not implemented")
        return path.endswith("missing/describe") and say(handler, 400, {"message": "no number"})

    with serve("lance", storage="memory") as server, Meddler(server.url, meddle) as proxy:
        results, code = check(proxy.url, api="lance", report=str(tmp_path), select="lance.table.create.conflict")
    assert code == 0, not_met(results)
    assert results.requirements


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        (b"", "Remote end closed connection without response"),
        (b"SSH-2.0-server\r\n", "no HTTP status line, but SSH-2.0-server"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 499\r\n\r\n0123456789", "10 of 499 bytes came"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n0123456789", "before the end of the body"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "before the end of the body"),
    ],
)
def test_why_there_is_no_answer_is_told(sent, words, tmp_path):
    problem, _ = problem_of(lambda handler: handler.wfile.write(sent) + hang_up(handler), tmp_path)
    assert f"cannot be reached: the connection broke: {words}" in str(problem)


def test_a_server_that_comes_up_later_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(target, "WAIT_PAUSE", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    given: dict[str, Any] = {"select": "lance.namespace.list", "depth": "smoke", "report": str(tmp_path)}
    with ExitStack() as stack:
        started = []

        def doing(_activity):
            """Start the server when the run begins to wait for it."""
            started.append(stack.enter_context(serve("lance", storage="memory:pure", port=port)))
            return nullcontext()

        monkeypatch.setattr(target, "doing", doing)
        results, code = check(f"http://127.0.0.1:{port}", wait=LONG, **given)
        assert started
    assert code == 0, not_met(results)


def test_a_server_that_is_starting_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(target, "WAIT_PAUSE", 0.02)
    answers = [503, 502, 504, 500]
    with SmallServer(lambda handler, number: say(handler, answers[min(number, 4) - 1], {})) as server:
        with pytest.raises(Problem, match="returned 500"):
            check(server.url, api="lance", report=str(tmp_path), wait=LONG)
        assert len(server.asked) == 6  # a 500 may be the answer to one operation: two others are tried


def test_waiting_has_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(target, "WAIT_PAUSE", 0.02)
    started = time.monotonic()
    with pytest.raises(Problem, match="cannot be reached"):
        check("http://127.0.0.1:9", report=str(tmp_path), wait=0.3)
    assert time.monotonic() - started > 0.3


def test_nobody_waits_for_a_server_that_hangs(tmp_path):
    problem, asked = problem_of(lambda handler: drip(handler, b""), tmp_path, wait=LONG, timeout=0.1)
    assert "cannot be reached: no complete answer within 0.1 s" in str(problem)
    assert asked <= 5


def test_a_server_that_leaves_lists_out_is_known_by_its_errors(tmp_path):
    fault = "lost-answer-field:ListNamespaces:namespaces"
    with serve("lance", allow_faults=True) as server:
        results, _ = check(
            server.url, header=(f"{HEADER}: {fault}",), report=str(tmp_path), select="lance.wire.list_namespaces"
        )
    assert [entry.message for entry in results.requirements] == ['"namespaces" is a required property']


@pytest.fixture
def polaris():
    """A server that misbehaves where it is told to, and a run that asks for two requirements under a fault."""
    with serve("polaris", bootstrap="root:s3cr3t", allow_faults=True) as server:
        wanted = "polaris.wire.get_catalog or polaris.wire.list_catalogs"
        given: dict[str, Any] = {"api": "polaris", "credential": "root:s3cr3t", "select": wanted}
        yield lambda folder, fault: check(server.url, header=(f"{HEADER}: {fault}",), report=str(folder), **given)


def test_a_token_that_comes_with_another_status_is_used(polaris, tmp_path):
    results, _ = polaris(tmp_path, "statuses-of-its-own")
    assert {entry.message.partition(" for ")[0] for entry in results.requirements} == {
        "the status 410 is not declared",
        "the status 201 is not declared",
    }


def test_without_a_way_to_a_token_nothing_can_be_asked(polaris, tmp_path):
    """No path but that of the configuration is there, so there is neither a caller nor a list of catalogs."""
    with pytest.raises(Problem, match="oauth/tokens answers 404 and no token for the credential"):
        polaris(tmp_path, "endpoints-not-there")


def test_a_folder_with_the_credential_of_another_run_is_told_as_such(tmp_path):
    given: dict[str, Any] = {
        "api": "polaris",
        "storage": f"dir:{tmp_path / 'lake'}",
        "report": str(tmp_path / "report"),
    }
    given |= {"select": "polaris.wire.list_catalogs"}
    for _ in range(2):
        assert check(credential="root:first", **given)[1] == 0
    with pytest.raises(Problem, match="no token for the credential") as caught:
        check(**given)
    assert "another folder" in caught.value.hint


@pytest.mark.parametrize(("group", "told"), [("writes", True), ("views", False)])
def test_a_run_on_a_server_that_creates_nothing_names_the_option_for_existing_objects(group, told, tmp_path):
    partial = Partial("iceberg", group, "text_404")
    with partial_server(partial) as server:
        given: dict[str, Any] = {"token": TOKEN, "report": str(tmp_path), "select": "iceberg.config.maps"}
        results, code = check(server.url, api="iceberg", **given)
    assert (code, any("--read-only" in note for note in results.run.notes)) == (0, told)
