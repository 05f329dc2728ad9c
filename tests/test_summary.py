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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        # The shell leaves a pattern as it is where no file fits it.
        (None, "There is no summary: no run of pytest wrote {file}.\n"),
        ("<testsuites>", "There is no summary: a run of pytest did not complete {file} (no element found: {place}).\n"),
    ],
)
def test_a_run_without_a_whole_file_is_named_in_one_line(tmp_path, content, said):
    file = tmp_path / "*.xml"
    if content:
        file.write_text(content)
    command = [sys.executable, "-m", "tests.summary", str(file)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (1, said.format(file=file, place="line 1, column 12"))
