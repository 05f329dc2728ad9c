"""Checks on answers: each raises Violation with the expected and the actual value, as JSON.

`what` names the checked object in the server's terms: `equal(refused.code, 13, "the code of the error")` reports "the
code of the error: expected 13, got 12". Values are shown as JSON, never as Python.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import product
from typing import Any, NoReturn, TypeVar
from urllib.parse import SplitResult, urlsplit

from conformance.http.answers import Answer
from conformance.values.evidence import alternatives
from conformance.values.exchange import is_success
from conformance.values.json_values import Keyed, canonical, shown
from conformance.values.numbers import loss
from conformance.values.outcomes import Violation, unexpected_status

T = TypeVar("T")
MOST_SHOWN = 160
MOST_COMPARED = 20  # items of a list that are searched for what became of others


def equal(actual: Any, expected: Any, what: str) -> None:
    """Check that a value equals the expected one."""
    if not _same(actual, expected):
        _fail_equal(what, actual, expected)


def shows(actual: Any, sent: Any, what: str) -> None:
    """Check that a value contains everything that was sent; the server may have added more."""
    equal(_part(actual, sent), sent, what)


def unequal(actual: Any, other: Any, what: str) -> None:
    """Check that a value differs from another."""
    if _same(actual, other):
        raise Violation(what, relation="unequal", expected=shown(other))


def one_of(actual: Any, allowed: Collection[Any], what: str) -> None:
    """Check that a value is one of the allowed values."""
    if not any(_same(actual, value) for value in allowed):
        raise Violation(what, relation="one of", expected=" or ".join(map(shown, allowed)), actual=shown(actual))


def status_is(status: int, due: int, what: str = "the status") -> None:
    """Check the status of an answer: it is stated as due, and a wrong one groups with those of other requirements."""
    if status != due:
        raise Violation(what, relation="equal", expected=str(due), actual=str(status), statuses=(due,))


def ends_with(answer: Answer, statuses: Collection[int]) -> None:
    """Check that an answer has one of these statuses; any 2xx counts as the success among them.

    `wire.*` reports a status that the operation does not declare.
    """
    if answer.status not in statuses and not (answer.succeeded and any(map(is_success, statuses))):
        raise unexpected_status(answer.exchange, sorted(statuses))


def not_refused(answer: Answer, caller: str, statuses: Sequence[int] = (403,)) -> Violation:
    """Return the violation of an answer to a caller who may not have it; one of `statuses` is due."""
    return Violation(
        "",
        relation="status",
        operation=answer.exchange.operation,
        expected=" or ".join(alternatives(statuses)),
        actual=str(answer.status),
        aspect="status",
        statuses=tuple(statuses),
        request="invalid",
        caller=caller,
    )


def same_items(actual: Iterable[Any], expected: Iterable[Any], what: str) -> None:
    """Check that a list has exactly these items, with the same counts, in any order."""
    got, wanted = list(listed(actual, what)), list(expected)
    _fail_items(what, lost=_minus(wanted, got), besides=_minus(got, wanted))


def contains(actual: Iterable[Any], items: Iterable[Any], what: str) -> None:
    """Check that a list contains all of these items, and possibly more."""
    _fail_items(what, lost=_minus(list(items), list(listed(actual, what))))


def lacks(actual: Iterable[Any], items: Iterable[Any], what: str) -> None:
    """Check that a list contains none of these items."""
    keys = set(map(canonical, listed(actual, what)))
    present = [item for item in items if canonical(item) in keys]
    if present:
        raise Violation(what, relation="none of", actual=", ".join(map(shown, present)))


def within(actual: Iterable[Any], allowed: Iterable[Any], what: str) -> None:
    """Check that a list contains only allowed items, but not necessarily all of them."""
    keys = set(map(canonical, allowed))
    _fail_items(what, besides=[item for item in listed(actual, what) if canonical(item) not in keys])


def distinct(actual: Iterable[Any], what: str) -> None:
    """Check that no item occurs more than once."""
    got = list(listed(actual, what))
    again = _minus(got, list({canonical(item): item for item in got}.values()))
    if again:
        _fail(what, "each item once", f"{shown(again)} more than once")


def holds(condition: object, statement: str) -> None:
    """Check a condition; `statement` is the expectation in words: "the second version is above the first"."""
    if not condition:
        raise Violation(statement, relation="holds")


def nothing(actual: Collection[Any], what: str) -> None:
    """Check that a collection of defects is empty; `what` is the singular of a defect: "file without a row"."""
    if actual:
        raise Violation(what, relation="no", actual=shown(actual))


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
    """Return a value. Raises Violation unless it is a non-empty string."""
    if not isinstance(value, str) or not value:
        _fail(what, "a non-empty string", shown(value))
    return value


def number(value: Any, what: str) -> int:
    """Return a value. Raises Violation unless it is an integer."""
    if not isinstance(value, int) or isinstance(value, bool):
        _fail(what, "an integer", shown(value))
    return value


def url(value: Any, what: str) -> SplitResult:
    """Return the parts of a URL. Raises Violation for any other value."""
    try:
        return urlsplit(text(value, what))
    except ValueError:
        _fail(what, "a URL", shown(value))


def listed(value: Any, what: str) -> Iterable[Any]:
    """Return a value. Raises Violation unless it is a list, a set or an object (its keys)."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        _fail(what, "a list", shown(value))
    return value


def exactly(items: Iterable[T], count: int, what: str) -> list[T]:
    """Return the items as a list. Raises Violation unless it has this length."""
    got = list(listed(items, what))
    if len(got) != count:
        _fail(what, str(count), f"{len(got)}: {shown(got)}")
    return got


def only(items: Iterable[T], what: str) -> T:
    """Return the single item. Raises Violation for none or several."""
    return exactly(items, 1, what)[0]


def find(items: Iterable[T], wanted: Callable[[T], object], what: str) -> T:
    """Return the first wanted item; `what` names it: "the column age of the schema". Raises Violation without one."""
    item: T
    for item in listed(items, what):
        if wanted(item):
            return item
    raise Violation(what, relation="present")


def keyed(items: Iterable[Any], field: str) -> Keyed:
    """Return objects by the value of a field; reading a missing one raises Violation."""
    objects = list(listed(items, f"the objects by {field}"))
    holds(all(isinstance(entry, Mapping) for entry in objects), f"every item with a field {field} is an object")
    return Keyed({entry[field]: entry for entry in objects})


def _part(shown: Any, sent: Any) -> Any:
    """Return the sent part of a shown value."""
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
        _fail(what, expected, shown(actual))


def _same(actual: Any, other: Any) -> bool:
    """True for equal values; true and 1 are not equal, as in JSON."""
    return bool(actual == other) and isinstance(actual, bool) == isinstance(other, bool)


def _fail_equal(what: str, actual: Any, expected: Any, field: str = "") -> NoReturn:
    """Fail with two values, or with the first difference of long ones; the field of that is stated for both."""
    differing = _differing(expected, actual)
    if len(shown(expected)) + len(shown(actual)) > 2 * MOST_SHOWN:
        for key in differing[:1]:
            _fail_equal(f"{what} at {shown(key)}", actual.get(key), expected.get(key), str(key))
        if _is_array(expected) and _is_array(actual):
            for index, (got, wanted) in enumerate(zip(actual, expected, strict=False)):
                if not _same(got, wanted):
                    _fail_equal(f"{what} at item {index}", got, wanted, field)
            _fail(what, f"{len(expected)} items", str(len(actual)), field)
    _fail(
        what,
        shown(expected),
        _with_loss(shown(actual), [(expected, actual)]),
        field or "".join(map(str, differing[:1])),
    )


def _differing(expected: Any, actual: Any) -> list[Any]:
    """Return the names of the fields in which two objects differ, none for other values."""
    if not (isinstance(expected, Mapping) and isinstance(actual, Mapping)):
        return []
    names = dict.fromkeys([*expected, *actual])
    return [
        name for name in names if name not in actual or name not in expected or not _same(actual[name], expected[name])
    ]


def _is_array(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _minus(items: list[Any], others: list[Any]) -> list[Any]:
    """Return the items without the others, each counted."""
    rest = Counter(map(canonical, others))
    left = []
    for item in items:
        if rest[canonical(item)] > 0:
            rest[canonical(item)] -= 1
        else:
            left.append(item)
    return left


def _fail_items(what: str, *, lost: Sequence[Any] = (), besides: Sequence[Any] = ()) -> None:
    """Fail if items are missing or unexpected."""
    if lost or besides:
        expected, actual = (shown(items) if items else "" for items in (lost, besides))
        pairs = product(lost[:MOST_COMPARED], besides[:MOST_COMPARED])
        raise Violation(what, relation="items", expected=expected, actual=_with_loss(actual, pairs))


def _with_loss(shown_value: str, pairs: Iterable[tuple[Any, Any]]) -> str:
    """Return a wrong value with what a reader did to large numbers, where it follows from pairs of sent and got."""
    losses = sorted({words for sent, got in pairs if (words := loss(sent, got))})
    return f"{shown_value} ({', '.join(losses)})" if losses else shown_value


def _fail(what: str, expected: str, actual: str, field: str = "") -> NoReturn:
    raise Violation(what, relation="equal", expected=expected, actual=actual, field=field)
