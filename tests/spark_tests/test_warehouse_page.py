"""Page of a warehouse, without Spark: the heat map of servers and groups of operations, and the trends."""

from __future__ import annotations

import re

import pytest

from spark_tests.pipeline.aggregates import operation_groups
from spark_tests.pipeline.report import HeatCell, heat_maps, page, trends
from specs.profiles import find_profile

NONE = dict.fromkeys(("pass", "fail", "error", "warn", "blocked", "known"), 0)


def group(server, name, passed, tested, profile="iceberg/1.11"):
    counts = {"requirements": max(tested, 1), "tested": tested, "passed": passed}
    return {"server": server, "profile": profile, "group": name, **counts}


def run(server, day, **counts):
    about = {"server": server, "profile": "iceberg/1.11", "suite": "iceberg", "run_id": f"r{day}"}
    return {**about, "started": f"2026-11-{day:02}T08:00:00", "requirements": 100, **NONE, **counts}


@pytest.fixture
def report():
    groups = [group("a", "views", 9, 10), group("a", "reads", 10, 10), group("<b>", "views", 0, 0)]
    trend = [run("a", 1, fail=4, warn=6), run("a", 2, error=1, blocked=1), run("<b>", 1, fail=3)]
    rows = {name: [] for name in ("servers", "matrix", "flaky", "changes", "latency")}
    return {"kit": "lakeproof 0.2.0", "warehouse": "here", "made": "now", "groups": groups, "trend": trend, **rows}


@pytest.mark.parametrize(
    ("passed", "tested", "label", "heat"),
    [
        (10, 10, "100 %", "all"),
        (999, 1000, "99 %", "most"),
        (75, 100, "75 %", "many"),
        (5, 10, "50 %", "half"),
        (0, 3, "0 %", "few"),
        (0, 0, "not offered", "absent"),
    ],
)
def test_a_cell_has_its_share_in_words_and_in_color(passed, tested, label, heat):
    cell = HeatCell(passed, tested)
    assert (cell.label, cell.heat) == (label, heat)


def test_a_heat_map_has_the_groups_in_the_order_of_the_profile(report):
    (iceberg,) = heat_maps(report)
    assert (iceberg.api, iceberg.groups) == ("iceberg", ["reads", "views"])
    assert iceberg.rows["a", "iceberg/1.11"]["views"] == HeatCell(9, 10)
    assert "reads" not in iceberg.rows["<b>", "iceberg/1.11"]


def test_a_trend_has_several_runs_and_the_height_of_its_highest(report):
    (trend,) = trends(report)
    assert (trend.server, trend.most) == ("a", 10)
    assert [(run["broken"], run["weak"]) for run in trend.runs] == [(4, 6), (1, 1)]


def test_the_page_shows_both_and_asks_for_nothing(report):
    shown = page(report)
    assert re.search(r'<td class="most">90 %<br><small>9/10</small></td>', shown)
    assert '<i class="broken" style="height: 40.0%"></i>' in shown
    assert "&lt;b&gt;" in shown
    assert "<b>" not in re.sub(r"<b>(a|\d+)</b>", "", shown)
    assert not re.search(r"(src|href)=\"(?!data:)", shown)


def test_groups_of_operations_are_those_of_the_profile():
    rows = operation_groups(["iceberg/1.11", "nobody/9"])
    operations = find_profile("iceberg/1.11").document().operations
    assert {size for *_, size in rows} == {len(operations)}
    assert ("iceberg/1.11", "loadTable", "reads", len(operations)) in rows
