"""Style and types of the whole project: tests, so that they run beside the others."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from tests.sources import tree
from tests.tiers import ROOT

CHECKS = {
    "types": ("mypy",),
    "style": ("ruff", "check", "."),
    "format": ("ruff", "format", "--check", "."),
}


@pytest.mark.parametrize("check", CHECKS)
def test_the_project_is_clean(check):
    command = [sys.executable, "-m", *CHECKS[check]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.fail(f"{' '.join(CHECKS[check])}\n{done.stdout}{done.stderr}", pytrace=False)


def test_an_assertion_about_many_values_shows_those_that_break_it():
    """`assert all(...)` fails with "assert False": `assert [value for value in values if ...] == []` shows them."""
    hiding = []
    for path in sorted((ROOT / "tests").rglob("*.py")):
        asserted = [node for node in ast.walk(tree(path.relative_to(ROOT))) if isinstance(node, ast.Assert)]
        hiding += [f"{path.relative_to(ROOT)}:{node.lineno}" for node in asserted if _hides_values(node)]
    assert hiding == []


def _hides_values(node: ast.Assert) -> bool:
    """True for `assert all(... for ...)` and `assert not any(... for ...)` without a message."""
    match node.test:
        case ast.Call(ast.Name("all"), [ast.GeneratorExp()]):
            return not node.msg
        case ast.UnaryOp(ast.Not(), ast.Call(ast.Name("any"), [ast.GeneratorExp()])):
            return not node.msg
    return False
