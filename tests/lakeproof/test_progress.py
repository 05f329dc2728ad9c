"""Progress of a run: lines by the clock where there is no terminal, and a bar whose numbers are whole."""

from __future__ import annotations

import io
import re

import pytest

from conformance.values.activity import Step, doing, present
from lakeproof import progress
from lakeproof.console import SafeConsole
from lakeproof.progress import Heartbeat, ProgressListener, showing
from lakeproof.time_left import TimeLeft
from tests.conformance.made_results import result
from tests.lakeproof.screens import Screen

MOVES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
TOTAL = 2_295
VERDICTS = ("error", "fail", "blocked", "warn", "known", "skipped", "unoffered", "pass")


class Clock:
    """A clock that somebody moves."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def printed(monkeypatch):
    """The lines that are printed where there is no terminal."""
    stream = io.StringIO()
    monkeypatch.setattr(progress, "err", SafeConsole(file=stream, highlight=False, width=80))
    return lambda: stream.getvalue().splitlines()


def test_a_line_comes_every_ten_seconds_and_says_what_is_done(clock, printed):
    heartbeat = Heartbeat(present, clock)
    with doing("starting Spark") as tell:
        for second in range(1, 36):
            clock.now = float(second)
            if second == 15:
                tell("testing spark.iceberg.rows")
            heartbeat.beat()
    assert printed() == ["starting Spark", "testing spark.iceberg.rows", "testing spark.iceberg.rows"]


def test_there_is_no_line_about_nothing(clock, printed):
    clock.now = 100.0
    Heartbeat(present, clock).beat()
    assert printed() == []


def test_a_line_says_how_far_the_run_is(clock):
    listener = ProgressListener(clock)
    with doing("finding out what http://h:1 offers"):
        assert listener.line() == "finding out what http://h:1 offers"
    listener.expect(["behaviour"] * 3)
    listener.tested(result("pass", name="a", seconds=5.0))
    clock.now = 10.0
    listener.tested(result("fail", name="b", seconds=5.0))
    with doing("shrinking lance.table.c, 512 of 1,000 requests"):
        assert listener.line() == (
            "2 of 3 requirements, about 5 s left: 1 fail, 1 pass; shrinking lance.table.c, 512 of 1,000 requests"
        )
    listener.tested(result("pass", name="c"))
    with doing("sending findings again, 12 of 40"):
        assert listener.line() == "3 of 3 requirements: 1 fail, 2 pass; sending findings again, 12 of 40"


def frame(tested, width):
    """The lines of a terminal after so many requirements."""
    stream = Screen()
    with ProgressListener() as listener, doing("sending findings again, 12 of 40"):
        listener.expect(["behaviour"] * TOTAL)
        for number in range(tested):
            listener.note(f"lance.table.n{number}", VERDICTS[number % len(VERDICTS)], "behaviour", 0.1)
        SafeConsole(file=stream, force_terminal=True, width=width).print(listener._progress.get_renderable())
    return MOVES.sub("", stream.getvalue()).splitlines()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("tested", [1_200, TOTAL])
def test_no_number_of_the_bar_is_cut(printed, tested, width):
    bar, activity = frame(tested, width)
    assert len(bar) <= width
    assert f"{tested}/{TOTAL}" in bar
    assert bar.endswith(f" {tested // len(VERDICTS)}")
    assert "…" not in bar
    assert activity.endswith("sending findings again, 12 of 40")


def test_the_bar_tells_no_time_when_all_is_tested(printed):
    bar, activity = frame(TOTAL, 80)
    assert ":" not in bar
    assert "sending findings again" in activity


def test_what_is_done_before_the_first_requirement_is_shown_in_a_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(progress, "err", SafeConsole(file=stream, force_terminal=True, width=80))
    with doing("starting Spark"), showing():
        pass
    assert "starting Spark" in stream.getvalue()


@pytest.fixture
def impatient(monkeypatch):
    """Lines come all the time."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LOOK_SECONDS", 0.01)


def test_a_run_prints_lines_while_it_stands_still(cli, impatient, server):
    _, _, said = cli("check", server.url, "--api", "lance", "-k", "lance.namespace.create")
    assert f"finding out what {server.url} offers" in said
    assert re.search(r"^\d+ of \d+ requirements.*: \d+ pass; testing lance\.namespace\.create", said, re.MULTILINE)


def test_runs_side_by_side_say_what_each_does(cli, impatient):
    _, _, said = cli("check", "-k", "namespace and conflict", "--jobs", "3")
    assert re.search(r"(\w+): [a-z ]+; (?!\1)\w+: [a-z ]+", said)


def test_jobs_say_what_is_tested(cli, impatient, server):
    _, _, said = cli("check", server.url, "--api", "lance", "-k", "lance.namespace.create", "--jobs", "2")
    assert re.search(r"testing lance\.namespace\.create\S*, lance\.namespace\.create", said)


def test_a_step_of_several_has_a_bar_beside_its_text(printed):
    stream = Screen()
    with ProgressListener() as listener, doing(Step("starting Spark", 2, 3)):
        SafeConsole(file=stream, force_terminal=True, width=80).print(listener._progress.get_renderable())
        assert listener.line() == "starting Spark, step 3 of 3"
    (line,) = MOVES.sub("", stream.getvalue()).splitlines()
    assert "━━━━━━━━━━" in line
    assert line.rstrip().endswith("starting Spark, step 3 of 3")


# Time left


def estimates(clock, kinds, seconds):
    """The estimated total after each requirement of a run; the kinds are tested in this order."""
    left = TimeLeft(clock)
    left.expect(kinds)
    for number, (kind, took) in enumerate(zip(kinds, seconds, strict=True)):
        clock.now += took
        left.note(str(number), kind, took, tested=True)
        yield clock.now + (left.seconds() or 0.0)


def test_the_time_left_knows_that_kinds_differ(clock):
    """Models are tested first, and each takes as long as many others; requirements on the wire take no time."""
    kinds = ["model"] * 2 + ["behaviour"] * 100 + ["wire"] * 400
    seconds = [60.0] * 2 + [2.0] * 100 + [0.02] * 400
    told = list(estimates(clock, kinds, seconds))
    assert [total for total in told if not 0.9 < total / sum(seconds) < 1.1] == []


def test_a_test_that_takes_very_long_predicts_no_others(clock):
    """It shrank a finding for two minutes; naive, the run of 320 s would be told to take 4,000."""
    kinds, seconds = ["behaviour"] * 200, [1.0] * 200
    seconds[6] = 120.0
    told = list(estimates(clock, kinds, seconds))
    assert [total for total in told[6:] if not total / sum(seconds) < 2.5] == []
    assert told[-1] == sum(seconds)


def test_jobs_share_the_time_left(clock):
    left = TimeLeft(clock)
    left.expect(["behaviour"] * 4)
    clock.now = 10.0
    for name in "ab":
        left.note(name, "behaviour", 10.0, tested=True)
    assert left.seconds() == pytest.approx(10.0)
