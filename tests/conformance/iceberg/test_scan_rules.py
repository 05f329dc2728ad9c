"""The rules that all answers of scan planning are held to."""

from __future__ import annotations

import pytest

from conformance.iceberg.support.scans.rules import SCAN_RULES
from conformance.values.exchange import Exchange

COUNTS = {"keys": [1, 2], "values": [3, 4]}
GOOD = {
    "status": "completed",
    "delete-files": [{}, {}],
    "file-scan-tasks": [{"data-file": {"value-counts": COUNTS}, "delete-file-references": [1, 0]}, {"data-file": {}}],
}


def broken_rules(value, operation="planTableScan", status=200):
    exchange = Exchange(operation, "POST", "http://t/v1", {}, status=status)
    return [name for name, rule in SCAN_RULES.items() if rule(exchange, value)]


def with_task(**task):
    return {**GOOD, "file-scan-tasks": [{"data-file": {}, **task}]}


def test_good_answers_keep_all_rules():
    assert broken_rules(GOOD) == []
    assert broken_rules({"status": "submitted", "plan-id": "1"}) == []
    assert broken_rules({"status": "failed", "error": {}, "plan-tasks": []}) == []


@pytest.mark.parametrize("status", ["submitted", "failed", "cancelled"])
def test_tasks_of_what_is_not_completed(status):
    assert broken_rules({**GOOD, "status": status}) == ["plan-tasks-only-completed"]
    assert broken_rules({"status": status, "plan-tasks": ["x"]}, "fetchPlanningResult") == ["plan-tasks-only-completed"]


def test_tasks_have_no_status():
    assert broken_rules({name: GOOD[name] for name in GOOD if name != "status"}, "fetchScanTasks") == []


@pytest.mark.parametrize("references", [[2], [-1], [0, 0]])
def test_references_that_lead_nowhere(references):
    assert broken_rules(with_task(**{"delete-file-references": references})) == ["plan-deletes"]


@pytest.mark.parametrize("counts", [{"keys": [1], "values": []}, {"keys": [1, 1], "values": [2, 3]}, {"values": [1]}])
def test_maps_that_are_no_pairs(counts):
    assert broken_rules(with_task(**{"data-file": {"lower-bounds": counts}})) == ["plan-maps"]


@pytest.mark.parametrize("value", [None, [], "text", {"file-scan-tasks": [7, {"data-file": 7}]}])
def test_answers_of_another_form_are_left_to_the_schema(value):
    assert broken_rules(value, "fetchScanTasks") == []


def test_errors_and_other_operations_are_left_out():
    assert broken_rules({**GOOD, "status": "submitted"}, status=500) == []
    assert broken_rules({**GOOD, "status": "submitted"}, "loadTable") == []
