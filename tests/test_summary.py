"""The line that .ci/run ends with: the counts of several runs of pytest."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.tiers import ROOT

RUN = '<testsuites><testsuite errors="{}" failures="{}" skipped="{}" tests="{}" time="{}"/></testsuites>'


@pytest.fixture
def summarized(tmp_path):
    """Return a function that returns the exit code and the output for runs."""

    def done(*runs):
        files = [tmp_path / f"{number}.xml" for number in range(len(runs))]
        for file, run in zip(files, runs, strict=True):
            file.write_text(RUN.format(*run))
        command = [sys.executable, "-m", "tests.summary", *map(str, files)]
        ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return ended.returncode, ended.stdout.strip("=\n")

    return done


def test_runs_are_added(summarized):
    assert summarized((0, 0, 2, 12, 1.5), (0, 0, 1, 4, 2)) == (0, " 13 passed, 3 skipped in 3.50s ")


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ((0, 1, 0, 5, 1), " 1 failed, 4 passed in 1.00s "),
        ((1, 0, 0, 5, 1), " 4 passed, 1 errors in 1.00s "),
        ((0, 0, 0, 0, 1), " no tests ran in 1.00s "),
    ],
)
def test_what_fails_or_runs_nothing_is_an_error(summarized, run, said):
    assert summarized(run) == (1, said)


def test_a_run_that_wrote_no_file_is_an_error():
    """The shell leaves a pattern as it is where no file fits it."""
    command = [sys.executable, "-m", "tests.summary", ".tox/no-such-folder/*.xml"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode == 1
