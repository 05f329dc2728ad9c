"""The parts of a race that need no Spark: clocks, figures, the report."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock
from uuid import UUID

import pytest

from conformance.history import Contradiction, Event, Judgement
from conformance.iceberg.support.idempotency import new_key
from conformance.values.resources import Leftover
from conformance.values.settings import Settings
from lakeproof import serve
from lakeproof.commands.race import print_race, race_target
from spark_tests.races import clock as clocks
from spark_tests.races import running
from spark_tests.races.figures import actions, percentile, timeline, totals
from spark_tests.races.iceberg import extension
from spark_tests.races.loop import TrafficPlan
from spark_tests.races.records import Record
from spark_tests.races.report import page, to_json
from spark_tests.races.running import Race, RaceSettings, ignore_progress
from spark_tests.races.workload import TrafficClient, Workload

RECORDS = [
    Record("a", 1, "commit", ("chain", 0), (0, 1), None, 10.0, 10.1, 0.0, 200),
    Record("a", 2, "commit", ("chain", 0), (0, 2), None, 10.0, 10.3, 0.001, 409),
    Record("b", 3, "commit", ("chain", 1), (0, 3), None, 10.5, 11.0, 0.0, 0),
    Record("b", 3, "read", ("chain", 1), None, None, 11.0, 12.0, 0.0, 500),
]


@pytest.mark.parametrize("profile", ["iceberg/1.6", "iceberg/2026-08"])
def test_a_race_follows_the_revision_that_the_server_shows(profile, capsys):
    with serve(profile) as server:
        given = Settings(server=server.url, api="iceberg")
        with race_target(given, ()) as target:
            assert (target.server, target.profile) == (server.url, profile)
    assert f"The race follows {profile}: " in capsys.readouterr().err


def test_one_host_has_one_clock():
    with clocks.clock("127.0.0.1", ignore_progress) as address:
        assert clocks.measure(address) == clocks.Offset(0.0, 0.0)


@pytest.fixture
def patient(monkeypatch):
    """The clock waits for its answers, however busy the machine is."""
    monkeypatch.setattr(clocks, "PATIENCE", 60.0)


@pytest.mark.usefixtures("patient")
def test_notes_of_what_is_done_arrive_beside_the_clock():
    """The driver reads datagrams in their order: with its answer it has read the note before."""
    messages = []
    with clocks.clock("127.0.0.1", lambda part, operations: messages.append((part, operations))) as address:
        clocks.note(address, 3, 70_000)
        clocks.measure(replace(address, host="elsewhere"))
    assert messages == [(3, 70_000)]


@pytest.mark.usefixtures("patient")
def test_clock_of_another_host(monkeypatch):
    """The clock of another host is an hour behind: the measured offset is an hour, within its slack."""
    with clocks.clock("127.0.0.1", ignore_progress) as address:
        elsewhere = replace(address, host="elsewhere")
        began = time.monotonic()
        offset = clocks.measure(elsewhere)
        assert abs(offset.seconds) <= offset.slack < time.monotonic() - began
        behind = time.monotonic
        monkeypatch.setattr(clocks, "TIMES", 4)
        monkeypatch.setattr(time, "monotonic", _ShiftedHere(behind))
        shifted = clocks.measure(elsewhere)
    assert abs(shifted.seconds - 3600) <= shifted.slack + 0.01


class _ShiftedHere:
    """The monotonic clock, an hour behind for the thread that made it."""

    def __init__(self, real):
        self.real, self.thread, self.current = real, threading.get_ident(), threading.get_ident

    def __call__(self):
        return self.real() - (3600 if self.current() == self.thread else 0)


def test_clocks_that_drift_are_known_less_well():
    offset = clocks.drifted(clocks.Offset(5.0, 0.001), clocks.Offset(5.004, 0.002))
    assert (offset.seconds, offset.slack) == pytest.approx((5.0, 0.006))


def test_silent_clock_is_told(monkeypatch):
    monkeypatch.setattr(clocks, "TIMES", 1)
    monkeypatch.setattr(clocks, "PATIENCE", 0.05)
    with pytest.raises((TimeoutError, ConnectionRefusedError)):
        clocks.measure(clocks.ClockAddress(("127.0.0.1", 9), "elsewhere"))


def test_totals():
    figures = totals(RECORDS)
    assert (figures["operations"], figures["seconds"], figures["per_second"]) == (4, 2.0, 2.0)
    assert (figures["conflicts"], figures["unanswered"], figures["server_errors"], figures["hosts"]) == (0.5, 1, 1, 2)
    assert figures["clock_slack_ms"] == 1.0


def test_rows_of_actions():
    commits, reads = actions(RECORDS)
    assert (commits["ok"], commits["refused"], commits["unknown"], commits["conflicts"]) == (1, 1, 1, 0.5)
    assert commits["latency"] == {"p50": 100.0, "p90": 300.0, "p99": 300.0, "p100": 300.0}
    assert (reads["conflicts"], reads["statuses"]) == (None, {"500": 1})


def test_timeline_counts_everything_once():
    line = timeline(RECORDS, ticks=2)
    assert line == {"seconds": 1.0, "ok": [1, 0], "refused": [1, 0], "unknown": [0, 2]}


@pytest.mark.parametrize(("percent", "value"), [(0, 1), (50, 2), (51, 3), (100, 4)])
def test_percentile(percent, value):
    assert percentile([1, 2, 3, 4], percent) == value


def test_keys_are_uuids_of_version_7():
    keys = {new_key() for _ in range(50)}
    assert len(keys) == 50
    assert {UUID(key).version for key in keys} == {7}


def test_tokens_are_of_one_client():
    clients = [
        TrafficClient(number, None, Workload((), {}, 0, False, {}), clocks.Offset(0.0, 0.0)) for number in range(20)
    ]
    tokens = [client.new_token() for client in clients for _ in range(20)]
    assert len(set(tokens)) == 400
    assert [token for token in tokens if not 0 < token < 2**63] == []


def test_clients_share_all_operations():
    plan = TrafficPlan("iceberg", None, None, None, clients=7, operations=100, partitions=2)
    shares = [plan.share(client) for client in range(7)]
    assert sum(shares) == 100
    assert max(shares) - min(shares) <= 1


def test_a_commit_builds_on_what_was_seen():
    body = extension((4, 77, "file:///t"), 99)
    assert body["requirements"] == [{"type": "assert-ref-snapshot-id", "ref": "main", "snapshot-id": 77}]
    added, pointed, gone = body["updates"]
    assert added["snapshot"]["sequence-number"] == 5
    assert (pointed["snapshot-id"], gone["snapshot-ids"]) == (99, [77])


def test_contradictions_that_are_not_printed_are_counted_and_kept(tmp_path, capsys):
    events = [Event(n, "commit", ("chain", 0), (n, n), 10.0 + n, 10.5 + n, "ok") for n in range(8)]
    wrong = tuple(Contradiction(f"version {n} is lost", tuple(events)) for n in range(88))
    target: Any = SimpleNamespace(
        settings=Settings(server="http://h:1", api="iceberg"), profile=SimpleNamespace(name="iceberg/1.11"), server="s"
    )
    race = Race(
        "r", datetime.now(UTC), RaceSettings(2, 4), target, RECORDS, [Judgement(("chain", 0), 4, wrong)], {"judge": 0}
    )
    report = to_json(race, "lakeproof race")
    assert len(report["problems"]) == report["contradictions"] == 88
    print_race(report, tmp_path / "race.json")
    assert f"… and 83 more contradictions: {tmp_path}/race.json has all 88." in capsys.readouterr().out
    shown = page(report)
    assert 'the first 50 are shown; <a href="race.json">race.json</a> has all of them' in shown
    assert "The last 6 of its 8 operations" in shown


@pytest.mark.parametrize("interrupted", [False, True])
def test_a_race_is_judged_and_kept_before_its_objects_are_dropped(monkeypatch, interrupted):
    done, left = [], Leftover("namespace", "n", "may still exist")

    class Shelf:
        left_behind: list[Leftover] = []  # noqa: RUF012 - an attribute of each

        def undropped(self):
            return [left]

        def sweep(self):
            done.append("sweep")
            if interrupted:
                raise KeyboardInterrupt

        def abandon(self):
            self.left_behind = [left]

    target = SimpleNamespace(sandbox=Shelf())
    monkeypatch.setattr(running, "connect", lambda _: target)
    monkeypatch.setattr(running, "handshake", lambda _: None)
    monkeypatch.setattr(running, "race_api", lambda _: MagicMock())
    kept = []

    def keep(race):
        done.append("keep")
        kept.append((len(race.judgements), race.left_behind))

    spark: Any = None
    race = running.run_race(spark, Settings(api="lance"), RaceSettings(), lambda *_: RECORDS, keep=keep)
    assert (done, kept) == (["keep", "sweep"], [(2, [left])])
    assert race.left_behind == ([left] if interrupted else [])
