"""Conditions on rows: in the document's form, and evaluated on known rows.

An evaluation is True or False where every reader must agree. It is None where readers may differ: for tests of a
null, and for orders that readers define differently.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from conformance.iceberg.support.scans.files import Leaf, leaves
from conformance.iceberg.support.scans.manifests import Row
from conformance.iceberg.support.scans.transforms import result_type, transformed
from conformance.iceberg.support.scans.values import is_nan, read, shown

Json = Any
ALWAYS = {"true": True, "false": False}
NULL_TESTS = {"is-null": True, "not-null": False}
NAN_TESTS = {"is-nan": True, "not-nan": False}
ORDERS: dict[str, Callable[[Any, Any], bool]] = {
    "lt": operator.lt,
    "lt-eq": operator.le,
    "gt": operator.gt,
    "gt-eq": operator.ge,
}
COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    **ORDERS,
    "eq": operator.eq,
    "not-eq": operator.ne,
    "starts-with": lambda value, prefix: value[: len(prefix)] == prefix,
    "not-starts-with": lambda value, prefix: value[: len(prefix)] != prefix,
}
SETS = {"in": True, "not-in": False}

# Construction, with the names of operands in all revisions of the document


def unary(type: str, column: str) -> Json:
    """Return a test of one column without a value, such as `is-null`."""
    return {"type": type, "term": column}


def compared(type: str, column: str, value: Json) -> Json:
    """Return a comparison of a column with a JSON value."""
    return {"type": type, "term": column, "value": value}


def among(type: str, column: str, values: Sequence[Json]) -> Json:
    """Return the test `in` or `not-in` of a column with JSON values."""
    return {"type": type, "term": column, "values": list(values)}


def both(left: Json, right: Json) -> Json:
    """Return the conjunction of two conditions."""
    return {"type": "and", "left": left, "right": right}


def either(left: Json, right: Json) -> Json:
    """Return the disjunction of two conditions."""
    return {"type": "or", "left": left, "right": right}


def opposite(child: Json) -> Json:
    """Return the negation of a condition."""
    return {"type": "not", "child": child}


def single_test(type: str, column: str, column_type: str, *values: Any) -> Json:
    """Return a test of one column of any type; values are Python values of the column's type."""
    written = [shown(column_type, value) for value in values]
    if type in SETS:
        return among(type, column, written)
    return compared(type, column, written[0]) if type in COMPARISONS else unary(type, column)


# Evaluation


@dataclass(frozen=True, slots=True)
class ConditionTerm:
    """Operand of a condition: a column, or a transform of one; `type` is the type of its values."""

    leaf: Leaf
    transform: str = "identity"

    @property
    def type(self) -> str:
        """The type of the term's values."""
        return result_type(self.transform, self.leaf.type)

    def value(self, row: Row) -> Any:
        """Return the value of the term in a row."""
        return transformed(self.transform, self.leaf.value(row))


class RowEvaluator:
    """Evaluator of conditions on rows with these columns. Raises ValueError for an invalid condition."""

    def __init__(self, fields: Sequence[Mapping[str, Any]]) -> None:
        self._by_id = {leaf.id: leaf for leaf in leaves(fields)}
        self._by_name = {leaf.name: leaf for leaf in self._by_id.values()}

    def decide(self, condition: Json, row: Row) -> bool | None:
        """Evaluate a condition on a row: True, False, or None where readers may differ."""
        if isinstance(condition, bool):
            return condition
        if not isinstance(condition, Mapping):
            raise ValueError(f"{condition!r} is no condition")
        type = condition.get("type")
        if type in ALWAYS:
            return ALWAYS[type]
        if type == "not":
            return _not(self.decide(condition["child"], row))
        if type in ("and", "or"):
            sides = [self.decide(condition[side], row) for side in ("left", "right")]
            return _joined(sides, type == "or")
        return self._decide_test(condition, row)

    def _decide_test(self, condition: Json, row: Row) -> bool | None:
        type = condition.get("type")
        term = self._term(_first(condition, "term", "child", "left"))
        value = term.value(row)
        if type in NULL_TESTS:
            return (value is None) == NULL_TESTS[type]
        if value is None:
            return None
        if type in NAN_TESTS:
            return is_nan(value) == NAN_TESTS[type]
        if type in SETS:
            return (value in [_literal(term.type, item) for item in _values(condition["values"])]) == SETS[type]
        if type not in COMPARISONS:
            raise ValueError(f"there is no operator {type!r}")
        literal = _literal(term.type, _first(condition, "value", "right"))
        return None if type in ORDERS and _unordered(value, literal) else COMPARISONS[type](value, literal)

    def _term(self, term: Json) -> ConditionTerm:
        if isinstance(term, str):
            return ConditionTerm(self._leaf(term))
        if term.get("type") == "transform":
            return ConditionTerm(self._term(term["term"]).leaf, term["transform"])
        if term.get("type") == "reference":
            return ConditionTerm(self._leaf(term.get("name", term.get("id"))))
        raise ValueError(f"{term!r} is no term")

    def _leaf(self, key: Any) -> Leaf:
        leaf = self._by_name.get(key) or self._by_id.get(key)
        if leaf is None:
            raise ValueError(f"there is no column {key!r}")
        return leaf


def _unordered(value: Any, literal: Any) -> bool:
    """True where readers order two values differently: NaN, and UUIDs, whose first bit some readers take as a sign."""
    return is_nan(value) or (isinstance(value, UUID) and value.bytes[0] >> 7 != literal.bytes[0] >> 7)


def _first(condition: Json, *names: str) -> Json:
    for name in names:
        if name in condition:
            return condition[name]
    raise ValueError(f"{condition!r} has no {' or '.join(names)}")


def _values(values: Json) -> Sequence[Json]:
    items: Sequence[Json] = values["values"] if isinstance(values, Mapping) else values
    return items


def _literal(type: str, value: Json) -> Any:
    return read(type, value["value"] if isinstance(value, Mapping) else value)


def _not(outcome: bool | None) -> bool | None:
    return None if outcome is None else not outcome


def _joined(sides: Sequence[bool | None], decisive: bool) -> bool | None:
    """Return the disjunction of sides for decisive=True, their conjunction for False, in three-valued logic."""
    return decisive if decisive in sides else None if None in sides else not decisive
