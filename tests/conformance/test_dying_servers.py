"""Servers that die of a request: every request in flight is a suspect, and the guilty one is a finding."""

from __future__ import annotations

import json
import threading
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from conformance.after.reading import read_results
from conformance.after.reproduction import Recorded, recorded, reproduce, settings_for
from conformance.author.racing import race
from conformance.http import transport
from conformance.http.client import Client
from conformance.http.transport import Connection, Transport
from conformance.replay.replaying import Finding
from conformance.report.headline import sentence
from conformance.run.ledger import Judged
from conformance.run.suspects import MOMENT, MOST, WAY_OUT, Suspects, Suspicion, suspicions
from conformance.run.verdicts import Facts, decide
from conformance.target.sandbox import UNREACHABLE
from conformance.values.evidence import Evidence
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Died, Stopped, Violation
from conformance.values.requirement import Requirement
from conformance.values.resources import summary
from conformance.values.settings import Settings
from lakeproof import check, serve
from specs.problems import Problem
from specs.profiles import find_profile
from tests.conformance.made_results import result, results
from tests.conformance.mortal_server import Supervisor
from tests.conformance.proxy import Proxy
from tests.conformance.small_servers import SmallServer, hang_up, say

DOCUMENT = find_profile("lance").document()
LONG = 60.0
GUILTY = "lance.namespace.create.mode_unknown"
NEVER = "no such request"
FATAL = r'POST .*/create .*"mode":"Perhaps"'
SOME = "lance.namespace.create or lance.namespace.describe.missing"


@pytest.fixture
def pauses(monkeypatch):
    """Short patience, and the actions of the pauses: a test appends them."""
    steps = []

    def pause(_, seconds):
        if steps:
            steps.pop(0)()

    monkeypatch.setattr(transport, "GONE_SECONDS", 0.0)
    monkeypatch.setattr(Transport, "_sleep", pause)
    return steps


class Mortal:
    """A small server that dies of requests whose path has a word, and what a client of it has seen."""

    url: str

    def __init__(self, stack, answer=say):
        self.asked = []
        self._stack, self._answer = stack, answer
        self.start(0)
        self.client = Client(Connection(self.url, {}, LONG), DOCUMENT)
        self.client.begin(["ListNamespaces"])
        self.deaths = self.client.traffic.deaths
        self.deaths.subject = "a.requirement"

    def start(self, port=None):
        """Listen, on the same port as before."""
        port = int(self.url.rsplit(":", 1)[1]) if port is None else port
        self.server = self._stack.enter_context(SmallServer(self._handle, port))
        self.url = self.server.url

    def _handle(self, handler, _):
        self.asked.append(handler.path)
        if "fatal" in handler.path:
            self.server.stop()
            hang_up(handler)
        else:
            self._answer(handler, Connection="close")

    def ask(self, name, operation="ListNamespaces", **more):
        return self.client.call(operation, path={"id": name}, **more)


@pytest.fixture
def mortal():
    with ExitStack() as stack:
        yield Mortal(stack)


def fatal(mortal):
    return [broken.exchange for broken in mortal.deaths.take()[0]]


def test_a_request_that_was_sent_again_keeps_its_first_failure(mortal, pauses):
    mortal.ask("first")
    with pytest.raises(Stopped) as caught, mortal.client.preparing():  # so it is sent again
        mortal.ask("fatal", "DescribeNamespace")
    assert caught.value.gone
    assert "after DescribeNamespace (POST /v1/namespace/fatal/describe)" in caught.value.msg
    (exchange,) = fatal(mortal)
    assert exchange.failure.startswith("the connection broke")
    assert exchange.broken


def test_the_suspect_is_not_the_request_that_is_refused(mortal, pauses):
    mortal.ask("first")
    with pytest.raises(Violation):
        mortal.ask("fatal")
    with pytest.raises(Stopped) as caught:
        mortal.ask("innocent")
    assert "after ListNamespaces (GET /v1/namespace/fatal/list)" in caught.value.msg
    assert caught.value.exchange is mortal.client.steps[1]
    assert fatal(mortal) == [mortal.client.steps[1]]


def test_the_requirement_of_a_suspect_ends_when_the_server_is_back(mortal, pauses):
    mortal.client.traffic.patience = LONG
    mortal.ask("first")
    pauses += [lambda: None, mortal.start]
    with pytest.raises(Violation):
        mortal.ask("fatal")
    for _ in range(2):  # also for code that goes on after an error
        with pytest.raises(Died):
            mortal.ask("innocent")
    assert pauses == []
    assert "/v1/namespace/innocent/list" not in mortal.asked
    assert len(fatal(mortal)) == 1
    assert mortal.ask("next").status == 200


def test_clean_up_goes_on_after_a_death_and_does_not_repeat_it(mortal, pauses):
    mortal.client.traffic.patience = LONG
    mortal.ask("first")
    pauses.append(mortal.start)
    with mortal.client.cleaning(), suppress(Violation):
        mortal.ask("fatal")
    assert mortal.asked.count("/v1/namespace/fatal/list") == 1
    with mortal.client.cleaning():
        assert mortal.ask("next").status == 200
    assert len(fatal(mortal)) == 1


def test_a_requirement_without_a_broken_request_is_disturbed_and_no_suspect(mortal, pauses):
    mortal.client.traffic.patience = LONG
    mortal.ask("first")
    pauses.append(mortal.start)
    connection = HTTPConnection(mortal.url.removeprefix("http://"))
    connection.request("GET", "/fatal")
    with pytest.raises(OSError):
        connection.getresponse()
    with pytest.raises(Died):
        mortal.ask("innocent")
    suspects, disturbed = mortal.deaths.take()
    assert (suspects, list(disturbed)) == ([], ["a.requirement"])
    assert mortal.ask("innocent").status == 200


def test_a_server_that_is_not_up_is_waited_for(pauses):
    states = [503, 200]

    def answer(handler, **headers):
        down = handler.path == "/" and states.pop(0) != 200
        say(handler, 503 if down else 200, **headers)

    with ExitStack() as stack:
        mortal = Mortal(stack, answer)
        mortal.client.traffic.patience, mortal.deaths.subject = LONG, ""
        mortal.ask("first")
        mortal.server.stop()
        pauses.append(mortal.start)
        assert mortal.ask("next").status == 200
    assert states == []


def session_of(mortal):
    target = SimpleNamespace(preparation=[], managing={})
    notes = []
    return SimpleNamespace(client=mortal.client, target=target, notes=notes, note=notes.append)


REQUIREMENT = Requirement(
    "lance.a.requirement", "MUST", "race", ("ListNamespaces",), "page-token", "It is so.", "module:test"
)


def test_every_thread_of_a_race_has_a_suspect(mortal, pauses):
    mortal.deaths.subject = "lance.a.requirement"
    mortal.ask("first")
    clients = 3
    both = threading.Barrier(clients)

    def answer(handler, **_):
        both.wait()
        mortal.server.stop()
        hang_up(handler)

    mortal._answer = answer

    def program(racer):
        racer.do("read", "k", lambda: racer.client.call("ListNamespaces", path={"id": f"r{racer.number}"}))
        racer.client.call("ListNamespaces", path={"id": "later"})

    suite: Any = SimpleNamespace(client=mortal.client, settings=Settings())
    with pytest.raises(Stopped):
        race(suite, [program] * clients)
    (suspicion,) = suspicions(session_of(mortal), [REQUIREMENT], mortal.deaths.take()[0])
    assert sorted(exchange.url[-7:-5] for exchange in suspicion.fatal) == ["r0", "r1", "r2"]
    assert [step.mark for step in suspicion.judged.result.steps] == ["", *["status"] * clients]
    assert suspicion.judged.result.message == "the server died while it processed ListNamespaces"


def test_the_request_of_the_example_that_broke_first_is_shown(mortal, pauses):
    """A server that dies may accept one more connection, and break it."""
    mortal.deaths.subject = "lance.a.requirement"
    mortal.ask("first")
    with pytest.raises(Violation):
        mortal.ask("fatal")
    mortal.client.begin_example()
    mortal.client.recording.add(mortal.client.prepare("ListNamespaces", path={"id": "again"}))
    mortal.client.steps[0].failure = "the connection broke: reset"
    mortal.deaths.note_broken(mortal.client.steps[0])
    with pytest.raises(Stopped):
        mortal.ask("next")
    (suspicion,) = suspicions(session_of(mortal), [REQUIREMENT], mortal.deaths.take()[0])
    assert [exchange.url.rpartition("namespace/")[2] for exchange in suspicion.fatal] == ["fatal/list"]
    assert [step.response.status for step in suspicion.judged.result.steps] == [200, 0]


# What a run makes of it


@pytest.fixture(scope="module")
def good():
    with serve("lance", storage="memory:pure") as server:
        yield server


def test_the_guilty_request_is_found_alone_when_the_server_comes_back(good, tmp_path):
    given: dict[str, Any] = {"api": "lance", "depth": "smoke", "select": SOME, "report": str(tmp_path)}
    with Supervisor(good.url, FATAL, lives=9) as mortal:
        results, code = check(mortal.url, jobs=2, **given)
        judged = {entry.id: entry for entry in results.requirements}
        record = recorded(read_results(tmp_path), GUILTY)
        assert mortal.deaths == 2  # in the run, and alone
        again = reproduce(record, settings_for(record, mortal.url, {}))
        assert (again.fails, "as recorded" in again.why) == (True, True)
    assert code == 1
    assert results.run.stopped is None
    assert {name for name, entry in judged.items() if entry.verdict != "pass"} == {GUILTY}
    assert len(judged) == results.run.selected > 5
    evidence = judged[GUILTY].evidence
    assert (evidence.aspect, evidence.operation, evidence.died) == ("connection", "CreateNamespace", True)
    assert judged[GUILTY].steps[-1].request.body == {"json": {"mode": "Perhaps"}}
    assert not judged[GUILTY].flaky
    assert results.run.left_behind == []
    with pytest.raises(Problem, match="cannot be reached"):
        reproduce(record, settings_for(record, mortal.url, {}))
    fixed = reproduce(record, settings_for(record, good.url, {}))
    assert not fixed.fails


def test_a_server_that_dies_of_a_request_alone_is_a_finding_everywhere(good, tmp_path, monkeypatch):
    with Supervisor(good.url, FATAL, lives=2) as mortal:  # in the run, and alone: then it stays away
        monkeypatch.setattr(transport, "GONE_SECONDS", 9.0)
        results, code = check(mortal.url, api="lance", depth="smoke", select=SOME, report=str(tmp_path))
    assert code == 1
    cause = results.causes[0]
    assert (cause.title, cause.requirements, cause.verdict) == ("Kills the server", [GUILTY], "fail")
    assert cause.sentence == "The server died while it processed CreateNamespace"
    assert sentence(results).startswith(f"Does not conform to {results.target.profile}: 1 cause kills the server")
    assert "no request is known" not in sentence(results)
    (failure,) = ET.parse(tmp_path / "junit.xml").getroot().iter("failure")
    assert (failure.get("type"), failure.get("message")) == (cause.title, cause.sentence)
    (found,) = json.loads((tmp_path / "findings.sarif").read_text())["runs"][0]["results"]
    assert (found["ruleId"], found["level"]) == (GUILTY, "error")
    assert cause.sentence in (tmp_path / "report.html").read_text()


class Killer(Proxy):
    """A proxy behind a server that kills it once, from outside, while the server processes a request."""

    victim = None

    def answer(self, handler, body):
        if self.victim and b'"Perhaps"' in body:
            victim, self.victim = self.victim, None
            victim.kill()
        super().answer(handler, body)


def killed(good, tmp_path, lives):
    """Return the results of a run during which somebody kills the server, and the exit code."""
    with Killer(good.url) as killer, Supervisor(killer.url, NEVER, lives=lives) as mortal:
        killer.victim = mortal
        return check(mortal.url, api="lance", depth="smoke", select=SOME, report=str(tmp_path))


def test_a_server_that_somebody_stopped_went_away_and_no_request_is_blamed(good, tmp_path, monkeypatch):
    monkeypatch.setattr(transport, "GONE_SECONDS", 0.2)
    results, code = killed(good, tmp_path, lives=1)
    assert code == 1
    assert results.run.stopped.gone
    assert "CreateNamespace (POST /v1/namespace/" in results.run.stopped.message
    (blocked,) = [entry for entry in results.requirements if entry.verdict != "pass"]
    assert (blocked.verdict, blocked.evidence.suspected) == ("blocked", True)
    assert blocked.message == (
        "the server went away while it processed CreateNamespace; no request is known to have caused it"
    )
    (cause,) = results.causes
    assert (cause.title, cause.requirements, cause.blocked) == ("Not tested", [], [blocked.id])
    assert WAY_OUT in results.run.notes
    assert results.run.left_behind
    assert [line for line in summary(results.run.left_behind) if UNREACHABLE not in line] == []
    tested = f"{len(results.requirements)} of {results.run.selected} requirements"
    assert sentence(results) == (
        f"No verdict on {results.target.profile}: 1 could not be tested; "
        f"the server went away after {tested}, and no request is known to have caused it."
    )
    assert "kill" not in sentence(results)
    (found,) = json.loads((tmp_path / "findings.sarif").read_text())["runs"][0]["results"]
    assert (found["ruleId"], found["level"]) == (GUILTY, "note")
    record = recorded(read_results(tmp_path), blocked.id)
    with pytest.raises(Problem, match="alone does not kill the server"):
        reproduce(record, settings_for(record, good.url, {}))
    with Supervisor(good.url, FATAL) as mortal:
        assert reproduce(record, settings_for(record, mortal.url, {})).fails


def test_a_server_that_somebody_stopped_and_started_again_is_a_note(good, tmp_path, monkeypatch):
    monkeypatch.setattr(transport, "GONE_SECONDS", 9.0)
    results, code = killed(good, tmp_path, lives=9)
    assert code == 0
    assert {entry.verdict for entry in results.requirements} == {"pass"}
    assert len(results.requirements) == results.run.selected
    assert any("CreateNamespace, but not when that was sent alone" in note for note in results.run.notes)


class Run:
    """Stand-in for the run that the plugin of suspects belongs to: its ledger, its reports and its items."""

    def __init__(self, suspects=(), kills=(), blocks=()):
        self.published, self.notes, self.judged = [], [], {}
        self.traffic = SimpleNamespace(stopped=None)
        self.client = SimpleNamespace(traffic=self.traffic, gone=True)
        self.ledger = self
        session: Any = self
        reporter: Any = SimpleNamespace(publish=lambda _, entry: self.published.append(entry))
        self.suspects = Suspects(session, reporter)
        self._kills, self._blocks = kills, blocks
        self.tested = []
        self.items: dict[str, Any] = {}
        for suspicion in suspects:
            self.suspects.take(suspicion)
            hook = SimpleNamespace(pytest_runtest_protocol=self._test)
            self.items[suspicion.id] = SimpleNamespace(id=suspicion.id, config=SimpleNamespace(hook=hook))

    def _test(self, item, nextitem):
        self.tested.append(item.id)
        self.judged[item.id] = "blocked" if item.id in self._blocks else "pass"
        if item.id in self._kills:
            self.suspects.take(suspect(item.id.rpartition(".")[2]))

    def verdict(self, name):
        return self.judged.get(name)

    def take(self, judged):
        return judged.result

    def note(self, text):
        self.notes.append(text)

    def end(self, *, alone=True):
        if alone:
            self.suspects._test_alone(self.items)
        self.suspects._conclude(self.items)


def suspect(name, at=0.0, operation="ListTables"):
    entry = result("fail", name=name)
    exchange = Exchange(operation, "GET", f"http://h:1/{name}", {})
    return Suspicion(Judged(Facts("violated", "MUST", died=True), entry), at, [exchange])


def test_one_that_is_guilty_clears_the_others():
    run = Run([suspect("a"), suspect("b", 0.1), suspect("c", 0.2)], kills=["lance.table.b"])
    run.end()
    assert list(run.judged) == ["lance.table.a", "lance.table.b", "lance.table.c"]
    assert (run.published, run.notes) == ([], [])
    assert run.suspects.cleared == {"lance.table.a", "lance.table.c"}


def test_a_death_of_which_no_request_is_guilty_is_noted():
    run = Run([suspect("a"), suspect("b", operation="DropTable")])
    run.end()
    assert run.published == []
    assert run.notes == [
        "the server went away while it processed DropTable or ListTables, but not when that was sent alone: "
        "no request is known to have caused it"
    ]


def test_what_was_under_way_when_the_server_died_is_tested_again():
    run = Run([suspect("a", 5.0)], kills=["lance.table.a"])
    other = ["lance.table.disturbed", "lance.table.failed", "lance.table.passed", "lance.table.before"]
    run.items |= {name: SimpleNamespace(id=name, config=run.items["lance.table.a"].config) for name in other}
    run.suspects.disturbed["lance.table.disturbed"] = 5.5
    run.suspects.spans |= dict.fromkeys(other[1:3], (4.0, 6.0)) | {other[3]: (2.0, 4.5)}
    run.judged |= {other[1]: "fail", other[2]: "pass", other[3]: "fail"}
    run.client.gone = False
    run.end()
    assert run.tested == ["lance.table.a", "lance.table.disturbed", "lance.table.failed"]
    assert run.published == []
    assert run.notes == ["the server stopped accepting connections during the run, and came back"]


def test_one_that_was_blocked_when_it_was_alone_stays_a_suspect():
    blocked = suspect("a")
    run = Run([blocked, suspect("b", 0.1)], blocks=[blocked.id])
    run.end()
    (told,) = run.published
    assert (told.id, told.verdict, told.evidence.suspected, run.notes) == (blocked.id, "blocked", True, [WAY_OUT])


def test_a_run_that_ends_before_names_the_suspects_of_each_death():
    late = suspect("c", at=MOMENT * 2, operation="DropTable")
    run = Run([suspect("b", operation="DropTable"), late, suspect("a", MOMENT / 2)])
    run.traffic.stopped = Stopped("the server is gone", "target", gone=True)
    run.end(alone=False)
    told = {entry.id[-1]: (entry.message, entry.evidence.suspected) for entry in run.published if entry.id[-1] != "c"}
    message = "the server went away while it processed 2 requests: DropTable, ListTables"
    message += "; no request is known to have caused it"
    assert told == {"a": (message, True), "b": (message, True)}
    assert {entry.verdict for entry in run.published} == {"blocked"}
    assert run.notes == [WAY_OUT] * 2
    assert run.published[-1].id == late.id
    assert run.traffic.stopped.msg == "the server is gone: it refuses connections after DropTable (GET /c)"


def test_a_server_that_dies_too_often_ends_the_run():
    run = Run([suspect(f"r{number}", at=number * MOMENT) for number in range(MOST - 1)])
    assert run.suspects.end == ""
    run.suspects.take(suspect("last", at=MOST * MOMENT))
    assert run.suspects.end == "the server died too often"
    run.suspects.alone = True
    assert run.suspects.end == ""


@pytest.mark.parametrize("level", ["MUST", "SHOULD", "MAY"])
def test_a_death_fails_the_gate_at_any_level(level):
    verdict = decide(Facts("violated", level, died=True)).verdict
    evidence = Evidence(relation="died", actual="DropTable", aspect="connection", operation="DropTable")
    judged = results(result("fail", name="b"), result(verdict, level, "a", evidence=evidence))
    assert judged.exit_code() == 1
    assert judged.requirements[1].fails_gate(strict=False)
    first = judged.causes[0]
    assert (first.requirements, first.verdict, first.level) == (["lance.table.a"], "fail", level)
    assert sentence(judged) == (
        "Does not conform to lance/2026-03: 1 cause kills the server; 1 other cause of findings."
    )


def test_one_of_several_suspects_is_not_told_as_fixed(good, tmp_path):
    given = Settings(server=good.url, api="lance", depth="smoke", select=GUILTY, report=str(tmp_path))
    evidence = Evidence(relation="suspect", actual="one of 2 requests: CreateNamespace", aspect="connection")
    finding = Finding(GUILTY, "behaviour", "", [], good.url, "x", evidence=evidence)
    record = Recorded(finding=finding, statement="It is so.", kit="lakeproof", seen="", settings={})
    with pytest.raises(Problem, match="alone does not kill the server"):
        reproduce(record, given)
