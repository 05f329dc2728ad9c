"""Numbers that a reader has changed: a finding says what became of them."""

from __future__ import annotations

import pytest

from conformance.author.checks import equal, same_items
from conformance.values.numbers import PAST_DOUBLE, PAST_INT, loss
from conformance.values.outcomes import Violation
from tests.conformance.mutants import found

LARGEST = 2**63 - 1


@pytest.mark.parametrize(
    ("sent", "got", "words"),
    [
        (PAST_DOUBLE, PAST_DOUBLE, ""),
        (PAST_DOUBLE, 2**53, "rounded to a double"),
        (LARGEST, 2**63, "rounded to a double"),
        (PAST_DOUBLE, 1, "cut to 32 bits"),
        (PAST_INT, 1 - 2**31, "cut to 32 bits"),
        (2**32 + PAST_INT, PAST_INT, "cut to 32 bits without a sign"),
        (PAST_INT, 2**31 - 1, "limited to 32 bits"),
        (PAST_INT, 2**31, "rounded to a 32-bit float"),
        (PAST_INT, float(PAST_INT), "turned into a fraction"),
        (PAST_INT, str(PAST_INT), "turned into a text"),
        (PAST_INT, PAST_INT + 5, ""),
        (PAST_INT, None, ""),
        (5, 7, ""),
        (True, 1, ""),
    ],
)
def test_what_became_of_a_number(sent, got, words):
    assert loss(sent, got) == words


def test_a_check_says_it():
    with pytest.raises(Violation, match=r"expected 9007199254740993, got 9007199254740992 \(rounded to a double\)"):
        equal(2**53, PAST_DOUBLE, "the size")
    with pytest.raises(Violation, match=r"missing \[2147483649\]; unexpected \[2147483647\] \(limited to 32 bits\)"):
        same_items([2**31 - 1, 1], [PAST_INT, 1], "the sizes")
    with pytest.raises(Violation, match=r"expected 5, got 7$"):
        equal(7, 5, "the size")


@pytest.mark.parametrize(
    ("api", "name", "fault", "words"),
    [
        ("iceberg", "iceberg.large.statistics.load", "ids-as-doubles", "(rounded to a double)"),
        ("iceberg", "iceberg.large.row_ids.transaction", "numbers-in-32-bits", "(cut to 32 bits)"),
        ("iceberg", "iceberg.large.scan", "sizes-as-doubles", "(rounded to a double)"),
        ("lance", "lance.large.query", "numbers-in-sql-as-doubles", "(rounded to a double)"),
        ("polaris", "polaris.notification.large_timestamp", "timestamps-as-doubles", "expected 204, got 409"),
    ],
)
def test_a_lost_digit_fails_the_gate(api, name, fault, words, tmp_path):
    result = found(api, name, fault, tmp_path)
    assert (result.level, result.verdict) == ("MUST", "fail")
    assert words in result.message
