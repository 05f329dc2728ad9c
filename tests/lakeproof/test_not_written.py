"""Files that cannot be written: one sentence and exit code 4, before the work where it can be known."""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.after.reading import read_results
from conformance.replay.expectations_file import read_expectations
from lakeproof import check

CONFLICT = "lance.namespace.create.conflict"
SMALL = 80_000  # bytes that a file may have
FULL = Path("/dev/full")


@contextmanager
def full_disk(most=SMALL):
    """No file becomes larger than this, as on a full disk; processes that are started inherit it.

    Python writes no bytecode meanwhile: it takes a file that was cut for a whole one, and could not import it again.
    """
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "dont_write_bytecode", True)
        patch.setenv("PYTHONDONTWRITEBYTECODE", "1")
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.fixture(scope="module")
def made(server, tmp_path_factory):
    """The folder of a run with a finding."""
    folder = tmp_path_factory.mktemp("made") / "run"
    check(server.url, header=("X-Lakeproof-Fault: conflict-as-400",), select=CONFLICT, report=str(folder))
    return folder


@pytest.fixture
def run(made, tmp_path):
    """A copy of that folder, in the folder of the command."""
    return shutil.copytree(made, tmp_path / "run")


def say_so(said, place, why):
    """True when a command says in one sentence that this place cannot be written, and in one what to do.

    Before that it may have said what it tests and how far it was.
    """
    told = (" speaks ", " requirements, about ")
    lines = [line.strip() for line in said.splitlines() if line.strip() and not any(part in line for part in told)]
    return len(lines) == 2 and lines[0].startswith("lakeproof: ") and str(place) in lines[0] and why in lines[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--report", "taken"],
        ["check", "--report", "taken", "--jobs", "3"],
        ["check", "--report", "taken/below", "--api", "lance"],
        ["check", "--report", "blocked", "--api", "lance"],
        ["check", "{url}", "--report", "taken"],
        ["spark", "{url}", "--api", "lance", "--report", "taken"],
        ["race", "{url}", "--api", "lance", "--report", "taken"],
        ["race", "--api", "lance", "--report", "blocked"],
        ["warehouse", "report", "--report", "taken"],
        ["compare", "{url}", "{url}", "--report", "taken"],
    ],
)
def test_a_place_that_cannot_be_written_is_told_before_the_work(cli, server, folder, monkeypatch, arguments):
    def work(*_, **__):
        raise AssertionError("the work began")

    for worker in ("lakeproof.checking.target_of", "lakeproof.commands.race.open_session"):
        monkeypatch.setattr(worker, work)
    monkeypatch.setattr("lakeproof.commands.warehouse.open_session", work)
    (folder / "taken").write_text("a file where a folder is expected")
    for name in ("results.json", "race.json"):
        (folder / "blocked" / name).mkdir(parents=True)
    code, out, err = cli(*(word.replace("{url}", server.url) for word in arguments))
    assert (code, out) == (4, "")
    assert say_so(err, "taken" if "blocked" not in arguments else "blocked", "cannot be written: ")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_ends_a_run_and_what_was_tested_is_printed(cli, server, folder, jobs):
    with full_disk():
        code, out, err = cli("check", server.url, "-k", "lance.namespace", "--report", "out", "--jobs", jobs)
    assert code == 4
    assert "The run was stopped: The report folder out cannot be written: File too large" in out
    assert " pass in " in out
    assert "report:" not in out
    assert say_so(err, "out", "File too large")


def test_a_full_disk_ends_runs_side_by_side(cli, folder):
    with full_disk(400_000):
        code, out, err = cli("check", "--depth", "smoke", "--report", "out", "--jobs", "3")
    assert code == 4
    assert out.count(" pass in ") == 3
    assert "Traceback" not in out + err


def test_a_report_that_cannot_be_written_takes_no_result_away(cli, server, folder, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("conformance.values.results.write_file", refuse)
    code, out, err = cli("check", server.url, "-k", CONFLICT, "--report", "out", "--json")
    assert (code, json.loads(out)["exit"]) == (4, 4)
    assert json.loads(out)["totals"]["pass"] == 1
    assert say_so(err, "out", "No space left on device")


@pytest.mark.parametrize(
    ("arguments", "place"),
    [
        (["report", "run", "--report", "other"], "other"),
        (["report", "run", "--publish", "--report", "other"], "other"),
        (["matrix", "run", "run", "--report", "other"], "other"),
        (["expect", "run", "--file", "known.toml"], "known.toml"),
    ],
)
def test_commands_that_write_say_where_they_cannot(cli, run, folder, arguments, place):
    with full_disk(100):
        code, _, err = cli(*arguments)
    assert code == 4
    assert say_so(err, place, "File too large")
    assert not any(folder.glob("**/*.tmp"))


def test_an_expectations_file_survives_a_full_disk(cli, run, folder):
    cli("expect", "run", "--reason", "known for long")
    before = read_expectations(folder / "lakeproof-expectations.toml")
    with full_disk(100):
        assert cli("expect", "run", "--prune")[0] == 4
    assert read_expectations(folder / "lakeproof-expectations.toml") == before


def test_a_results_file_survives_a_full_disk(server, run):
    with full_disk(100), pytest.raises(Exception, match="cannot be written"):
        read_results(run).write(run)
    assert read_results(run).requirements


OF_READERS = [
    ["list"],
    ["explain", CONFLICT],
    ["spec", "show", "CreateTable"],
    ["spec", "list"],
    ["serve", "--list-faults"],
    ["report", "run"],
    ["diff", "run", "run"],
    ["matrix", "run", "run"],
    ["repro", CONFLICT, "--results", "run", "--as", "curl"],
    ["check", "{url}", "-k", CONFLICT, "--header", "X-Lakeproof-Fault: conflict-as-400"],
    ["compare", "{url}", "{url}", "-k", CONFLICT],
]
# One process for all commands, whose imports take longer than they: after each a zero, its exit code and a zero.
ONE_BY_ONE = """
import json, sys
from lakeproof.cli import main

for arguments in json.loads(sys.argv.pop()):
    sys.argv[1:] = arguments
    try:
        main()
    except SystemExit as ended:
        print(end=f"\\0{ended.code}\\0", flush=True)
        print(end="\\0", file=sys.stderr, flush=True)
"""


@pytest.fixture(scope="module")
def in_ascii(server, made, tmp_path_factory):
    """Exit code and both outputs of commands, by arguments, where locale and terminal know ASCII alone."""
    folder = tmp_path_factory.mktemp("ascii")
    shutil.copytree(made, folder / "run")
    given = [[word.replace("{url}", server.url) for word in arguments] for arguments in OF_READERS]
    environ = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    command = [sys.executable, "-c", ONE_BY_ONE, json.dumps(given)]
    ended = subprocess.run(command, capture_output=True, env=environ, cwd=folder, timeout=300, check=False)
    out, err = ended.stdout.split(b"\0"), ended.stderr.split(b"\0")
    assert (ended.returncode, len(out), len(err)) == (0, 2 * len(given) + 1, len(given) + 1), ended.stderr
    return {tuple(words): each for words, *each in zip(OF_READERS, out[1::2], out[::2], err, strict=False)}


@pytest.mark.parametrize("arguments", OF_READERS)
def test_a_terminal_without_unicode_gets_other_letters(in_ascii, arguments):
    code, out, err = in_ascii[tuple(arguments)]
    assert code in (b"0", b"1"), err
    assert b"Traceback" not in err
    assert out.isascii()
    assert err.isascii()


def test_output_that_cannot_be_written_is_one_sentence():
    if not FULL.exists():
        pytest.skip("this system has no /dev/full")
    with FULL.open("w") as full:
        command = [sys.executable, "-m", "lakeproof", "list"]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60, check=False)
    assert ended.returncode == 4, ended.stderr
    assert say_so(ended.stderr, "The output", "No space left on device")
