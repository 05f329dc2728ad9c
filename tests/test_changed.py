"""The short command before a commit: the tests that it finds for changed files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.changed import nearest_tests


@pytest.mark.parametrize(
    ("file", "first"),
    [
        ("conformance/report/pretty.py", "tests/conformance/test_pretty.py"),  # it has its name, and imports it
        ("website/documents.py", "tests/website/test_pages.py"),
        ("tests/test_summary.py", "tests/test_summary.py"),
        ("tests/tiers.py", "tests/test_tiers.py"),
    ],
)
def test_the_nearest_nearest_tests_a_file_are_first(file, first):
    assert nearest_tests([Path(file)])[0] == first


@pytest.mark.parametrize("file", ["README.md", "tests/website/test_site.py"])
def test_no_text_and_no_test_of_another_tier_runs(file):
    assert nearest_tests([Path(file)]) == []
