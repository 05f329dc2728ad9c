"""Page tokens."""

from __future__ import annotations

import bisect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_server.errors import InvalidInput
from reference_server.pagination import decode_token, encode_token, take_named_page, take_page
from reference_server.storage import pack


def fetch_from(keys):
    ordered = sorted(keys)

    def fetch(after, count):
        start = 0 if after is None else bisect.bisect_right(ordered, after)
        return [(key, key) for key in ordered[start : start + count]]

    return fetch


def all_items(take, most):
    """Return the items of all pages."""
    seen, token = [], None
    while True:
        page = take(token)
        assert len(page.items) <= most
        assert page.token is None or page.token != token  # else it never ends
        seen += page.items
        token = page.token
        if token is None:
            return seen


@given(keys=st.sets(st.text(max_size=3).map(pack)), limit=st.integers(1, 5), maximum=st.integers(1, 5))
def test_pages_hold_everything_once(keys, limit, maximum):
    pages = all_items(lambda token: take_page(b"scope", token, limit, maximum, fetch_from(keys)), min(limit, maximum))
    assert pages == sorted(keys)


@given(entries=st.dictionaries(st.text(max_size=3), st.integers()), limit=st.integers(1, 5))
def test_pages_of_named_entries_hold_everything_once_by_name(entries, limit):
    pages = all_items(lambda token: take_named_page(entries, b"scope", token, limit, 10), limit)
    assert pages == sorted(entries.items(), key=lambda entry: entry[0].encode())


def test_the_last_full_page_has_no_token():
    assert take_page(b"s", None, 2, 10, fetch_from([b"a", b"b"])).token is None


@pytest.mark.parametrize("limit", [0, -1])
def test_limits_below_one_are_refused(limit):
    with pytest.raises(InvalidInput):
        take_page(b"s", None, limit, 10, fetch_from([]))


@pytest.mark.parametrize("token", ["!", "AAAA", "~~~~", "YWJj", "é"])
def test_foreign_tokens_are_refused(token):
    with pytest.raises(InvalidInput):
        decode_token(b"scope", token)


def test_tokens_belong_to_their_listing():
    token = encode_token(b"one", b"key")
    assert decode_token(b"one", token) == b"key"
    with pytest.raises(InvalidInput, match="another listing"):
        decode_token(b"other", token)


@pytest.mark.parametrize("token", [None, ""])
def test_no_token_is_the_first_page(token):
    assert decode_token(b"s", token) is None
