"""Runs that are ended from outside, however hard: every verdict that was shown is in the results and on the page."""

from __future__ import annotations

import errno
import json
import os
import pty
import random
import re
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pytest
import urllib3

from conformance.run.crew import Crew
from conformance.run.session import Session
from conformance.target.sandbox import ABANDONED, Sandbox
from lakeproof import check, serve
from specs import writing
from tests import children
from tests.amount import amount, seeds
from tests.children import PATIENCE, wait_for
from tests.conformance.made_results import Page
from tests.conformance.small_servers import Meddler

GROUP = "lance.namespace.create"
CONFLICT = "lance.namespace.create.conflict"
REQUESTS = (40, 680)  # from the first verdicts to the last drops of a run
NOTICE = 5  # seconds between SIGTERM and KILL
MOMENTS = amount((2, 9), range(1, 11))
SHOWN = re.compile(rb"(\d+) of \d+ requirements")


class Recorder:
    """A listener that knows the shown verdicts, and interrupts the run at one of them."""

    def __init__(self, moment=0):
        self.shown, self.moment = set(), moment

    def selected(self, requirements):
        pass

    def tested(self, result):
        self.shown.add(result.id)
        if len(self.shown) == self.moment:
            signal.raise_signal(signal.SIGINT)


def written(folder):
    """The requirements that the results and the page have, and the notes of the run."""
    results = json.loads((folder / "results.json").read_text())
    ids = {entry["id"] for entry in results["requirements"]}
    page = Page((folder / "report.html").read_text())
    assert ids == {entry["id"] for entry in page.data["requirements"]}
    return ids, results["run"]["notes"]


def settings(folder, **rest) -> dict[str, Any]:
    return {"select": GROUP, "depth": "smoke", "report": str(folder), "world": ("plain",), **rest}


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("moment", MOMENTS)
def test_an_interruption_writes_what_was_shown_before_any_clean_up(interruptible, monkeypatch, tmp_path, jobs, moment):
    """A process that is killed while it, or one of its workers, cleans up has lost nothing."""
    seen, listener = [], Recorder(moment)

    def cleaning(original):
        def record(*arguments, **given):
            seen.append((set(listener.shown), *written(tmp_path)))
            return original(*arguments, **given)

        return record

    monkeypatch.setattr(Crew, "interrupt", cleaning(Crew.interrupt))
    monkeypatch.setattr(Sandbox, "sweep", cleaning(Sandbox.sweep))
    with serve("lance", storage="memory:pure") as server:
        results, code = check(server.url, api="lance", listener=listener, **settings(tmp_path, jobs=jobs))
    assert (code, results.run.interrupted, len(seen) > 0) == (2, True, True)
    for shown, ids, notes in seen:
        assert shown <= ids
        assert any(note.startswith("The run ended before its clean-up did") for note in notes)
    ids, notes = written(tmp_path)
    assert listener.shown == ids
    assert [note for note in notes if "clean-up" in note] == []


@pytest.mark.parametrize("signals", [0, 1, 2])
def test_the_results_are_written_before_the_clean_up_which_a_second_interruption_ends(
    interruptible, monkeypatch, tmp_path, signals
):
    drop, before = Sandbox._drop, []

    def interrupted(*arguments, **given):
        if len(before) < signals and given.get("there"):
            before.append(written(tmp_path)[0])
            signal.raise_signal(signal.SIGINT)
        return drop(*arguments, **given)

    monkeypatch.setattr(Sandbox, "_drop", interrupted)
    with serve("lance", storage="memory:pure", faults=["said-only:DropNamespace"]) as server:
        given = settings(tmp_path, select=CONFLICT, leave_behind=True)
        results, code = check(server.url, api="lance", **given)
    assert (code, results.totals["pass"], results.run.interrupted) == (0, 1, False)
    assert before == [{CONFLICT}] * signals
    left_behind: list[Any] = results.run.left_behind
    reasons = {left.reason == ABANDONED for left in left_behind}
    assert reasons == {signals == 2}
    assert json.loads((tmp_path / "results.json").read_text())["run"]["left_behind"]


def test_findings_that_an_interruption_keeps_from_their_replay_are_counted(interruptible, monkeypatch, tmp_path):
    monkeypatch.setattr("conformance.run.session.replay_and_drop", lambda *_: signal.raise_signal(signal.SIGINT))
    with serve("lance", storage="memory:pure", faults=["conflict-as-400"]) as server:
        results, code = check(server.url, api="lance", **settings(tmp_path, select=CONFLICT))
    assert (code, results.totals["fail"], results.run.left_behind) == (2, 1, [])
    assert "The run was interrupted before 1 of 1 findings were replayed." in results.run.notes


def hanging_drops():
    """A server whose drops get no answer once `armed` is set."""
    armed = threading.Event()

    def meddle(_server, handler, _number):
        if armed.is_set() and urlsplit(handler.path).path.endswith("/drop"):
            threading.Event().wait(PATIENCE)
        return False

    return armed, meddle


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP])
def test_a_run_that_is_killed_while_it_cleans_up_has_written_all_verdicts(tmp_path, how):
    armed, meddle = hanging_drops()
    report = tmp_path / "out"
    with serve("lance", storage="memory:pure") as server, Meddler(server.url, meddle) as meddler:
        options = ("--api", "lance", "-k", "lance.namespace", "--jobs", "2", "--report", str(report), "--timeout", "60")
        command = [sys.executable, "-m", "lakeproof", "check", meddler.url, *options]
        told = tmp_path / "stderr"
        with told.open("wb") as stderr:  # workers keep it open, and outlive the run
            process = children.start(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=stderr)
        log = report / "exchanges.jsonl"
        wait_for(lambda: log.exists() and log.stat().st_size > 100_000)
        armed.set()
        process.send_signal(how)
        wait_for((report / "junit.xml").exists)  # the file after the page
        process.kill()
        process.wait(PATIENCE)
    ids, _ = written(report)
    assert len(ids) >= max([1, *map(int, SHOWN.findall(told.read_bytes()))])


@pytest.mark.parametrize("seed", seeds())
def test_a_run_that_is_killed_soon_after_its_notice_has_written_all_verdicts(tmp_path, seed):
    """CI systems send SIGTERM at any moment, the clean-up included, and KILL a few seconds later."""
    report, moment, reached = tmp_path / "out", random.Random(seed).randrange(*REQUESTS), threading.Event()

    def count(_server, _handler, number):
        if number >= moment:
            reached.set()
        return False

    with serve("lance", storage="memory:pure") as server, Meddler(server.url, count) as meddler:
        options = ("--api", "lance", "-k", "lance.namespace", "--jobs", "2", "--report", str(report))
        command = [sys.executable, "-m", "lakeproof", "check", meddler.url, *options]
        told = tmp_path / "stderr"
        with told.open("wb") as stderr:  # workers keep it open, and may outlive the run
            process = children.start(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=stderr)
        wait_for(lambda: reached.is_set() or process.poll() is not None)
        process.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(NOTICE)
        process.kill()
        process.wait(PATIENCE)
    ids, _ = written(report)
    assert len(ids) >= max([0, *map(int, SHOWN.findall(told.read_bytes()))])


def test_a_terminal_that_closes_takes_no_verdict_away(tmp_path):
    """The terminal sends SIGHUP, and whatever is printed after that fails."""
    report = tmp_path / "out"
    ours, theirs = pty.openpty()
    with serve("lance", storage="memory:pure") as server:
        options = ("--api", "lance", "--depth", "deep", "-k", "lance.namespace", "--report", str(report))
        command = [sys.executable, "-m", "lakeproof", "check", server.url, *options]
        opened = [sys.executable, "-c", "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "]
        opened[-1] += "os.execv(sys.executable, sys.argv[1:])"
        process = children.start(
            [*opened, *command], cwd=tmp_path, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
        )
        os.close(theirs)
        reader = threading.Thread(target=_read, args=(ours,), daemon=True)
        reader.start()
        log = report / "exchanges.jsonl"
        wait_for(lambda: log.exists() and log.stat().st_size > 100_000)
        os.close(ours)
        process.wait(PATIENCE)
    ids, notes = written(report)
    assert ids
    assert [note for note in notes if "clean-up" in note] == []


def _read(terminal):
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        pass


def test_on_a_full_disk_results_take_the_place_of_the_log(monkeypatch, tmp_path):
    """As long as the log has more than a line, there is no space."""
    write_file, log = writing.write_file, tmp_path / "exchanges.jsonl"

    def on_full_disk(path, content):
        if log.stat().st_size > 1000:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write_file(path, content)

    for module in ("conformance.values.results", "conformance.report"):
        monkeypatch.setattr(f"{module}.write_file", on_full_disk)
    with serve("lance", storage="memory:pure") as server:
        _, code = check(server.url, api="lance", **settings(tmp_path, select=CONFLICT))
    assert (code, written(tmp_path)[0]) == (0, {CONFLICT})
    assert 0 < log.stat().st_size <= 1000


def test_a_server_that_dies_during_the_clean_up_takes_no_verdict_away(monkeypatch, tmp_path):
    with serve("lance", storage="memory:pure") as server:
        sweep = Sandbox.sweep

        def dying(*arguments, **given):
            server.stop()
            assert written(tmp_path)[0] == {CONFLICT}
            return sweep(*arguments, **given)

        monkeypatch.setattr(Sandbox, "sweep", dying)
        monkeypatch.setattr("conformance.http.transport.GONE_SECONDS", 0.0)
        results, _ = check(server.url, api="lance", **settings(tmp_path, select=CONFLICT))
    assert results.totals["pass"] == 1


def test_results_are_written_once_more_only_where_they_changed(tmp_path, monkeypatch):
    kept, save = [], Session.save

    def twice(session):
        save(session)
        save(session)

    monkeypatch.setattr(Session, "save", twice)
    monkeypatch.setattr("lakeproof.checking.write_reports", lambda *_: kept.append(1))
    with serve("lance", storage="memory:pure") as server:
        check(server.url, api="lance", **settings(tmp_path, select=CONFLICT))
    assert len(kept) == 2


def test_an_interrupted_handshake_leaves_nothing(interruptible, monkeypatch, tmp_path):
    """Its objects were made to find out what the server can do."""
    monkeypatch.setattr("conformance.run.session.check_dropped", lambda _: signal.raise_signal(signal.SIGINT))
    with serve("lance", storage="memory:pure") as server:
        with pytest.raises(KeyboardInterrupt):
            check(server.url, api="lance", **settings(tmp_path))
        left = urllib3.PoolManager(retries=False).request("GET", server.url + "/v1/namespace/$/list").json()
    assert left["namespaces"] == []
    assert list(tmp_path.iterdir()) == []


def test_differences_are_told_where_the_search_for_fewer_steps_is_interrupted(cli, folder, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("conformance.after.comparing.servers.Shrinker.shrink", interrupted)
    right, wrong = (serve("lance", storage="memory:pure", faults=faults) for faults in ([], ["conflict-as-400"]))
    with right as first, wrong as other:
        code, out, err = cli("compare", first.url, other.url, "--api", "lance", "-k", CONFLICT)
    assert (code, CONFLICT in out, "Interrupted" in err) == (2, True, True)
    assert written(folder / "lakeproof-report" / "a")[0] == {CONFLICT}
