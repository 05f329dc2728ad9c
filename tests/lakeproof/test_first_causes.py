"""First causes of a run: shown while it runs, the strongest first."""

from __future__ import annotations

import io

import pytest

from conformance.values.evidence import Evidence
from lakeproof import progress, serve
from lakeproof.console import SafeConsole
from lakeproof.first_causes import MOST_SHOWN, PAUSE_SECONDS, FirstCauses
from lakeproof.progress import ProgressListener
from tests.conformance.made_results import result


class Clock:
    """A clock that moves on at every look."""

    now = 0.0

    def __call__(self):
        self.now += PAUSE_SECONDS
        return self.now


def finding(name, status, level="MUST", **fields):
    evidence = Evidence(operation=name, aspect="status", expected="200", actual=str(status), status=status, **fields)
    return result("fail" if level == "MUST" else "warn", level, name=name, evidence=evidence)


WEAK = [finding(f"weak{number}", 415 + number, "SHOULD", request="invalid") for number in range(MOST_SHOWN)]
STRONG = finding("strong", 500, request="valid")


def shown(causes):
    return [str(line) for line in causes.new_lines()]


def test_causes_are_shown_once_and_the_strongest_first():
    causes = FirstCauses(Clock())
    for weak in WEAK:
        causes.add(weak)
    causes.add(STRONG)
    first = shown(causes)
    assert "strong" in first[0]
    assert len(first) == MOST_SHOWN
    assert shown(causes) == []


def test_only_a_stronger_cause_is_shown_after_the_first_ones():
    causes = FirstCauses(Clock())
    for weak in WEAK:
        causes.add(weak)
    assert len(shown(causes)) == MOST_SHOWN
    causes.add(finding("another", 429, "SHOULD", request="invalid"))
    assert shown(causes) == []
    causes.add(STRONG)
    assert ["strong" in line for line in shown(causes)] == [True]


def test_what_passes_when_it_is_tested_again_has_no_cause():
    causes = FirstCauses(Clock())
    causes.add(STRONG)
    causes.add(result("pass", name="strong"))
    assert shown(causes) == []


@pytest.mark.parametrize("width", [60, 120])
def test_a_terminal_shows_them_below_the_bar(monkeypatch, width):
    monkeypatch.setattr(progress, "err", SafeConsole(file=io.StringIO(), force_terminal=True, width=width))
    stream = io.StringIO()
    with ProgressListener() as listener:
        listener.expect(["behaviour"] * 3)
        listener.tested(STRONG)
        SafeConsole(file=stream, width=width).print(listener._progress.get_renderable(), width=width)
    *_, last = stream.getvalue().splitlines()
    assert last.startswith("✗ MUST")
    assert len(last) <= width


def test_a_run_finds_the_api_and_prints_its_first_cause_before_its_end(cli, monkeypatch):
    monkeypatch.setattr(progress, "LOOK_SECONDS", 0.01)
    with serve("iceberg", storage="memory") as server:
        server.fail("createNamespace", status=500, times=10_000)
        _, out, said = cli("check", server.url, "-k", "iceberg.namespace.create", "--depth", "smoke")
    assert f"{server.url} speaks Iceberg REST." in said
    assert "createNamespace returns 500" in said
    assert "createNamespace returns 500" in out
