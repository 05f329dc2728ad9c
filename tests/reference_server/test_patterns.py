"""Regular expressions of the server: none takes time like the cube of its input or worse, whatever the input."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from regexploit.ast.sre import SreOpParser
from regexploit.redos import find

import reference_server
import specs

FEWEST = 30


def patterns_in(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict):
        for part in (*value, *value.values()):
            yield from patterns_in(part)
    elif isinstance(value, list | tuple | set | frozenset):
        for part in value:
            yield from patterns_in(part)


def known_patterns() -> dict[str, str]:
    """Return the patterns that modules of the server keep, by where each is."""
    found = {}
    for package in (reference_server, specs):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, value in vars(import_module(module.name)).items():
                for pattern in patterns_in(value):
                    text = pattern.pattern
                    found[f"{module.name}.{name}"] = text if isinstance(text, str) else text.decode("latin-1")
    return found


def weaknesses(pattern: str) -> list[str]:
    return [str(weakness) for weakness in find(SreOpParser().parse_sre(pattern))]


def test_no_pattern_backtracks():
    known = known_patterns()
    assert len(known) >= FEWEST
    assert {name: weak for name, pattern in known.items() if (weak := weaknesses(pattern))} == {}


@pytest.mark.parametrize("pattern", [r"(a+)+b", r"geography\(\s*\w*\s*\s*\)"])
def test_patterns_that_backtrack_are_found(pattern):
    assert weaknesses(pattern)
