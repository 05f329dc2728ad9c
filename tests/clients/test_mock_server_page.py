"""The tests at the beginning of docs/mock-server.md, run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "mock-server.md"
MOST_LINES = 10


def blocks():
    """Return the Python blocks of the page up to the end of its six tests."""
    return re.findall(r"```python\n(.*?)```", PAGE.read_text().partition("## Start")[0], re.DOTALL)


for _block in blocks():
    exec(compile(_block, str(PAGE), "exec"), globals())


def test_each_test_of_the_page_is_short():
    fixtures, *tests = blocks()
    assert len(tests) == 6
    assert [block for block in tests if block.count("\n") > MOST_LINES] == []
    assert "@pytest.fixture" in fixtures
    assert pytest
