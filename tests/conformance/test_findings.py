"""Published parts of a run: compressed results, summary and findings, and notes that people add."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from conformance.after.causes import with_causes
from conformance.after.reading import read_results
from conformance.report import publish, render_reports
from conformance.report.findings import render_findings
from conformance.report.notes import Notes, read_notes
from conformance.values.results import Results
from specs.problems import Problem

REPORTS = Path(__file__).parent.parent.parent / "reports"
PUBLISHED = sorted(path.parent for path in REPORTS.glob("*/notes.toml"))


@pytest.fixture(scope="module")
def results():
    return read_results(REPORTS / "pylance-14.0.2-restadapter")


REFUSED = "lance.column.add.refused.syntax"


def only(results: Results, *ids: str) -> Results:
    """The results of these requirements alone."""
    return with_causes(
        Results.of(results.run, results.target, [entry for entry in results.requirements if entry.id in ids])
    )


PYTHON = re.compile(r"\b(None|True|False)\b")


@pytest.mark.parametrize("path", sorted(REPORTS.glob("*/results.json.gz")), ids=lambda path: path.parent.name)
def test_no_message_has_values_as_python_writes_them(path):
    messages = [entry.message for entry in read_results(path).requirements]
    assert [message for message in messages if PYTHON.search(message)] == []


@pytest.mark.parametrize("folder", PUBLISHED, ids=lambda path: path.name)
def test_what_is_published_follows_from_results_and_notes(folder, tmp_path):
    read = read_results(folder)
    notes = read_notes(folder)
    baseline = read_results(folder / notes.baseline) if notes.baseline else None
    assert (folder / "findings.md").read_text() == render_findings(read, notes, baseline)
    assert (folder / "summary.md").read_text() == render_reports(read, tmp_path)["markdown"].read_text()


def test_published_results_are_compressed_and_the_same(results, tmp_path):
    paths = publish(results, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"results.json.gz", "summary.md", "findings.md"}
    assert read_results(tmp_path).to_json() == read_results(paths["results"]).to_json() == results.to_json()
    before = paths["results"].read_bytes()
    assert publish(results, tmp_path)["results"].read_bytes() == before


@pytest.mark.parametrize("damage", [lambda data: data[:200], lambda data: data[:200] + b"x" * 50, lambda _: b"{}"])
def test_damaged_results_are_a_problem(results, tmp_path, damage):
    path = publish(only(results, REFUSED), tmp_path)["results"]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(Problem, match=r"results\.json\.gz"):
        read_results(tmp_path)


def test_a_fresh_results_file_is_read_before_the_compressed_one(results, tmp_path):
    publish(results, tmp_path)
    (tmp_path / "results.json").write_text(json.dumps(only(results).to_json()))
    assert read_results(tmp_path).requirements == []
    assert json.loads(gzip.decompress((tmp_path / "results.json.gz").read_bytes()))["requirements"]


def test_findings_are_what_was_seen(results):
    ids = REFUSED, "lance.arrow.special.fixed_list_of_strings", "lance.offered.list_tables"
    text = render_findings(only(results, *ids), Notes())
    rows = [line for line in text.splitlines() if line.startswith("| MUST")]
    assert len(rows) == 2
    assert "got no answer" in rows[0]
    assert 'AlterTableAddColumns returns 500 `{"error":"' in rows[1]
    assert "### 1. MUST: CreateTable closes the connection without a response (expected 200 or 400)" in text
    assert "POST /v1/table/" in text
    assert [line for line in rows if line.count(" | ") != 2] == []


def test_notes_are_part_of_the_findings(results):
    why = {REFUSED: "it is not written yet"}
    notes = Notes("T", "Start it so.", ("one cause",), "", "The end.", why)
    text = render_findings(only(results, REFUSED), notes)
    assert text.startswith("# T: findings\n")
    assert "## Main causes\n\n- one cause\n\n## Wrong status\n\n### 1. MUST: AlterTable" in text
    assert "| it is not written yet |" in text
    assert text.index("Start it so.") < text.index("one cause") < text.index(REFUSED) < text.index("The end.")


def test_findings_are_compared_with_those_of_another_run(results):
    here, there = (REFUSED, "lance.offered.create_empty_table"), (REFUSED,)
    text = render_findings(only(results, *here), Notes(), only(results, *there))
    assert "1 findings are missing from the report of" in text
    assert "Only here: `lance.offered.create_empty_table`." in text


@pytest.mark.parametrize("name", ["lance.offered.list_tables", "lance.nothing.of.this.name"])
def test_notes_on_what_is_no_finding_are_a_problem(results, tmp_path, name):
    (tmp_path / "notes.toml").write_text(f'[why]\n"{name}" = "because"\n')
    with pytest.raises(Problem, match=name):
        publish(results, tmp_path)
    assert not (tmp_path / "results.json.gz").exists()


def test_unknown_keys_of_notes_are_a_problem(tmp_path):
    (tmp_path / "notes.toml").write_text("reason = 'x'\n")
    with pytest.raises(Problem, match="unknown keys: reason"):
        read_notes(tmp_path)
