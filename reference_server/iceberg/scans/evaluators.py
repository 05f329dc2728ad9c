"""Metrics evaluators: what is known about the values that some rows have for a term, and what follows for a test.

`rows_might_match` is the inclusive evaluation: false only when no row passes the test. `rows_must_match` is the strict
one: true only when every row does. Null and NaN pass no comparison, and whether they pass a negated one (`not-eq` and
its kind) readers do not agree: they leave it open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from reference_server.iceberg.scans.transforms import Transform

NEGATED = frozenset({"not-eq", "not-in", "not-starts-with"})
Values = tuple[Any, ...]


class MetricsEvaluator(Protocol):
    """What is known about some rows."""

    def rows_might_match(self, operator: str, values: Values) -> bool:
        """Return whether a row may pass the test."""

    def rows_must_match(self, operator: str, values: Values) -> bool:
        """Return whether all rows surely pass the test."""


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which kinds of values there may be: null, NaN, and others."""

    null: bool = True
    nan: bool = True
    other: bool = True

    def rows_might_match(self, operator: str) -> bool:
        """Return whether a row may pass a unary test."""
        return {
            "is-null": self.null,
            "not-null": self.nan or self.other,
            "is-nan": self.nan,
            "not-nan": self.null or self.other,
        }[operator]

    def rows_must_match(self, operator: str) -> bool:
        """Return whether all rows pass a unary test."""
        return {
            "is-null": not (self.nan or self.other),
            "not-null": not self.null,
            "is-nan": not (self.null or self.other),
            "not-nan": not self.nan,
        }[operator]


UNARY = frozenset({"is-null", "not-null", "is-nan", "not-nan"})
ONLY_NULL = Kinds(nan=False, other=False)
ONLY_NAN = Kinds(null=False, other=False)
NO_GAPS = Kinds(null=False, nan=False)


@dataclass(frozen=True, slots=True)
class Known:
    """Rows of which the kinds of values are known, and of the others something that `space` can tell."""

    kinds: Kinds
    space: Space | None = None

    def rows_might_match(self, operator: str, values: Values) -> bool:
        """See MetricsEvaluator."""
        if operator in UNARY:
            return self.kinds.rows_might_match(operator)
        if operator in NEGATED and (self.kinds.null or self.kinds.nan):
            return True
        return self.kinds.other and (self.space is None or self.space.overlaps(operator, values))

    def rows_must_match(self, operator: str, values: Values) -> bool:
        """See MetricsEvaluator."""
        if operator in UNARY:
            return self.kinds.rows_must_match(operator)
        gaps = self.kinds.null or self.kinds.nan
        return not gaps and self.space is not None and self.space.is_within(operator, values)


@dataclass(frozen=True, slots=True)
class NotANumber:
    """Rows that all have NaN. To some readers it is larger than every number, to others nothing of the kind."""

    def rows_might_match(self, operator: str, values: Values) -> bool:
        """See MetricsEvaluator."""
        return operator not in UNARY or ONLY_NAN.rows_might_match(operator)

    def rows_must_match(self, operator: str, values: Values) -> bool:
        """See MetricsEvaluator."""
        return operator in UNARY and ONLY_NAN.rows_must_match(operator)


class Space(Protocol):
    """A set of values, none of them null or NaN."""

    def overlaps(self, operator: str, values: Values) -> bool:
        """Return whether a value of the set may pass a test."""

    def is_within(self, operator: str, values: Values) -> bool:
        """Return whether all values of the set pass a test."""


@dataclass(frozen=True, slots=True)
class Between:
    """All values from `lower` to `upper`, either of which may be unknown (None)."""

    lower: Any
    upper: Any

    def overlaps(self, operator: str, values: Values) -> bool:
        """See Space."""
        return _OVERLAPS[operator](self, values)

    def is_within(self, operator: str, values: Values) -> bool:
        """See Space."""
        if operator in NEGATED:
            return not _OVERLAPS[_POSITIVE[operator]](self, values)
        if self.lower is None or self.upper is None:
            return False
        return _WITHIN[operator](self, values)

    def holds(self, value: Any) -> bool:
        """Return whether a value may be in the set."""
        return self.reaches_down(value) and self.reaches_up(value)

    def reaches_down(self, value: Any) -> bool:
        """Return whether there may be a value as small as this one or smaller."""
        return self.lower is None or bool(self.lower <= value)

    def reaches_up(self, value: Any) -> bool:
        """Return whether there may be a value as large as this one or larger."""
        return self.upper is None or bool(self.upper >= value)

    def begins(self, prefix: Any) -> bool:
        """Return whether a value may begin so."""
        size = len(prefix)
        down = self.lower is None or self.lower[:size] <= prefix
        return down and (self.upper is None or self.upper[:size] >= prefix)

    def all_begin(self, prefix: Any) -> bool:
        """Return whether all values begin so."""
        ends = (self.lower, self.upper)
        return all(end is not None and end.startswith(prefix) for end in ends)

    def is_only(self, value: Any) -> bool:
        """Return whether this is the only value."""
        return bool(self.lower == self.upper == value)


_POSITIVE = {"not-eq": "eq", "not-in": "in", "not-starts-with": "starts-with"}
_OVERLAPS: dict[str, Callable[[Between, Values], bool]] = {
    "lt": lambda bounds, values: bounds.lower is None or bounds.lower < values[0],
    "lt-eq": lambda bounds, values: bounds.reaches_down(values[0]),
    "gt": lambda bounds, values: bounds.upper is None or bounds.upper > values[0],
    "gt-eq": lambda bounds, values: bounds.reaches_up(values[0]),
    "eq": lambda bounds, values: bounds.holds(values[0]),
    "in": lambda bounds, values: any(map(bounds.holds, values)),
    "starts-with": lambda bounds, values: bounds.begins(values[0]),
    "not-eq": lambda bounds, values: True,
    "not-in": lambda bounds, values: True,
    "not-starts-with": lambda bounds, values: not bounds.all_begin(values[0]),
}
_WITHIN: dict[str, Callable[[Between, Values], bool]] = {
    "lt": lambda bounds, values: bounds.upper < values[0],
    "lt-eq": lambda bounds, values: bounds.upper <= values[0],
    "gt": lambda bounds, values: bounds.lower > values[0],
    "gt-eq": lambda bounds, values: bounds.lower >= values[0],
    "eq": lambda bounds, values: bounds.is_only(values[0]),
    "in": lambda bounds, values: any(map(bounds.is_only, values)),
    "starts-with": lambda bounds, values: bounds.all_begin(values[0]),
}


@dataclass(frozen=True, slots=True)
class Exactly:
    """One value, known exactly."""

    value: Any

    def overlaps(self, operator: str, values: Values) -> bool:
        """See Space."""
        if operator in NEGATED:
            return not self.is_within(_POSITIVE[operator], values)
        return self.is_within(operator, values)

    def is_within(self, operator: str, values: Values) -> bool:
        """See Space."""
        if operator in NEGATED:
            return not self.is_within(_POSITIVE[operator], values)
        return _WITHIN[operator](Between(self.value, self.value), values)


@dataclass(frozen=True, slots=True)
class Hashed:
    """Values whose bucket is in a set of buckets."""

    transform: Transform
    buckets: Space

    def overlaps(self, operator: str, values: Values) -> bool:
        """See Space."""
        return operator not in ("eq", "in") or self._share(values)

    def is_within(self, operator: str, values: Values) -> bool:
        """See Space."""
        return operator in ("not-eq", "not-in") and not self._share(values)

    def _share(self, values: Values) -> bool:
        return self.buckets.overlaps("in", tuple(map(self.transform.apply, values)))


@dataclass(frozen=True, slots=True)
class Beginning:
    """Texts or bytes of which the first few are known to be from `cut.lower` to `cut.upper`."""

    transform: Transform
    cut: Between

    def overlaps(self, operator: str, values: Values) -> bool:
        """See Space."""
        if operator in ("not-eq", "not-in"):
            return True
        if operator == "not-starts-with":
            return len(values[0]) > self.transform.width or self.cut.overlaps(operator, values)
        if operator in ("lt", "lt-eq"):
            return self.cut.overlaps(operator, values)
        return self.cut.overlaps("gt-eq" if operator == "gt" else operator, self._cut(values))

    def is_within(self, operator: str, values: Values) -> bool:
        """See Space."""
        if operator in NEGATED:
            return not self.overlaps(_POSITIVE[operator], values)
        if operator == "starts-with":
            return self.cut.is_within(operator, values)
        if operator in ("lt", "lt-eq"):
            return self.cut.is_within("lt", self._cut(values))
        return operator in ("gt", "gt-eq") and self.cut.is_within(operator, values)

    def _cut(self, values: Values) -> Values:
        return tuple(map(self.transform.apply, values))
