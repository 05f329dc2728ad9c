"""Mocks beside each other: every cell has a test or a reason, and ours is the shortest."""

from __future__ import annotations

import json

import pytest

from benchmarks.mocks.table import (
    DOCUMENT,
    IN_PROCESS,
    OURS,
    RESULTS,
    TOOLS,
    Cell,
    cells,
    has,
    lines_of,
    longer,
    rows,
    tool,
)

ENOUGH = ("retry", "applied", "expired", "isolated", "partial", "stale")
TABLE = {
    name: {row: Cell(**cell) for row, cell in its.items()} for name, its in json.loads(RESULTS.read_text()).items()
}


@pytest.fixture(params=TOOLS)
def module(request):
    if request.param == "respx":
        pytest.importorskip("respx", reason="`uv pip install --group mocks` installs it.")
    return tool(request.param)


def test_every_cell_has_a_test_or_a_reason(module):
    for row in rows():
        assert has(module, row) != (row in getattr(module, "CANNOT", {})), row


def test_the_table_is_of_these_tests(module):
    its = TABLE[module.__name__.rpartition(".")[2]]
    assert {row: cell.lines for row, cell in its.items()} == {
        row: lines_of(module, row) for row in rows() if has(module, row)
    }


def test_the_page_has_every_row_and_tool():
    text = DOCUMENT.read_text()
    for row, fields in rows().items():
        assert f"| **{row.replace('_', '-')}**: {fields['about']} |" in text
    assert [title for title in TOOLS.values() if f"| {title} " not in text] == []


def test_ours_is_never_the_longer_one():
    shorter = {(row, name) for row, names in longer(TABLE).items() for name in names}
    assert {pair for pair in shorter if pair[1] not in IN_PROCESS} == {
        ("seed", "prism")
    }  # whose every table is one example
    assert [row for row in rows() if row not in TABLE[OURS]] == []


def test_ours_does_what_the_rows_say():
    assert set(cells(OURS, ENOUGH, runs=1)) == set(ENOUGH)
