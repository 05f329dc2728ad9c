"""Filters as trees, bound to a schema: constants, junctions, tests of one column, and tests that only rows decide.

There are no negations: reading a filter pushes them down to the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from reference_server.iceberg.metadata.columns import Column
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.scans.transforms import Transform
from reference_server.iceberg.scans.values import show_value

AND, OR = "and", "or"
UNARY = frozenset({"is-null", "not-null", "is-nan", "not-nan"})
SETS = frozenset({"in", "not-in"})
PREFIXES = frozenset({"starts-with", "not-starts-with"})
COMPARISONS = frozenset({"lt", "lt-eq", "gt", "gt-eq", "eq", "not-eq"})
_PAIRS = {
    "is-null": "not-null",
    "is-nan": "not-nan",
    "lt": "gt-eq",
    "gt": "lt-eq",
    "eq": "not-eq",
    "in": "not-in",
    "starts-with": "not-starts-with",
    AND: OR,
}
OPPOSITES = _PAIRS | {other: operator for operator, other in _PAIRS.items()}
"""The negation of each operator."""
MIRRORED = {"lt": "gt", "lt-eq": "gt-eq", "gt": "lt", "gt-eq": "lt-eq", "eq": "eq", "not-eq": "not-eq"}
"""The operator of a comparison with swapped sides."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A condition that holds for every row or for none."""

    holds: bool


@dataclass(frozen=True, slots=True)
class Junction:
    """All conditions (`and`) or at least one (`or`); there are two or more, none of them constant."""

    operator: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class FilterTerm:
    """Subject of a test: a column, or a transform of one."""

    column: Column
    transform: Transform | None = None

    @property
    def type(self) -> Any:
        """The type of the values."""
        return self.transform.result if self.transform else self.column.type


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a term against values: none for unary operators, one for comparisons, several for sets."""

    operator: str
    term: FilterTerm
    values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class RowsOnly:
    """A condition that only rows can decide, such as a comparison of two columns; kept in its original form."""

    node: Json


Expression = Constant | Junction | Test | RowsOnly
ALWAYS, NEVER = Constant(True), Constant(False)


def join(operator: str, parts: Iterable[Expression]) -> Expression:
    """Return a junction without constants; a constant, or the only part, if no other part is left."""
    simplified: list[Expression] = []
    for part in parts:
        if isinstance(part, Constant):
            if part.holds == (operator == OR):
                return part
        elif isinstance(part, Junction) and part.operator == operator:
            simplified += part.parts
        else:
            simplified.append(part)
    if len(simplified) < 2:
        return simplified[0] if simplified else Constant(operator == AND)
    return Junction(operator, tuple(simplified))


def holds(expression: Expression, decide: Callable[[Test], bool]) -> bool:
    """Return whether an expression may hold; `decide` returns for each test whether it may."""
    if isinstance(expression, Junction):
        any_or_all = all if expression.operator == AND else any
        return any_or_all(holds(part, decide) for part in expression.parts)
    if isinstance(expression, Test):
        return decide(expression)
    return expression.holds if isinstance(expression, Constant) else True


def simplified(expression: Expression, decide: Callable[[Test], bool | None]) -> Expression:
    """Return an expression without the tests that `decide` knows the outcome of; None: unknown."""
    if isinstance(expression, Junction):
        return join(expression.operator, (simplified(part, decide) for part in expression.parts))
    known = decide(expression) if isinstance(expression, Test) else None
    return expression if known is None else Constant(known)


def to_json(expression: Expression) -> Any:
    """Return an expression as JSON with `term` and `value`, which clients of every revision know."""
    if isinstance(expression, Constant):
        return expression.holds
    if isinstance(expression, Junction):
        return _balanced(expression.operator, [to_json(part) for part in expression.parts])
    return _test_json(expression) if isinstance(expression, Test) else expression.node


def _balanced(operator: str, nodes: list[Any]) -> Any:
    """Return nodes joined in a balanced tree, so that many of them do not nest deeply."""
    if len(nodes) == 1:
        return nodes[0]
    middle = len(nodes) // 2
    left, right = _balanced(operator, nodes[:middle]), _balanced(operator, nodes[middle:])
    return {"type": operator, "left": left, "right": right}


def _test_json(test: Test) -> Json:
    term = test.term
    name: Any = term.column.name
    if term.transform:
        name = {"type": "transform", "transform": term.transform.text, "term": name}
    node = {"type": test.operator, "term": name}
    literals = [show_value(term.type, value) for value in test.values]
    if test.operator in SETS:
        node["values"] = literals
    elif literals:
        (node["value"],) = literals
    return node
