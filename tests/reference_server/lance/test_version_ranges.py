"""Versions within ranges, also of many by many, and deletion of many versions together."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.lance.catalog.dataset_files import VersionName
from reference_server.lance.catalog.recovery import put_in_place
from reference_server.lance.catalog.version_ranges import NO_END, versions_in

NUMBERS = st.integers(0, 30)


def listed(numbers):
    """Return the versions of a dataset with these numbers."""
    versions = [VersionName(number, f"{number}.manifest") for number in numbers]
    return SimpleNamespace(page=lambda: versions)


def bounds(start, end):
    return {"start_version": start, "end_version": end}


@given(
    st.sets(NUMBERS),
    st.lists(
        st.tuples(NUMBERS, st.one_of(st.just(NO_END), NUMBERS)).filter(
            lambda pair: pair[1] == NO_END or pair[0] <= pair[1]
        )
    ),
)
def test_versions_in_ranges_are_those_that_one_of_them_has(numbers, ranges):
    def wanted(number):
        return any(start <= number and (end == NO_END or number < end) for start, end in ranges)

    chosen = versions_in(listed(sorted(numbers)), [bounds(*pair) for pair in ranges])
    assert [version.version for version in chosen] == [number for number in sorted(numbers) if wanted(number)]


@pytest.mark.parametrize("pair", [(-1, 5), (3, 2), (0, -2)])
def test_ranges_that_mean_nothing_are_refused(pair):
    with pytest.raises(InvalidInput, match="Invalid range"):
        versions_in(listed([1]), [bounds(*pair)])


class Counted(int):
    """A version number that counts its comparisons."""

    compared = 0

    def __lt__(self, other):
        Counted.compared += 1
        return int(self) < other

    def __le__(self, other):
        Counted.compared += 1
        return int(self) <= other

    def __gt__(self, other):
        Counted.compared += 1
        return int(self) > other

    def __ge__(self, other):
        Counted.compared += 1
        return int(self) >= other


def test_many_ranges_of_many_versions_cost_little():
    """Each version is compared with few ranges: far fewer comparisons than versions times ranges."""
    versions, ranges = 10_000, [bounds(20_000 + 2 * n, 20_001 + 2 * n) for n in range(limits.OPERATIONS)]
    Counted.compared = 0
    assert versions_in(listed(map(Counted, range(versions))), ranges) == []
    assert 0 < Counted.compared < 30 * (versions + len(ranges))


def test_versions_that_are_gone_are_deleted_together():
    deleted = []
    versions: Any = SimpleNamespace(delete=deleted.append)
    finalized = put_in_place(versions, {n: {"gone": True} for n in range(5000)})
    assert finalized == dict.fromkeys(range(5000))
    assert deleted == [list(range(5000))]
