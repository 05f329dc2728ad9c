"""Units of work of the tests' workers."""

from __future__ import annotations

import pytest

from tests.scheduling import unit_of


@pytest.mark.parametrize(
    ("test", "unit"),
    [
        ("tests/a/test_b.py::test_c", "tests/a/test_b.py"),
        ("tests/a/test_b.py::TestC::test_d[dir-2]", "tests/a/test_b.py"),
        ("tests/a/test_b.py::test_c[lance-status:GetTable]", "tests/a/test_b.py lance"),
        ("tests/a/test_b.py::test_c[iceberg/1.11-memory]", "tests/a/test_b.py iceberg"),
        ("tests/a/test_b.py::test_c[polaris.grant.iceberg]", "tests/a/test_b.py polaris"),
        ("tests/test_english.py::test_c[lance]", "tests/test_architecture.py"),
        ("tests/lance/test_b.py::test_c[pylance]", "tests/lance/test_b.py"),
    ],
)
def test_a_unit_is_a_file_and_an_api(test, unit):
    assert unit_of(test) == unit
