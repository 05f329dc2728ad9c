"""How multi-level names travel."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specs.identifiers import IdentifierError, decode_segment, encode_segment, join_parts, split_parts

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(name=NAMES)
def test_a_segment_comes_back(name):
    encoded = encode_segment(name)
    assert decode_segment(encoded) == name
    assert not set(encoded) & set("/?#% ") - {"%"}


@given(parts=st.lists(NAMES.filter(lambda name: "$" not in name), max_size=4))
def test_parts_come_back(parts):
    assert split_parts(join_parts(parts)) == parts


def test_the_delimiter_alone_is_the_root():
    assert split_parts("$") == []
    assert split_parts("::", "::") == []
    assert join_parts([], ".") == "."


@pytest.mark.parametrize(("text", "delimiter"), [("a$$b", "$"), ("$a", "$"), ("a$", "$"), ("", "$"), ("a", "")])
def test_empty_parts_are_refused(text, delimiter):
    with pytest.raises(IdentifierError):
        split_parts(text, delimiter)


def test_a_name_with_the_delimiter_cannot_be_written():
    with pytest.raises(IdentifierError):
        join_parts(["a.b"], ".")


def test_percent_encoding_is_undone_once():
    assert decode_segment("a%252Fb") == "a%2Fb"
    with pytest.raises(IdentifierError):
        decode_segment("%ff")
