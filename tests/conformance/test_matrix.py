"""Matrix of a run: a cell for each operation and kind, and a sentence."""

from __future__ import annotations

from collections import Counter

import msgspec

from conformance.report import render_reports
from conformance.report.headline import sentence
from conformance.report.matrix import Cell, build_matrix
from conformance.report.servers import RequirementRow, columns_of
from conformance.values.results import Results, TargetRecord
from tests.conformance.made_results import TARGET, Page, result, results


def test_a_cell_counts_what_is_not_met():
    cell = Cell(Counter({"fail": 2, "blocked": 1, "known": 1, "unoffered": 3, "pass": 4}))
    assert (cell.broken, cell.total, cell.worst) == (4, 11, "fail")


def test_runs_of_other_apis_have_no_column():
    seen = result("pass")
    rows = [RequirementRow("a.b.c", "MUST", "It is.", row) for row in ((None, seen, None), (None, None, seen))]
    assert columns_of(rows) == [1, 2]


def test_a_cell_shows_the_worst_of_what_could_be_tested():
    assert Cell(Counter({"unoffered": 1, "pass": 10})).worst == "pass"
    assert Cell(Counter({"unoffered": 1})).worst == "unoffered"


def test_what_is_about_all_operations_has_a_row_of_its_own(tmp_path):
    names = ["ListTables", "DropTable", "CreateTable"]
    operations = [{"id": name, "resource": "table", "summary": "s", "state": "offered"} for name in names]
    target = msgspec.convert({**TARGET, "operations": operations}, TargetRecord)
    judged = Results.of(results().run, target, [result("fail", operations=names), result("pass", name="p")])
    rows = {row.operation.id: row for rows in build_matrix(judged).resources.values() for row in rows}
    assert rows["all operations"].cells["behaviour"].worst == "fail"
    assert {name: rows[name].cells["behaviour"].worst for name in names} == dict.fromkeys(names, "") | {
        "ListTables": "pass"
    }
    shown = Page(render_reports(judged, tmp_path)["html"].read_text()).data["requirements"]
    assert [one["operations"] for one in shown] == [["all operations"], ["ListTables"]]


def test_scenarios_alone_claim_no_conformity():
    passing = result("pass", kind="scenario")
    assert sentence(results(passing)) == "1 of 1 scenario passes on a server of lance/2026-03."
    failing = result("fail", name="f", kind="scenario")
    assert sentence(results(passing, failing)) == "1 of 2 scenarios pass on a server of lance/2026-03: 1 fail."


def test_counts_in_sentences_have_one_form():
    many = [result("fail" if number else "pass", name=f"t{number}") for number in range(1_500)]
    said = sentence(results(*many))
    assert "1,499 of 1,500" in said
