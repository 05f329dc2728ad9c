"""Requests within limits: slow, hanging, throttling, breaking and vanishing servers, and runs that have an end."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from email.utils import formatdate
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.author.suite import ATTEMPTS, Suite
from conformance.http import deadlines, retry_after, transport
from conformance.http.client import Client
from conformance.http.transport import Connection, Traffic, Transport
from conformance.target.target import connect
from conformance.values.outcomes import Blocked, Stopped, Violation
from conformance.values.settings import Settings
from lakeproof import check, serve
from specs.profiles import find_profile
from tests.conformance.small_servers import DeadlineClock, Meddler, SmallServer, drip, hang_up, say, turn_away
from tests.conformance.whole_runs import not_met

DOCUMENT = find_profile("lance").document()
SHORT, LONG = 0.3, 60.0  # timeouts of requests that hang, and of those that are answered
NOW = 1_700_000_000
STARTS = {
    "nothing": b"",
    "status": b"HTTP/1.1 ",
    "headers": b"HTTP/1.1 200 OK\r\nX-Drip: ",
    "body": b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n",
    "chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n",
}


@pytest.fixture
def clock(monkeypatch):
    clock = DeadlineClock()
    monkeypatch.setattr(deadlines, "time", clock)
    return clock


def client_of(server, timeout=LONG):
    client = Client(Connection(server.url, {}, timeout), DOCUMENT)
    client.begin(["ListNamespaces"])
    return client


def list_namespaces(client, name="$", expect=200):
    return client.call("ListNamespaces", path={"id": name}, expect=expect)


def create_namespace(client, name="a"):
    return client.call("CreateNamespace", path={"id": name}, json={}, expect=None)


# Slow and endless answers


@pytest.mark.parametrize("start", STARTS)
def test_a_dripping_server_is_given_up(start):
    with SmallServer(lambda handler, _: drip(handler, STARTS[start])) as server:
        client = client_of(server, timeout=SHORT)
        with pytest.raises(Violation, match=r"no answer \(no complete answer within 0.3 s\)"):
            list_namespaces(client)
        assert client.steps[-1].hung
        assert len(server.asked) == 1


@pytest.mark.parametrize("length", ["Transfer-Encoding: chunked", "Content-Length: 1000000000000", "X: until the end"])
def test_an_endless_answer_is_cut(length, monkeypatch):
    monkeypatch.setattr(transport, "MAX_ANSWER", 1 << 20)

    def flood(handler, _):
        handler.wfile.write(f"HTTP/1.1 200 OK\r\n{length}\r\n\r\n".encode())
        while True:
            handler.wfile.write(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")

    with SmallServer(flood) as server:
        client = client_of(server)
        with pytest.raises(Violation, match="the answer is longer than 1 MiB"):
            list_namespaces(client)
        assert len(client.steps[-1].response_body) <= 1 << 20


def test_a_long_answer_that_ends_is_read(monkeypatch):
    monkeypatch.setattr(transport, "MAX_ANSWER", 1 << 20)
    long = {"namespaces": ["x" * ((1 << 20) - len(json.dumps({"namespaces": [""]})))]}
    with SmallServer(lambda handler, _: say(handler, body=long)) as server:
        assert len(list_namespaces(client_of(server)).body) == 1 << 20


# Servers that hang


def test_hanging_requests_in_a_row_stop_the_run_and_the_first_is_named(monkeypatch):
    monkeypatch.setattr(transport, "HANGS", 3)
    with SmallServer(lambda handler, _: drip(handler, b"")) as server:
        client = client_of(server, timeout=0.1)
        for name in ("first", "second"):
            with pytest.raises(Violation):
                list_namespaces(client, name)
        with pytest.raises(Stopped) as caught:
            list_namespaces(client, "third")
        assert caught.value.msg == (
            "the server hangs: 3 requests in a row got no complete answer, "
            "first ListNamespaces (GET /v1/namespace/first/list)"
        )
        assert caught.value.gone
        assert caught.value.exchange is client.steps[0]
        with pytest.raises(Stopped):
            list_namespaces(client, "fourth")
        assert len(server.asked) == 3


def test_an_answer_between_hanging_requests_lets_the_run_go_on(monkeypatch, clock):
    monkeypatch.setattr(transport, "HANGS", 2)
    with SmallServer(lambda handler, number: clock.hang(handler) if number % 2 else say(handler)) as server:
        client = client_of(server)
        for _ in range(3):
            with pytest.raises(Violation):
                list_namespaces(client)
            list_namespaces(client)
        assert client.traffic.stopped is None


# Connections that break


def test_what_prepares_is_sent_again_when_its_connection_breaks():
    with SmallServer(lambda handler, number: hang_up(handler) if number < 3 else say(handler, body={})) as server:
        client = client_of(server)
        assert create_namespace(client).status == 200
        assert [method for method, _ in server.asked] == ["POST"] * 3
        assert len(client.steps) == 1
        assert client.traffic.notes() == ["the server closed 2 of 3 connections without an answer"]


def test_what_a_requirement_is_about_is_sent_once_and_so_is_all_behind_it():
    with SmallServer(lambda handler, number: hang_up(handler) if number % 2 else say(handler)) as server:
        client = client_of(server)
        with pytest.raises(Violation, match="the connection broke"):
            list_namespaces(client)
        assert list_namespaces(client).status == 200
        with pytest.raises(Violation, match="the connection broke"):
            create_namespace(client)
        assert len(server.asked) == 3


def test_connections_that_always_break_are_given_up():
    with SmallServer(lambda handler, _: hang_up(handler)) as server:
        client = client_of(server)
        with pytest.raises(Blocked, match="the connection broke"):
            client.call("CreateNamespace", path={"id": "a"}, json={}, expect=200)
        assert len(server.asked) == transport.ATTEMPTS


def suite_of(server):
    settings = Settings(server=server.url, timeout=LONG)
    suite = Suite(settings, connect(settings))
    suite.client.begin(["ListNamespaces"])
    return suite


def run_example(suite, *names):
    """Run a requirement that lists namespaces of these names, one after the other."""

    def test(client):
        for name in names:
            list_namespaces(client, name)

    suite.run(test, {"client": suite.client}, {})


def test_an_example_in_which_a_connection_broke_once_is_run_anew():
    with SmallServer(lambda handler, number: hang_up(handler) if number == 2 else say(handler)) as server:
        run_example(suite_of(server), "a", "b", "c")
        assert [path.split("/")[3] for _, path in server.asked] == ["a", "b", "a", "b", "c"]


def test_an_example_that_always_breaks_at_one_step_fails():
    def answer(handler, _):
        return hang_up(handler) if "/b/" in handler.path else say(handler)

    with SmallServer(answer) as server:
        with pytest.raises(Violation, match="the connection broke"):
            run_example(suite_of(server), "a", "b", "c")
        assert len(server.asked) == 2 * ATTEMPTS


def test_an_example_that_breaks_here_and_there_is_blocked():
    breaks = {2, 3, 6, 8, 9, 12, 13}  # a, b | a | a, b, c | a, b | a | ...

    with SmallServer(lambda handler, number: hang_up(handler) if number in breaks else say(handler)) as server:
        with pytest.raises(Blocked) as caught:
            run_example(suite_of(server), "a", "b", "c")
        assert (caught.value.by, isinstance(caught.value, Stopped)) == ("connection", False)
        assert "at varying requests" in caught.value.msg


def test_what_was_done_twice_by_a_broken_connection_is_no_finding():
    """The namespace is created, the answer is lost, and the request that is sent again finds it there."""
    statuses = {1: None, 2: 409, 3: 200}

    def answer(handler, number):
        status = statuses.get(number, 200)
        return say(handler, status) if status else hang_up(handler)

    def test(client):
        client.call("CreateNamespace", path={"id": "a"}, json={})
        list_namespaces(client)

    with SmallServer(answer) as server:
        suite = suite_of(server)
        suite.run(test, {"client": suite.client}, {})
        assert [method for method, _ in server.asked] == ["POST", "POST", "POST", "GET"]
        assert [step for step in suite.client.steps if step.resent] == []


def test_a_failure_of_another_kind_counts_at_once():
    with SmallServer(lambda handler, _: say(handler, 500)) as server:
        with pytest.raises(Violation, match="got 500"):
            run_example(suite_of(server), "a")
        assert len(server.asked) == 1


# Servers that ask to come back later


@pytest.fixture
def waits(monkeypatch):
    """Return a list of the seconds that a run would wait; it does not wait."""
    seconds: list[float] = []
    monkeypatch.setattr(Transport, "_sleep", lambda _, wanted: seconds.append(wanted))
    return seconds


@pytest.mark.parametrize("status", [429, 503])
def test_seconds_that_the_server_asks_for_are_waited(status, waits):
    with SmallServer(lambda h, number: say(h, status, Retry_After="7") if number < 3 else say(h)) as server:
        client = client_of(server)
        assert list_namespaces(client).status == 200
        assert waits == [7, 7]
        assert client.traffic.notes() == ["the server asked 2 times for a later retry, 14 s in total"]
        assert client.wire.of("ListNamespaces") == []
        assert len(client.steps) == 1


@pytest.fixture
def now(monkeypatch):
    monkeypatch.setattr(retry_after, "time", SimpleNamespace(time=lambda: NOW))


@pytest.mark.usefixtures("now")
def test_a_moment_that_the_server_names_is_waited_for(waits):
    later = formatdate(NOW + 20, usegmt=True)
    with SmallServer(lambda h, number: say(h, 503, Retry_After=later) if number == 1 else say(h)) as server:
        assert list_namespaces(client_of(server)).status == 200
    assert waits == [20]


@pytest.mark.usefixtures("now")
def test_a_moment_that_is_past_needs_no_waiting(waits):
    before = formatdate(NOW - 3600, usegmt=True)
    with SmallServer(lambda h, number: say(h, 503, Retry_After=before) if number == 1 else say(h)) as server:
        assert list_namespaces(client_of(server)).status == 200
    assert waits == [0]


@pytest.mark.parametrize("value", ["999999999", "Fri, 31 Dec 9999 23:59:59 GMT", "9" * 400])
def test_nobody_waits_for_longer_than_a_minute(value, waits):
    with SmallServer(lambda h, number: say(h, 503, Retry_After=value) if number == 1 else say(h)) as server:
        assert list_namespaces(client_of(server)).status == 200
    assert waits == [retry_after.MOST_SECONDS]


@pytest.mark.parametrize(
    "value", ["", "soon", "-1", "1.5", "Mon, 99 Jan 2030 00:00:00 GMT", f"Mon, 01 Jan {'9' * 20} 00:00:00 GMT"]
)
def test_what_says_no_time_is_an_answer_like_any_other(value, waits):
    with SmallServer(lambda h, _: say(h, 503, Retry_After=value)) as server:
        with pytest.raises(Violation, match="got 503"):
            list_namespaces(client_of(server))
        assert len(server.asked) == 1
    assert waits == []


def test_other_statuses_are_not_waited_for(waits):
    with SmallServer(lambda h, _: say(h, 500, Retry_After="7")) as server, pytest.raises(Violation, match="got 500"):
        list_namespaces(client_of(server))
    assert waits == []


def test_hopeless_throttling_is_not_waited_for_again_and_again(waits):
    with SmallServer(lambda h, number: say(h, 429, Retry_After="1") if number < 10 else say(h)) as server:
        client = client_of(server)
        with pytest.raises(Violation, match="got 429"):
            list_namespaces(client)
        assert len(waits) == len(server.asked) == transport.MOST_WAITS
        while len(server.asked) < 9:
            before = len(server.asked)
            with pytest.raises(Violation, match="got 429"):
                list_namespaces(client)
            assert len(server.asked) == before + 1
        assert len(waits) == transport.MOST_WAITS
        assert list_namespaces(client).status == 200
        assert not client.traffic.impatient


# Servers that vanish


@pytest.fixture
def quickly(monkeypatch):
    monkeypatch.setattr(transport, "GONE_SECONDS", 0.2)
    monkeypatch.setattr(transport, "PAUSE", 0.02)


def test_a_server_that_takes_no_more_connections_stops_the_run(quickly):
    with SmallServer(lambda handler, _: say(handler, Connection="close")) as server:
        client = client_of(server)
        list_namespaces(client, "last")
        server.stop()
        with pytest.raises(Stopped) as caught:
            list_namespaces(client, "next")
        assert caught.value.gone
        assert caught.value.msg == (
            "the server is gone: it refuses connections after ListNamespaces (GET /v1/namespace/last/list)"
        )
        assert caught.value.exchange is client.steps[0]


def test_a_server_that_never_answered_is_not_waited_for(waits):
    with SmallServer(lambda handler, _: say(handler)) as server:
        client = client_of(server)
    with pytest.raises(Violation, match="no connection: Connection refused"):
        list_namespaces(client)
    assert waits == []
    assert client.traffic.stopped is None


def test_a_server_that_comes_back_is_waited_for(monkeypatch):
    monkeypatch.setattr(transport, "PAUSE", 0.02)
    with SmallServer(lambda handler, _: say(handler, Connection="close")) as server:
        client = client_of(server)
        list_namespaces(client)
    pauses, port = [], int(server.url.rsplit(":", 1)[1])

    def pause(_, seconds):
        pauses.append(seconds)
        if len(pauses) == 3:
            stack.enter_context(SmallServer(lambda handler, _: say(handler), port))

    monkeypatch.setattr(Transport, "_sleep", pause)
    with ExitStack() as stack:
        assert list_namespaces(client).status == 200
    assert pauses == [0.02] * 3


# Whole runs


def settings(folder, **more):
    return {"api": "lance", "depth": "smoke", "report": str(folder), "timeout": LONG, **more}


@pytest.fixture(scope="module")
def good():
    """A good server for all runs here, and the verdicts on it."""
    with serve("lance", storage="memory:pure") as server:
        yield server


def verdicts(results):
    return {entry.id: entry.verdict for entry in results.requirements}


def written(folder: Path):
    return json.loads((folder / "results.json").read_text())


def test_throttling_changes_no_verdict(good, tmp_path):
    some = {"select": "lance.namespace"}
    calm, code = check(good.url, **settings(tmp_path / "calm", **some))
    assert code == 0, not_met(calm)

    def meddle(_, handler, number):
        return number % 3 == 0 and turn_away(handler, 429 if number % 2 else 503, Retry_After="0")

    with Meddler(good.url, meddle) as throttling:
        results, code = check(throttling.url, **settings(tmp_path / "throttled", **some))
    assert code == 0, not_met(results)
    assert verdicts(results) == verdicts(calm)
    (note,) = results.run.notes
    assert note.startswith("the server asked ")
    assert written(tmp_path / "throttled")["run"]["notes"] == [note]


def test_broken_connections_are_told_once_and_are_no_failures(good, tmp_path):
    def meddle(_, handler, number):
        return number % 23 == 0 and hang_up(handler)

    with Meddler(good.url, meddle) as breaking:
        results, _ = check(breaking.url, **settings(tmp_path, select="lance.namespace"))
        broken = breaking.asked // 23
    assert set(verdicts(results).values()) <= {"pass", "unoffered", "skipped", "blocked"}
    (note,) = results.run.notes
    assert note == f"the server closed {broken:,} of {breaking.asked:,} connections without an answer"
    assert results.run.left_behind == []


def test_an_operation_that_always_breaks_fails(good, tmp_path):
    def meddle(_, handler, __):
        return "missing" not in handler.path and handler.path.endswith("/describe") and hang_up(handler)

    with Meddler(good.url, meddle) as breaking:
        results, code = check(breaking.url, **settings(tmp_path, select="lance.namespace.describe"))
    assert code == 1
    assert "fail" in verdicts(results).values()
    assert set(verdicts(results).values()) <= {"pass", "fail", "blocked", "unoffered", "skipped"}


@pytest.mark.parametrize("number_of_good_requests", [1, 2, 10, 60, 150])
def test_a_server_that_vanishes_ends_the_run(number_of_good_requests, good, tmp_path, quickly):
    def meddle(proxy, handler, number):
        if number > number_of_good_requests:
            proxy.vanish(handler)
        return number > number_of_good_requests

    with Meddler(good.url, meddle) as vanishing:
        results, code = check(vanishing.url, **settings(tmp_path))
    assert code == 1
    run = written(tmp_path)["run"]
    assert run["stopped"]["gone"]
    assert "refuses connections after" in run["stopped"]["message"]
    assert run["stopped"]["step"]["request"]["url"].startswith(vanishing.url)
    assert run["stopped"]["step"]["operation"] in run["stopped"]["message"]
    if number_of_good_requests > 80:
        assert results.run.requests <= number_of_good_requests + 5
        (failed,) = [entry for entry in results.requirements if entry.verdict in ("fail", "error", "blocked")]
        assert failed.evidence.died
        assert (failed.verdict, results.causes[0].blocked) == ("blocked", [failed.id])


def test_a_server_that_hangs_ends_the_run(good, tmp_path, monkeypatch, clock):
    monkeypatch.setattr(transport, "HANGS", 3)

    def meddle(_, handler, number):
        return number > 150 and bool(clock.hang(handler))

    with Meddler(good.url, meddle) as hanging:
        results, code = check(hanging.url, **settings(tmp_path))
    assert code == 1
    assert results.run.stopped.gone
    assert results.run.stopped.message.startswith("the server hangs: 3 requests in a row")
    assert results.run.stopped.step.response.failure == "no complete answer within 60 s"


def test_the_time_of_a_run_ends_it_with_what_was_judged(tmp_path, good):
    results, code = check(good.url, **settings(tmp_path, depth="gate", max_time=2.0))
    assert code in (1, 2)
    run = written(tmp_path)
    assert run["run"]["stopped"] == {"message": "the run's time is over", "gone": False, "step": None}
    assert len(run["requirements"]) == len(results.requirements)
    assert set(verdicts(results).values()) <= {"pass", "unoffered", "skipped"}
    assert run["run"]["left_behind"] == []
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("max_time", [1e-9, 0.001])
def test_a_run_without_time_for_anything_says_so(tmp_path, good, max_time):
    results, code = check(good.url, **settings(tmp_path, max_time=max_time))
    assert code == 2
    assert results.run.stopped.message == "the run's time is over"
    assert results.requirements == []


def test_clean_up_has_a_while_when_the_time_of_a_run_is_over():
    traffic = Traffic(ends=time.monotonic() - 1)
    with pytest.raises(Stopped):
        traffic.check()
    traffic.cleaning = True
    traffic.check()
    traffic.ends -= transport.CLEAN_UP_SECONDS
    with pytest.raises(Stopped):
        traffic.check()
