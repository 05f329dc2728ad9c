"""Failures that only several clients at the same time bring about: no finding, but one note with the way out."""

from __future__ import annotations

import threading
from datetime import date
from typing import Any

import pytest

from conformance.replay.expectations import Expectations
from conformance.replay.expectations_file import ExpectationFile
from conformance.run.crowding import SAMPLE, WAY_OUT, crowded
from conformance.run.ledger import Judged, Ledger
from conformance.run.verdicts import Facts
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked
from conformance.values.verdict import FAILED
from lakeproof import check, serve
from tests.conformance import made_results
from tests.conformance.small_servers import Meddler, say

WORDS = "The server fails when several clients write at the same time: "


LOCKED = {"error": "database is locked", "code": 18}
MALFORMED = LOCKED | {"code": "locked"}


def one_writer(body):
    """A server that refuses a worker's creation if the request before came from another one: its database is locked."""
    lock, clients = threading.Lock(), []

    def meddle(_server, handler, _number):
        with lock:
            clients.append(handler.client_address)
        creates = handler.command == "POST" and handler.path.partition("?")[0].endswith("/create")
        run = clients[0]  # its own process begins, and tests alone at the end
        locked = creates and run != clients[-1] != clients[-2] != run
        return locked and say(handler, 500, body)

    return meddle


def judged(url, folder, **rest) -> Any:
    given: dict[str, Any] = {"select": "lance.namespace. or lance.wire.", "depth": "smoke", "world": ("plain",), **rest}
    return check(url, api="lance", report=str(folder), **given)


@pytest.mark.parametrize("body", [LOCKED, MALFORMED])
def test_what_two_jobs_bring_about_is_told_once_and_is_no_finding(body, tmp_path):
    with serve("lance", storage="memory:pure") as server:
        good, _ = judged(server.url, tmp_path / "good")
        with Meddler(server.url, one_writer(body)) as locked:
            results, code = judged(locked.url, tmp_path / "locked", jobs=2)
    assert [(entry.id, entry.message) for entry in results.requirements if entry.verdict in FAILED] == []
    assert (code, results.totals) == (0, good.totals)
    told = [note for note in results.run.notes if note.startswith(WORDS)]
    assert told
    assert [note for note in told if not (WAY_OUT in note and " returned 500 in " in note)] == []
    assert len({note.partition(" in ")[0] for note in told}) == len(told)
    assert not [entry for entry in results.requirements if entry.verdict == "pass" and (entry.message or entry.steps)]


@pytest.mark.parametrize("body", [LOCKED, MALFORMED])
def test_a_server_error_that_comes_alone_too_stays_a_finding(body, tmp_path):
    def meddle(_server, handler, _number):
        path = handler.path.partition("?")[0]
        return "missing" in path and path.endswith("/describe") and say(handler, 500, body)

    with serve("lance", storage="memory:pure") as server, Meddler(server.url, meddle) as broken:
        one, _ = judged(broken.url, tmp_path / "one")
        two, code = judged(broken.url, tmp_path / "two", jobs=2)
    assert code == 1
    assert one.totals == two.totals
    assert [note for note in two.run.notes if note.startswith(WORDS)] == []


class Known:
    """As much of a client as the look for crowded answers needs."""

    def __init__(self, *steps):
        self.steps = steps


def step(status, mark="", operation="createTable"):
    return Exchange(operation, "POST", "http://t", {}, status=status, mark=mark)


@pytest.mark.parametrize(
    ("client", "answer"),
    [
        (Known(step(500)), "createTable returned 500"),
        (Known(step(503), step(200)), "createTable returned 503"),
        (Known(step(429)), "createTable returned 429"),
        (Known(step(409, "status")), "createTable returned 409"),
        (Known(step(409)), ""),
        (Known(step(400, "status")), ""),
        (Known(step(500, operation="")), ""),
    ],
)
def test_server_errors_and_conflicts_that_nothing_asks_for_may_come_of_a_crowd(client, answer):
    error = Blocked("createTable: expected 200, got 500", "createTable")
    assert crowded(client, error) == answer
    assert crowded(client, None) == ""


def ledger():
    return Ledger(Expectations(ExpectationFile(profile="lance/0.11"), "gate", date(2026, 1, 1)), list)


def take(book, name, outcome, crowd=""):
    result = made_results.result("pass" if outcome == "passed" else "fail", name=name.rpartition(".")[2])
    book.take(Judged(Facts(outcome, "MUST", crowded=crowd), result))


def test_some_requirements_with_an_answer_are_tested_alone_and_the_others_where_one_passes():
    book, names = ledger(), [f"lance.table.r{number}" for number in range(3 * SAMPLE)]
    for name in names:
        take(book, name, "violated", "createTable returned 500")
    take(book, "lance.table.own", "violated", "dropTable returned 500")
    first = book.crowded()
    assert list(first) == [*names[:SAMPLE], "lance.table.own"]
    for name in first:
        take(book, name, "passed" if name == names[0] else "violated")
    rest = book.crowded()
    assert list(rest) == names[SAMPLE:]
    for name in rest:
        take(book, name, "passed")
    assert book.crowded() == {}
    assert set(book.only_in_a_crowd()) == {names[0], *names[SAMPLE:]}


def test_where_all_of_a_sample_fail_alone_the_others_are_not_tested_again():
    book = ledger()
    for number in range(3 * SAMPLE):
        take(book, f"lance.table.r{number}", "violated", "createTable returned 500")
    for name in book.crowded():
        take(book, name, "violated")
    assert book.crowded() == {}
    assert book.only_in_a_crowd() == {}
