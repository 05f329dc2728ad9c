"""Checks on what a target answered: each raises Violation with what was expected and what came, as JSON.

`what` names the thing in the server's terms: `equal(refused.code, 13, "the code of the error")` says
"the code of the error: expected 13, got 12". Values are shown as an answer holds them, never as Python does.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NoReturn, TypeVar
from urllib.parse import SplitResult, urlsplit

from conformance.values.json_values import Fields, canonical, shown
from conformance.values.outcomes import Violation

T = TypeVar("T")
MOST_SHOWN = 160


def equal(actual: Any, expected: Any, what: str) -> None:
    """Check that a value is the expected one."""
    if not _same(actual, expected):
        _fail(what, _difference(actual, expected))


def shows(actual: Any, sent: Any, what: str) -> None:
    """Check that a value has all that was sent, with what a server may have added to it."""
    equal(_part(actual, sent), sent, what)


def unequal(actual: Any, other: Any, what: str) -> None:
    """Check that a value is another one than this."""
    if _same(actual, other):
        _fail(what, f"expected anything but {shown(other)}")


def one_of(actual: Any, allowed: Collection[Any], what: str) -> None:
    """Check that a value is one of those allowed."""
    if not any(_same(actual, value) for value in allowed):
        _fail(what, f"expected {' or '.join(map(shown, allowed))}, got {shown(actual)}")


def same_items(actual: Iterable[Any], expected: Iterable[Any], what: str) -> None:
    """Check that there are exactly these items, as often as expected, in any order."""
    got, wanted = list(listed(actual, what)), list(expected)
    lost, besides = _minus(wanted, got), _minus(got, wanted)
    if lost or besides:
        _fail(what, _lost_and_besides(lost, besides))


def contains(actual: Iterable[Any], items: Iterable[Any], what: str) -> None:
    """Check that all of these items are there, whatever else is."""
    lost = _minus(list(items), list(listed(actual, what)))
    if lost:
        _fail(what, _lost_and_besides(lost, []))


def lacks(actual: Iterable[Any], items: Iterable[Any], what: str) -> None:
    """Check that none of these items is there."""
    keys = set(map(canonical, listed(actual, what)))
    present = [item for item in items if canonical(item) in keys]
    if present:
        _fail(what, f"there should be no {', no '.join(map(shown, present))}")


def within(actual: Iterable[Any], allowed: Iterable[Any], what: str) -> None:
    """Check that there is nothing but these items, though not all of them have to be there."""
    keys = set(map(canonical, allowed))
    besides = [item for item in listed(actual, what) if canonical(item) not in keys]
    if besides:
        _fail(what, _lost_and_besides([], besides))


def distinct(actual: Iterable[Any], what: str) -> None:
    """Check that no item is there more than once."""
    got = list(listed(actual, what))
    again = _minus(got, list({canonical(item): item for item in got}.values()))
    if again:
        _fail(what, f"has {shown(again)} more than once")


def holds(condition: object, statement: str) -> None:
    """Check a condition; the statement says what should be so: "the second version is above the first"."""
    if not condition:
        raise Violation(f"this does not hold: {statement}")


def nothing(actual: Collection[Any], what: str) -> None:
    """Check that nothing was found of what must not be; `what` is one of it: "file without a row"."""
    if actual:
        raise Violation(f"there should be no {what}, but there is: {shown(actual)}")


def above(actual: Any, bound: Any, what: str) -> None:
    """Check that a value is greater than the bound."""
    _compare(actual, what, lambda: actual > bound, f"more than {shown(bound)}")


def at_least(actual: Any, bound: Any, what: str) -> None:
    """Check that a value is the bound or greater."""
    _compare(actual, what, lambda: actual >= bound, f"at least {shown(bound)}")


def at_most(actual: Any, bound: Any, what: str) -> None:
    """Check that a value is the bound or less."""
    _compare(actual, what, lambda: actual <= bound, f"at most {shown(bound)}")


def text(value: Any, what: str) -> str:
    """Return a value that has to be a string, and not an empty one."""
    if not isinstance(value, str) or not value:
        _fail(what, f"expected a text, got {shown(value)}")
    return value


def number(value: Any, what: str) -> int:
    """Return a value that has to be an integer."""
    if not isinstance(value, int) or isinstance(value, bool):
        _fail(what, f"expected a whole number, got {shown(value)}")
    return value


def url(value: Any, what: str) -> SplitResult:
    """Return the parts of a value that has to be a URL."""
    try:
        return urlsplit(text(value, what))
    except ValueError:
        _fail(what, f"expected a URL, got {shown(value)}")


def listed(value: Any, what: str) -> Iterable[Any]:
    """Return a value that has to be a list, a set or the keys of an object."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        _fail(what, f"expected a list, got {shown(value)}")
    return value


def exactly(items: Iterable[T], count: int, what: str) -> list[T]:
    """Return the items as a list, whose length has to be the given one."""
    got = list(listed(items, what))
    if len(got) != count:
        _fail(what, f"expected {count}, got {len(got)}: {shown(got)}")
    return got


def only(items: Iterable[T], what: str) -> T:
    """Return the single item there has to be."""
    return exactly(items, 1, what)[0]


def find(items: Iterable[T], wanted: Callable[[T], object], what: str) -> T:
    """Return the first item that is wanted; `what` names it: "the column age of the schema"."""
    item: T
    for item in listed(items, what):
        if wanted(item):
            return item
    raise Violation(f"{what} is not there")


def keyed(items: Iterable[Any], field: str) -> Fields:
    """Return objects by the value of a field; to ask for one that is not there is a Violation."""
    objects = list(listed(items, f"the objects by {field}"))
    holds(all(isinstance(entry, Mapping) for entry in objects), f"what has a field {field} is an object")
    return Fields({entry[field]: entry for entry in objects})


def _part(shown: Any, sent: Any) -> Any:
    """Return of what is shown the part that was sent."""
    if isinstance(shown, Mapping) and isinstance(sent, Mapping):
        return {key: _part(shown[key], sent[key]) for key in sent if key in shown}
    if isinstance(shown, list) and isinstance(sent, list) and len(shown) == len(sent):
        return [_part(*pair) for pair in zip(shown, sent, strict=True)]
    return shown


def _compare(actual: Any, what: str, test: Callable[[], bool], expected: str) -> None:
    try:
        good = test()
    except TypeError:
        good = False
    if not good:
        _fail(what, f"expected {expected}, got {shown(actual)}")


def _same(actual: Any, other: Any) -> bool:
    """True for equal values; true and 1 are not equal, as in JSON."""
    return bool(actual == other) and isinstance(actual, bool) == isinstance(other, bool)


def _difference(actual: Any, expected: Any) -> str:
    """Say how a value is not the expected one: as a whole, or where they part when they are long."""
    whole = f"expected {shown(expected)}, got {shown(actual)}"
    if len(whole) <= 2 * MOST_SHOWN:
        return whole
    if isinstance(expected, Mapping) and isinstance(actual, Mapping):
        for key in [*expected, *actual]:
            if key not in actual or key not in expected or not _same(actual[key], expected[key]):
                return f"at {shown(key)}: {_difference(actual.get(key), expected.get(key))}"
    if _is_array(expected) and _is_array(actual):
        for index, (got, wanted) in enumerate(zip(actual, expected, strict=False)):
            if not _same(got, wanted):
                return f"at item {index}: {_difference(got, wanted)}"
        return f"expected {len(expected)} items, got {len(actual)}"
    return whole


def _is_array(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _minus(items: list[Any], others: list[Any]) -> list[Any]:
    """Return the items that are left when the others are taken away, each once."""
    rest = Counter(map(canonical, others))
    left = []
    for item in items:
        if rest[canonical(item)] > 0:
            rest[canonical(item)] -= 1
        else:
            left.append(item)
    return left


def _lost_and_besides(lost: list[Any], besides: list[Any]) -> str:
    said = [f"lacks {shown(lost)}"] if lost else []
    return " and ".join([*said, *([f"has {shown(besides)} besides"] if besides else [])])


def _fail(what: str, difference: str) -> NoReturn:
    raise Violation(f"{what}: {difference}")
