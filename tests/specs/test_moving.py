"""Differences of two revisions in words."""

from __future__ import annotations

import pytest

from specs.moving import move
from specs.profiles import find_profile, newest_profile

MARCH, NEWEST = (find_profile(name).document() for name in ("lance/2026-03", "lance/0.11"))


def test_the_newest_lance_has_54_operations():
    assert len(NEWEST.operations) == 54
    assert newest_profile("lance").name == "lance/0.11"


def test_the_default_is_stated_or_the_newest():
    assert find_profile("lance").name == "lance/0.11"
    assert find_profile("iceberg") == newest_profile("iceberg")


def test_moving_to_the_newest_lance():
    difference = move(MARCH, NEWEST)
    assert (len(difference.added), difference.removed) == (7, ("CreateEmptyTable",))
    assert len(difference.arguments["branch"]) == 26
    assert difference.defaults == {
        "The default of `include_declared` is true, was none": ("ListAllTables", "ListTables")
    }
    assert difference.counts() == "7 operations more, 1 operation less, 13 new arguments, 1 other default"
    assert "CreateTableBranch is new." in difference.lines()
    assert any(line.startswith("New argument `branch`: AlterTableAddColumns, ") for line in difference.lines())


@pytest.mark.parametrize("document", [MARCH, NEWEST], ids=["2026-03", "0.11"])
def test_a_revision_has_nothing_beside_itself(document):
    difference = move(document, document)
    assert difference.nothing
    assert (difference.lines(), difference.counts()) == ([], "no other operation, argument or default")
