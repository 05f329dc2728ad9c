"""Style and types of the whole project: tests, so that they run beside the others."""

from __future__ import annotations

import subprocess
import sys

import pytest

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
