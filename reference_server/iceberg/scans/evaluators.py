"""Metrics evaluators: knowledge about the values of a term in some rows, and its consequences for a test.

`rows_might_match` is the inclusive evaluation: false only when no row passes the test. `rows_must_match` is the strict
one: true only when every row does. Null and NaN pass no comparison; readers disagree whether they pass a negated one
(`not-eq` and the like), so there neither evaluation decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from reference_server.iceberg.scans.transforms import Transform

NEGATED = frozenset({"not-eq", "not-in", "not-starts-with"})
Values = tuple[Any, ...]


class MetricsEvaluator(Protocol):
    """Knowledge about some rows."""

    def rows_might_match(self, operator: str, values: Values) -> bool:
        """Return whether a row may pass the test."""

    def rows_must_match(self, operator: str, values: Values) -> bool:
        """Return whether all rows certainly pass the test."""


@dataclass(frozen=True, slots=True)
class ValueKinds:
    """Kinds of values that may occur: null, NaN, and others."""

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
ONLY_NULL = ValueKinds(nan=False, other=False)
ONLY_NAN = ValueKinds(null=False, other=False)
NO_GAPS = ValueKinds(null=False, nan=False)


@dataclass(frozen=True, slots=True)
class BoundsEvaluator:
    """Rows with known kinds of values; `value_set` contains all values except null and NaN, None: unknown."""

    kinds: ValueKinds
    value_set: ValueSet | None = None

    def rows_might_match(self, operator: str, values: Values) -> bool:
        """Return whether a row may pass the test, by the kinds and the set of its values."""
        if operator in UNARY:
            return self.kinds.rows_might_match(operator)
        if operator in NEGATED and (self.kinds.null or self.kinds.nan):
            return True
        return self.kinds.other and (self.value_set is None or self.value_set.overlaps(operator, values))

    def rows_must_match(self, operator: str, values: Values) -> bool:
        """Return whether all rows certainly pass the test, by the kinds and the set of their values."""
        if operator in UNARY:
            return self.kinds.rows_must_match(operator)
        gaps = self.kinds.null or self.kinds.nan
        return not gaps and self.value_set is not None and self.value_set.is_within(operator, values)


@dataclass(frozen=True, slots=True)
class NanEvaluator:
    """Rows that are all NaN. Some readers sort NaN above every number, others do not."""

    def rows_might_match(self, operator: str, values: Values) -> bool:
        """Return whether a row may pass the test; any comparison may."""
        return operator not in UNARY or ONLY_NAN.rows_might_match(operator)

    def rows_must_match(self, operator: str, values: Values) -> bool:
        """Return whether all rows certainly pass the test: only a unary test can be certain."""
        return operator in UNARY and ONLY_NAN.rows_must_match(operator)


class ValueSet(Protocol):
    """A set of values, none of them null or NaN."""

    def overlaps(self, operator: str, values: Values) -> bool:
        """Return whether a value of the set may pass a test."""

    def is_within(self, operator: str, values: Values) -> bool:
        """Return whether all values of the set pass a test."""


@dataclass(frozen=True, slots=True)
class ValueInterval:
    """All values from `lower` to `upper`, either of which may be unknown (None)."""

    lower: Any
    upper: Any

    def overlaps(self, operator: str, values: Values) -> bool:
        """Return whether a value between the bounds may pass a test."""
        return _OVERLAPS[operator](self, values)

    def is_within(self, operator: str, values: Values) -> bool:
        """Return whether all values between the bounds pass a test."""
        if operator in NEGATED:
            return not _OVERLAPS[_POSITIVE[operator]](self, values)
        if self.lower is None or self.upper is None:
            return False
        return _WITHIN[operator](self, values)

    def may_contain(self, value: Any) -> bool:
        """Return whether a value may be in the set."""
        return self.may_be_at_most(value) and self.may_be_at_least(value)

    def may_be_at_most(self, value: Any) -> bool:
        """Return whether a value as small as this one or smaller may occur."""
        return self.lower is None or bool(self.lower <= value)

    def may_be_at_least(self, value: Any) -> bool:
        """Return whether a value as large as this one or larger may occur."""
        return self.upper is None or bool(self.upper >= value)

    def may_start_with(self, prefix: Any) -> bool:
        """Return whether a value may begin with a prefix."""
        size = len(prefix)
        down = self.lower is None or self.lower[:size] <= prefix
        return down and (self.upper is None or self.upper[:size] >= prefix)

    def all_start_with(self, prefix: Any) -> bool:
        """Return whether all values begin with a prefix."""
        ends = (self.lower, self.upper)
        return all(end is not None and end.startswith(prefix) for end in ends)

    def is_exactly(self, value: Any) -> bool:
        """Return whether this is the only value."""
        return bool(self.lower == self.upper == value)


_POSITIVE = {"not-eq": "eq", "not-in": "in", "not-starts-with": "starts-with"}
_OVERLAPS: dict[str, Callable[[ValueInterval, Values], bool]] = {
    "lt": lambda interval, values: interval.lower is None or interval.lower < values[0],
    "lt-eq": lambda interval, values: interval.may_be_at_most(values[0]),
    "gt": lambda interval, values: interval.upper is None or interval.upper > values[0],
    "gt-eq": lambda interval, values: interval.may_be_at_least(values[0]),
    "eq": lambda interval, values: interval.may_contain(values[0]),
    "in": lambda interval, values: any(map(interval.may_contain, values)),
    "starts-with": lambda interval, values: interval.may_start_with(values[0]),
    "not-eq": lambda interval, values: True,
    "not-in": lambda interval, values: True,
    "not-starts-with": lambda interval, values: not interval.all_start_with(values[0]),
}
_WITHIN: dict[str, Callable[[ValueInterval, Values], bool]] = {
    "lt": lambda interval, values: interval.upper < values[0],
    "lt-eq": lambda interval, values: interval.upper <= values[0],
    "gt": lambda interval, values: interval.lower > values[0],
    "gt-eq": lambda interval, values: interval.lower >= values[0],
    "eq": lambda interval, values: interval.is_exactly(values[0]),
    "in": lambda interval, values: any(map(interval.is_exactly, values)),
    "starts-with": lambda interval, values: interval.all_start_with(values[0]),
}


@dataclass(frozen=True, slots=True)
class SingleValue:
    """One known value."""

    value: Any

    def overlaps(self, operator: str, values: Values) -> bool:
        """Return whether the value passes a test."""
        if operator in NEGATED:
            return not self.is_within(_POSITIVE[operator], values)
        return self.is_within(operator, values)

    def is_within(self, operator: str, values: Values) -> bool:
        """Return whether the value passes a test."""
        if operator in NEGATED:
            return not self.is_within(_POSITIVE[operator], values)
        return _WITHIN[operator](ValueInterval(self.value, self.value), values)


@dataclass(frozen=True, slots=True)
class InBuckets:
    """Values whose bucket is in a set of buckets."""

    transform: Transform
    buckets: ValueSet

    def overlaps(self, operator: str, values: Values) -> bool:
        """Return whether a value of the buckets may pass a test; only equality can be excluded."""
        return operator not in ("eq", "in") or self._share(values)

    def is_within(self, operator: str, values: Values) -> bool:
        """Return whether all values of the buckets pass a test; only inequality can be certain."""
        return operator in ("not-eq", "not-in") and not self._share(values)

    def _share(self, values: Values) -> bool:
        return self.buckets.overlaps("in", tuple(map(self.transform.apply, values)))


@dataclass(frozen=True, slots=True)
class WithPrefix:
    """Texts or bytes whose prefixes, of the transform's width, lie in an interval."""

    transform: Transform
    prefixes: ValueInterval

    def overlaps(self, operator: str, values: Values) -> bool:
        """Return whether a value with a prefix in the interval may pass a test."""
        if operator in ("not-eq", "not-in"):
            return True
        if operator == "not-starts-with":
            return len(values[0]) > self.transform.width or self.prefixes.overlaps(operator, values)
        if operator in ("lt", "lt-eq"):
            return self.prefixes.overlaps(operator, values)
        return self.prefixes.overlaps("gt-eq" if operator == "gt" else operator, self._cut(values))

    def is_within(self, operator: str, values: Values) -> bool:
        """Return whether all values with a prefix in the interval pass a test."""
        if operator in NEGATED:
            return not self.overlaps(_POSITIVE[operator], values)
        if operator == "starts-with":
            return self.prefixes.is_within(operator, values)
        if operator in ("lt", "lt-eq"):
            return self.prefixes.is_within("lt", self._cut(values))
        return operator in ("gt", "gt-eq") and self.prefixes.is_within(operator, values)

    def _cut(self, values: Values) -> Values:
        return tuple(map(self.transform.apply, values))
