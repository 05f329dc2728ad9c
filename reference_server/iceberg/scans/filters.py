"""Parser of filters: every expression of the document, bound to the columns of a schema.

Old and new names of operands are accepted: `term` and `value`, and `left`, `right` and `child`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reference_server.errors import InvalidInput
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.types import canonical_type
from reference_server.iceberg.scans.expressions import (
    ALWAYS,
    AND,
    COMPARISONS,
    MIRRORED,
    NEVER,
    OPPOSITES,
    OR,
    PREFIXES,
    UNARY,
    Constant,
    Expression,
    FilterTerm,
    RowsOnly,
    Test,
    join,
)
from reference_server.iceberg.scans.names import ColumnNames
from reference_server.iceberg.scans.terms import read_apply, read_transform_term
from reference_server.iceberg.scans.transforms import VOID
from reference_server.iceberg.scans.values import is_float, kind_of

DEEPEST = 100
"""Maximum levels of nesting; a chain of one operator counts as one level."""
CONSTANTS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant in its original form, with its type if the filter states it."""

    value: Any
    data_type: str | None = None


Operand = FilterTerm | Literal


def read_filter(node: Any, names: ColumnNames) -> Expression:
    """Return the expression of a filter. Raises InvalidInput for a malformed one, and for unknown columns."""
    return _Reader(names).read(node, negated=False, depth=0)


class _Reader:
    def __init__(self, names: ColumnNames) -> None:
        self._names = names

    def read(self, node: Any, *, negated: bool, depth: int) -> Expression:
        if isinstance(node, bool):
            return Constant(node != negated)
        if depth > DEEPEST:
            raise InvalidInput(f"The filter is nested more than {DEEPEST} levels deep.")
        kind = node.get("type") if isinstance(node, dict) else None
        if kind in (AND, OR):
            parts = (self.read(part, negated=negated, depth=depth + 1) for part in _chain(node, kind))
            return join(OPPOSITES[kind] if negated else kind, parts)
        if kind == "not":
            return self.read(_part(node, "child"), negated=not negated, depth=depth + 1)
        if kind in CONSTANTS:
            return Constant(CONSTANTS[kind] != negated)
        if kind not in OPPOSITES:
            raise InvalidInput(f"The filter has an expression of an unknown type: {kind!r:.100}.")
        return self._predicate(node, OPPOSITES[kind] if negated else kind)

    def _predicate(self, node: Json, operator: str) -> Expression:
        if operator in COMPARISONS or operator in PREFIXES:
            return self._comparison(node, operator)
        operand = self._operand(node, "child")
        if isinstance(operand, Literal):
            return RowsOnly({**node, "type": operator})
        if operator in UNARY:
            return self._unary(operator, operand)
        values = _values(_part(node, "values"))
        return _set(operator, operand, [_bind(literal, operand) for literal in values])

    def _unary(self, operator: str, term: FilterTerm) -> Expression:
        """Return a test for null or NaN, or its outcome where the column's type decides it."""
        if operator in ("is-nan", "not-nan") and not is_float(term.type):
            return Constant(operator == "not-nan")
        if operator in ("is-null", "not-null") and self._names.is_required(term.column) and _keeps_null_out(term):
            return Constant(operator == "not-null")
        return Test(operator, term)

    def _comparison(self, node: Json, operator: str) -> Expression:
        left = self._operand(node, "left")
        right = self._value(node)
        if isinstance(left, FilterTerm) and isinstance(right, Literal):
            return _comparison(operator, left, right)
        if isinstance(left, Literal) and isinstance(right, FilterTerm) and operator in MIRRORED:
            return _comparison(MIRRORED[operator], right, left)
        return RowsOnly({**node, "type": operator})

    def _operand(self, node: Json, name: str) -> Operand:
        if name in node and "term" in node:
            raise InvalidInput(f"A {node['type']} expression has either {name} or term.")
        if name in node:
            return self._expression(node[name])
        term = _part(node, "term", instead_of=name)
        if isinstance(term, str):
            return FilterTerm(self._names.find(term))
        return read_transform_term(term, self._names)

    def _value(self, node: Json) -> Operand:
        if "right" in node and "value" in node:
            raise InvalidInput(f"A {node['type']} expression has either right or value.")
        if "right" in node:
            return self._expression(node["right"])
        return _literal(_part(node, "value", instead_of="right"))

    def _expression(self, node: Any) -> Operand:
        kind = node.get("type") if isinstance(node, dict) else None
        if kind == "reference":
            return FilterTerm(self._names.by_id(node["id"]) if "id" in node else self._names.find(node["name"]))
        return read_apply(node, self._names) if kind == "apply" else _literal(node)


def _keeps_null_out(term: FilterTerm) -> bool:
    return term.transform is None or term.transform.name != VOID


def _chain(node: Any, kind: str) -> Iterator[Any]:
    """Yield the operands of one operator, however they are nested, without recursion."""
    left_over = [node]
    while left_over:
        child = left_over.pop()
        if isinstance(child, dict) and child.get("type") == kind:
            left_over += [_part(child, "right"), _part(child, "left")]
        else:
            yield child


def _part(node: Json, name: str, *, instead_of: str | None = None) -> Any:
    if name not in node:
        raise InvalidInput(f"A {node['type']} expression needs {instead_of or name}.")
    return node[name]


def _literal(node: Any) -> Literal:
    if isinstance(node, dict):
        return Literal(_part(node, "value"), node.get("data-type"))
    return Literal(node)


def _values(node: Any) -> list[Literal]:
    if isinstance(node, dict):
        return [Literal(value, node["data-type"]) for value in node["values"]]
    return [_literal(literal) for literal in node]


def _bind(literal: Literal, term: FilterTerm) -> Any:
    """Return a constant as a value of the term's type. Raises InvalidInput."""
    _check_type(literal)
    kind = kind_of(term.type) if isinstance(term.type, str) else None
    if kind is None:
        raise InvalidInput(f"Values of {term.column.name!r:.100} cannot be compared: it is of the type {term.type}.")
    try:
        return kind.read(literal.value)
    except (ValueError, OverflowError) as error:
        raise InvalidInput(
            f"The filter compares {term.column.name!r:.100} with a value that is not of type {term.type}: {error}."
        ) from None


def _check_type(literal: Literal) -> None:
    """Raise InvalidInput for a constant that is not of its stated type."""
    if literal.data_type is None:
        return
    try:
        kind = kind_of(canonical_type(literal.data_type))
        if kind is not None:
            kind.read(literal.value)
    except (InvalidMetadata, ValueError, OverflowError) as error:
        raise InvalidInput(f"The filter has a constant that is not of type {literal.data_type:.100}: {error}") from None


def _comparison(operator: str, term: FilterTerm, literal: Literal) -> Expression:
    if operator in PREFIXES and term.type not in ("string", "binary"):
        raise InvalidInput(f"{term.column.name!r:.100} has no prefix: it is of the type {term.type}.")
    return Test(operator, term, (_bind(literal, term),))


def _set(operator: str, term: FilterTerm, values: list[Any]) -> Expression:
    different = tuple(dict.fromkeys(values))
    if not different:
        return ALWAYS if operator == "not-in" else NEVER
    if len(different) == 1:
        return Test("eq" if operator == "in" else "not-eq", term, different)
    return Test(operator, term, different)
