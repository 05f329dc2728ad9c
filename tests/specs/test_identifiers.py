"""Encoding of names with several levels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specs.iceberg.identifiers import advertised_separator, join_levels
from specs.identifiers import UNIT_SEPARATOR, IdentifierError, decode_segment, encode_segment, split_levels
from specs.lance.identifiers import join_parts, split_parts

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)
LEVELS = st.lists(NAMES.filter(lambda name: UNIT_SEPARATOR not in name), min_size=1, max_size=4)


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


# Iceberg


@given(levels=LEVELS)
def test_levels_come_back(levels):
    assert split_levels(decode_segment(encode_segment(join_levels(levels))), UNIT_SEPARATOR) == levels


def test_both_separators_are_read():
    assert split_levels("a.b", ".") == ["a", "b"]
    assert split_levels("a\x1fb", ".") == ["a", "b"]
    assert split_levels("a.b", UNIT_SEPARATOR) == ["a.b"]


def test_the_unit_separator_leaves_the_other_to_the_names():
    assert split_levels("a.b\x1fc", ".") == ["a.b", "c"]


@pytest.mark.parametrize("text", ["", "\x1f", "a\x1f", "\x1fa", "a\x1f\x1fb", "a..b"])
def test_empty_levels_are_refused(text):
    with pytest.raises(IdentifierError):
        split_levels(text, ".")


@pytest.mark.parametrize("levels", [[], [""], ["a", ""], ["a\x1fb"], ["a.b"]])
def test_a_namespace_that_cannot_be_written(levels):
    with pytest.raises(IdentifierError):
        join_levels(levels, ".")


@pytest.mark.parametrize(("overrides", "separator"), [({}, "\x1f"), ({"namespace-separator": "%2E"}, ".")])
def test_the_separator_is_advertised_encoded(overrides, separator):
    assert advertised_separator(overrides) == separator


def test_an_empty_separator_is_refused():
    with pytest.raises(IdentifierError):
        advertised_separator({"namespace-separator": ""})
