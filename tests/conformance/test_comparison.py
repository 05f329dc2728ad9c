"""Two runs compared: every way in which the verdict on a requirement can change, and many runs on a page."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from conformance.after.causes import with_causes
from conformance.after.comparing.runs import counts, differences
from conformance.after.reading import read_results
from conformance.report.servers import folders_of, rows_of, write_servers
from specs.problems import Problem

REPORTS = Path(__file__).parents[2] / "reports"
OLD, NEW = (
    read_results(REPORTS / name) for name in ("iceberg-1.11.0-fixture", "pylance-14.0.2-restadapter-no-manifest")
)
SEEN = "ListTables: expected 200, got 500"


def run(**verdicts):
    """Return a run with these verdicts, and a message for each that has one."""
    entries = []
    for name, (verdict, message) in verdicts.items():
        entry = msgspec.structs.replace(NEW.requirements[0], id=f"lance.table.{name}", level="MUST", verdict=verdict)
        entries.append(msgspec.structs.replace(entry, message=message, steps=[], blocked_by=None, evidence=None))
    return with_causes(type(NEW).of(NEW.run, NEW.target, entries))


@pytest.mark.parametrize(
    ("before", "after", "change", "fails"),
    [
        (("pass", ""), ("fail", SEEN), "broken", True),
        (("unoffered", ""), ("fail", SEEN), "broken", True),
        (("pass", ""), ("blocked", SEEN), "blocked", True),
        (("fail", SEEN), ("pass", ""), "fixed", False),
        (("known", SEEN), ("pass", ""), "fixed", False),
        (("fail", SEEN), ("fail", SEEN.replace("500", "404")), "changed", True),
        (("fail", SEEN), ("blocked", SEEN), "changed", True),
        (("fail", 'the names: lacks ["lp1n2"]'), ("fail", 'the names: lacks ["lp3n4"]'), None, False),
        (("fail", SEEN), ("known", SEEN), None, False),
        (("pass", ""), ("unoffered", ""), None, False),
        (None, ("fail", SEEN), "appeared", False),
        (("fail", SEEN), None, "gone", False),
        (None, ("pass", ""), None, False),
    ],
)
def test_every_change_is_told(before, after, change, fails):
    old, new = (run(**({"a": seen} if seen else {})) for seen in (before, after))
    changes = differences(old, new)
    assert [entry.change for entry in changes] == ([change] if change else [])
    assert any(entry.fails_gate(strict=False) for entry in changes) is fails


def test_changes_are_told_by_cause():
    old = run(a=("pass", ""), b=("pass", ""), c=("pass", ""))
    new = run(a=("fail", SEEN), b=("fail", SEEN), c=("fail", "the order: expected 1, got 2"))
    changes = differences(old, new)
    assert sorted(len(entry.requirements) for entry in changes) == [1, 2]
    assert {entry.cause for entry in changes} == {cause.sentence for cause in new.causes}
    assert counts(changes)["broken"] == 3
    assert differences(new, new) == []


def test_runs_of_two_apis_are_not_compared():
    with pytest.raises(Problem, match="and lance"):
        differences(OLD, NEW)


def test_many_runs_are_on_one_page(tmp_path):
    runs = [OLD, NEW, NEW]
    page = write_servers(runs, tmp_path).read_text()
    assert len(set(folders_of(runs))) == 3
    for name in folders_of(runs):
        assert (tmp_path / name / "report.html").exists()
    rows = rows_of(runs)
    assert {row.id for row in rows} == {result.id for run in runs for result in run.requirements}
    for row in rows:
        assert (f'id="{row.id}"' in page) is not row.met
    broken = next(result for result in NEW.requirements if result.verdict == "fail")
    assert page.count(f"report.html#{broken.id}") == 2
