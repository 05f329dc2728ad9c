"""Soundness of filtered plans: no lost files, and residuals that decide as the filter does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.author.checks import nothing
from conformance.iceberg.support.scans.plans import WHOLE_FILTER, FileScanTask, PlanResult
from conformance.iceberg.support.scans.predicates import (
    COMPARISONS,
    NAN_TESTS,
    NULL_TESTS,
    SETS,
    Json,
    RowEvaluator,
    among,
    both,
    compared,
    either,
    opposite,
    single_test,
)
from conformance.iceberg.support.scans.samples import ROWS, TYPES
from conformance.iceberg.support.scans.tables import UNUSABLE, ScanTable, usable
from conformance.iceberg.support.scans.values import SAMPLES, base, is_nan, shown
from conformance.values import json_values
from conformance.values.outcomes import Violation

PREFIXES = ("starts-with", "not-starts-with")
FLOATING = ("float", "double")
OTHER_COLUMNS = "the columns of the table do not fit the filters on it"


def lost_files(table: ScanTable, condition: Json, planned: PlanResult) -> list[str]:
    """Return the files with a row that fits the condition that a plan omits."""
    evaluator, there = RowEvaluator(table.fields), set(planned.paths)
    return [
        path
        for path, file in table.data_files().items()
        if path not in there and any(evaluator.decide(condition, row) for row in file.rows)
    ]


def loses_nothing(table: ScanTable, condition: Json, planned: PlanResult) -> None:
    """Check that a plan contains all files with a row that fits the condition."""
    with usable(OTHER_COLUMNS):
        lost = lost_files(table, condition, planned)
    nothing(lost, "file left out although a row in it fits the filter")


def wrong_rows(table: ScanTable, condition: Json, planned: PlanResult) -> list[Any]:
    """Return the rows that the residual of their file's task decides otherwise than the condition."""
    evaluator = RowEvaluator(table.fields)
    return [
        row
        for task in planned.tasks
        for row in table.data_file(task.path).rows
        if (wanted := evaluator.decide(condition, row)) is not None
        and _residual(evaluator, task, condition, row) != wanted
    ]


def residuals_decide_alike(table: ScanTable, condition: Json, planned: PlanResult) -> None:
    """Check that the residuals of planned files decide their rows as the condition does."""
    with usable(OTHER_COLUMNS):
        wrong = wrong_rows(table, condition, planned)
    nothing(wrong, "row about which the residual-filter of its file decides otherwise than the filter")


def _residual(evaluator: RowEvaluator, task: FileScanTask, condition: Json, row: Any) -> bool:
    """Evaluate the residual of a task on a row. Raises Violation for an invalid residual."""
    try:
        return evaluator.decide(condition if task.residual is WHOLE_FILTER else task.residual, row) is True
    except UNUSABLE:
        message = f"the residual-filter cannot be read: {json_values.shown(task.residual)}"
        raise Violation(message) from None


# Conditions


def every_test(column: str, type: str, values: Sequence[Any]) -> Iterator[Json]:
    """Yield every test of one column with these values, which are Python values of its type."""
    for name in COMPARISONS:
        if name not in PREFIXES:
            yield from (single_test(name, column, type, value) for value in values)
    yield from (single_test(name, column, type) for name in NULL_TESTS)
    for name in SETS:
        yield from (single_test(name, column, type, *pair) for pair in combinations(values, 2))
    if type in FLOATING:
        yield from (single_test(name, column, type) for name in NAN_TESTS)
    if type == "string":
        yield from (single_test(name, column, type, value[:2]) for name in PREFIXES for value in values if value)


def known_values(column: str) -> list[Any]:
    """Return the sorted values of a column in ROWS, without null and NaN."""
    values = {_value(row, column) for row in ROWS}
    return sorted(value for value in values if value is not None and not is_nan(value))


def _value(row: Any, column: str) -> Any:
    for level in column.split("."):
        row = row.get(level) if row is not None else None
    return row


@st.composite
def drawn_tests(draw: Any) -> Json:
    """Draw a test of one column of EVENTS, with values of its rows or samples of its type."""
    column = draw(st.sampled_from(sorted(TYPES)))
    type = TYPES[column]
    kinds = [name for name in (*NULL_TESTS, *COMPARISONS, *SETS) if name not in PREFIXES or type == "string"]
    kind = draw(st.sampled_from([*kinds, *(NAN_TESTS if type in FLOATING else ())]))
    values = st.sampled_from([*known_values(column), *SAMPLES[_sample(type)]])
    if kind in SETS:
        return among(kind, column, [shown(type, value) for value in draw(st.lists(values, min_size=1, max_size=3))])
    if kind in PREFIXES:
        return compared(kind, column, draw(values)[: draw(st.integers(0, 3))])
    return single_test(kind, column, type, *([draw(values)] if kind in COMPARISONS else []))


def _sample(type: str) -> str:
    return next(name for name in SAMPLES if base(name) == base(type))


def conditions() -> SearchStrategy[Json]:
    """Draw nested conditions on EVENTS."""

    def extend(inner: SearchStrategy[Json]) -> SearchStrategy[Json]:
        pairs = [st.builds(join, inner, inner) for join in (both, either)]
        return st.one_of(*pairs, st.builds(opposite, inner))

    return st.recursive(st.one_of(drawn_tests(), st.booleans()), extend, max_leaves=5)
