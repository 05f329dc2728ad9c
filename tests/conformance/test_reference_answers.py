"""Answers of the reference server to the steps of a finding, shown beside those of the target."""

from __future__ import annotations

import base64
import gzip
import json
import re

import pytest

from conformance.after.reading import read_results
from lakeproof import check, serve

CASES = [
    ("lance", "conflict-as-400", "lance.namespace.create.conflict", "", 409),
    ("lance", "conflict-as-400", "lance.namespace.create.conflict", "s3cret", 409),
    ("iceberg", "pages-start-refused", "iceberg.page.start.list_views", "s3cret", 200),
]


def on_page(folder, name):
    """Return a requirement as the page has it."""
    packed = re.search('id="data">([^<]+)<', (folder / "report.html").read_text())[1]
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    return next(entry for entry in data["requirements"] if entry["id"] == name)


@pytest.mark.parametrize(("api", "fault", "name", "token", "status"), CASES)
def test_a_finding_has_the_answer_that_is_due(tmp_path, api, fault, name, token, status):
    auth = f"token:{token}" if token else "none"
    with serve(api, storage="memory:pure" if api == "lance" else "memory", auth=auth, faults=[fault]) as server:
        check(server.url, api=api, token=token, select=name, report=str(tmp_path))
    finding = next(result for result in read_results(tmp_path).requirements if result.id == name)
    assert finding.verdict in ("fail", "warn")
    assert finding.steps[-1].response.status == 400
    assert [answer.status for answer in finding.reference] == [
        *(step.response.status for step in finding.steps[:-1]),
        status,
    ]
    shown = [step["reference"] for step in on_page(tmp_path, name)["steps"]]
    assert shown[-1][0] == str(status)
    assert not any(shown[:-1]), "answers that are alike need no second look"
    assert f"the reference server → {status}" in (tmp_path / "report.html").read_text()


def test_the_reference_server_is_given_the_files_of_the_run(tmp_path):
    name = "iceberg.refusal.set_refs.main_tag"
    with serve("iceberg", faults=["bad-updates-skipped"]) as server:
        results, _ = check(server.url, api="iceberg", select=name, report=str(tmp_path))
    (finding,) = results.requirements
    assert finding.verdict == "warn"
    assert {step.beside.verb for step in finding.steps if step.beside} == {"wrote"}
    pairs = list(zip(finding.steps, finding.reference, strict=False))
    assert [(step, answer) for step, answer in pairs if step.beside and answer.status != 0] == []
    assert [answer.status for _, answer in pairs][-1] == 400
    assert [(step, answer) for step, answer in pairs[:-1] if step.response.status != answer.status] == []


def test_what_is_met_is_not_asked_again(tmp_path):
    with serve("lance", storage="memory:pure") as server:
        results, _ = check(server.url, select="lance.namespace.create.conflict", report=str(tmp_path))
    assert [result.reference for result in results.requirements] == [[]]
    assert "reference" not in (tmp_path / "results.json").read_text()
