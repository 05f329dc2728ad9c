"""The suite on pylance's RestAdapter: a real server by other people, with real defects.

What a new release of pylance fixes or breaks is its own affair, so only the release that the
published report is about must have exactly those findings. One requirement in twenty is asked; all of them with
`tox -e py -- --thorough tests/peers/test_rest_adapter.py`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import lance
import pytest

from conformance.after.reading import read_results
from conformance.after.runner import run
from conformance.values.settings import load_settings
from tests.conformance.drawing import part

ROOT = Path(__file__).parent.parent.parent
PUBLISHED = ROOT / "reports" / "pylance-14.0.2-restadapter-0.11"
FINDINGS = ("fail", "warn", "blocked")
PART = 20
UNCERTAIN = ("race", "wire")  # a race may end otherwise, and answers in it have their own wire findings


@pytest.fixture(scope="module")
def adapter(tmp_path_factory):
    root = tmp_path_factory.mktemp("adapter")
    command = [sys.executable, str(ROOT / "peers" / "rest_adapter.py"), f"root={root}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    yield process.stdout.readline().split()[-1]
    process.terminate()
    process.wait()


@pytest.fixture(scope="module")
def judged(adapter, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    given = {"server": adapter, "report": str(folder), "no_shrink": True}
    settings = load_settings(given, environ={}, folder=folder)
    return run(settings, ids=part("lance", PART))


def findings(entries):
    """Return the verdicts of what was found and will be found again."""
    return {entry.id: entry.verdict for entry in entries if entry.verdict in FINDINGS and entry.kind not in UNCERTAIN}


def only_in_a_world(entries):
    """Return the requirements that failed in a drawn world alone: another suite draws others."""
    return {entry.id for entry in entries if entry.evidence and entry.evidence.only}


def test_the_kit_itself_does_not_fail_on_it(judged):
    results, code = judged
    assert results.totals["error"] == 0
    assert results.totals["pass"] > 40
    assert code == (1 if findings(results.requirements) else 0)


def test_every_cause_is_found_again(judged, adapter, tmp_path):
    results, _ = judged
    findings = {
        entry.id: entry.verdict
        for entry in results.requirements
        if entry.verdict in ("fail", "warn") and entry.kind not in UNCERTAIN
    }
    firsts = [next(filter(findings.get, cause.requirements), "") for cause in results.causes]
    verdicts = {id: findings[id] for id in firsts if id}
    assert len(verdicts) > 5
    given = {"server": adapter, "report": str(tmp_path), "no_shrink": True}
    settings = load_settings(given, environ={}, folder=tmp_path)
    again, _ = run(settings, ids=set(verdicts))
    assert {entry.id: entry.verdict for entry in again.requirements} == verdicts


def test_findings_show_their_steps_and_mark_one(judged):
    for entry in judged[0].requirements:
        if entry.verdict in ("fail", "warn"):
            assert entry.steps, entry.id
            assert any(step.mark for step in entry.steps), entry.id


def test_the_published_report_is_what_that_release_does(judged):
    published = read_results(PUBLISHED)
    if published.target.name.endswith(lance.__version__):
        both = [published.requirements, judged[0].requirements]
        same = set.intersection(*({entry.id for entry in entries} for entries in both))
        same -= set.union(*map(only_in_a_world, both))
        # A later kit may know a way to test what the published run could not; what it finds then is a difference.
        blocked = {entry.id for entry in published.requirements if entry.verdict == "blocked"}
        same -= {entry.id for entry in judged[0].requirements if entry.id in blocked and entry.verdict == "pass"}
        before, now = ({id: verdict for id, verdict in findings(entries).items() if id in same} for entries in both)
        assert now == before
    assert findings(published.requirements)
