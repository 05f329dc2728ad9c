"""The growth table: a row has every size, and a server that is too slow says how far it came."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.growing import grown
from benchmarks.growing_lance import BATCH, TABLES

MEMORY = replace(TABLES, starts={"memory": TABLES.starts["memory"]}, operations=TABLES.operations[:2])
PATIENCE = 30.0


def test_a_row_has_every_size(tmp_path):
    reports = []
    rows = list(grown(MEMORY, [2, 4], tmp_path, PATIENCE, lambda *made: reports.append(made)))
    assert [row.quantity for row in rows] == [
        f"tables, memory: {operation.load.quantity}" for operation in MEMORY.operations
    ]
    assert [row for row in rows if not (list(row.figures) == ["2", "4"] and row.ratio.endswith("x"))] == []
    assert [made[1:] for made in reports] == [(2, 2), (4, 4)]


def test_a_size_that_is_not_reached_is_left_out(tmp_path):
    rows = list(grown(MEMORY, [2, 1000], tmp_path, 0.0, lambda *_: None))
    made = {row.quantity: row.figures for row in rows}
    assert made.pop("tables, memory: created in 0 s") == {"of 1,000": BATCH}
    assert [figures for figures in made.values() if list(figures) != ["2"]] == []
