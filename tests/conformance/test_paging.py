"""Walking over pages: listings that go round, never end, or have odd tokens are broken, and said to be."""

from __future__ import annotations

import json

import pytest

from conformance.http import paging
from conformance.http.answers import Answer
from conformance.http.paging import pages
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Violation
from specs.errors import ErrorBody

TOKEN = "next"


def answer(body):
    exchange = Exchange("ListTables", "GET", "http://t/", {}, status=200, response_body=json.dumps(body).encode())
    return Answer(exchange, lambda *_: None, ErrorBody())


def walk(bodies, first=None):
    """The items of the pages that `bodies` gives by token, and the tokens that were asked for."""
    asked = []

    def fetch(token):
        asked.append(token)
        return answer(bodies(token) if callable(bodies) else bodies[token])

    items = [page.get("items") for page in pages(fetch, TOKEN, first)]
    return items, asked


def page(items, token=None):
    return {"items": items} if token is None else {"items": items, TOKEN: token}


def test_pages_are_walked_to_the_end():
    bodies = {None: page([1], "a"), "a": page([2], "b"), "b": page([3])}
    assert walk(bodies) == ([[1], [2], [3]], [None, "a", "b"])


@pytest.mark.parametrize("end", [None, ""])
def test_an_empty_token_is_the_end(end):
    assert walk({None: {"items": [1], TOKEN: end}}) == ([[1]], [None])


def test_a_first_page_that_is_there_already_is_not_asked_for():
    assert walk({"a": page([2])}, answer(page([1], "a"))) == ([[1], [2]], ["a"])


def test_a_token_that_comes_twice_is_a_violation():
    bodies = {None: page([1], "a"), "a": page([2], "b"), "b": page([3], "a")}
    with pytest.raises(Violation, match='repeats an earlier page, at the token "a"'):
        walk(bodies)


def test_a_page_that_comes_twice_is_a_violation_whatever_its_token():
    numbers = iter(range(1000))
    bodies = [[1], [2], [1]]
    with pytest.raises(Violation, match="repeats an earlier page"):
        walk(lambda _: page(bodies[(number := next(numbers)) % 3], f"token {number}"))


def test_the_order_of_fields_makes_no_other_page():
    bodies = {
        None: {"items": [1], "more": 2, TOKEN: "a"},
        "a": {"more": 2, TOKEN: "b", "items": [1]},
        "b": page([]),
    }
    with pytest.raises(Violation, match="repeats an earlier page"):
        walk(bodies)


def test_empty_pages_may_come_again():
    bodies = {None: page([], "a"), "a": page([], "b"), "b": page([], "c"), "c": page([1])}
    assert walk(bodies)[0] == [[], [], [], [1]]


def test_a_last_page_may_be_like_one_before():
    assert walk({None: page([1], "a"), "a": page([1])})[0] == [[1], [1]]


@pytest.mark.parametrize(("items", "most"), [([], "MOST_EMPTY"), (["x"], "MOST_PAGES")])
def test_a_listing_without_end_is_a_violation(items, most, monkeypatch):
    monkeypatch.setattr(paging, most, 20)
    numbers = iter(range(1000))
    with pytest.raises(Violation, match="does not end within 20 pages"):
        walk(lambda token: page([*items, token] if items else [], f"{next(numbers)}"))
    assert next(numbers) == 21


def test_a_long_listing_has_its_end(monkeypatch):
    monkeypatch.setattr(paging, "MOST_EMPTY", 2)
    monkeypatch.setattr(paging, "MOST_PAGES", 20)
    items, _ = walk(lambda token: page([token], str(number) if (number := int(token or 0) + 1) <= 20 else None))
    assert len(items) == 21


@pytest.mark.parametrize(
    ("token", "words"), [(1, "1"), (True, "true"), (["a"], '["a"]'), ({"a": None}, '{"a":null}'), (1.5, "1.5")]
)
def test_a_token_that_is_no_text_is_a_violation(token, words):
    with pytest.raises(Violation) as caught:
        walk({None: page([1], token)})
    assert str(caught.value) == f"the token of the next page is {words}, not a string"


@pytest.mark.parametrize("body", [[], "x", 1, None])
def test_a_page_that_is_no_object_is_a_violation(body):
    with pytest.raises(Violation, match="the body: expected a JSON object"):
        walk({None: body})
