"""Fixtures of tests of the command line: a folder of their own, a server, commands in this process."""

from __future__ import annotations

import math
import shlex
import signal
import sys

import pytest

from lakeproof import progress, serve
from lakeproof.cli import main
from lakeproof.interruptions import INTERRUPTIONS
from tests.lakeproof.environments import build_wheel


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Every command runs in a folder of its own, and its help is wide."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    return tmp_path


@pytest.fixture(scope="module")
def server():
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        yield server


@pytest.fixture(scope="session")
def wheel(tmp_path_factory):
    """The wheel of this tree."""
    return build_wheel(tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def cli(monkeypatch, capsys, request):
    """Run a command in this process and return its exit code and both outputs, which a failure of the test shows.

    A command has the process to itself, and leaves what handles its interruptions behind. A slow machine adds no line
    of progress.
    """
    monkeypatch.setattr(progress, "LINE_SECONDS", math.inf)
    handlers = {number: signal.getsignal(number) for number in INTERRUPTIONS}

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["lakeproof", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        request.node.add_report_section("call", f"of {shlex.join(sys.argv)}", said.out + said.err)
        return ended.value.code, said.out, said.err

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)
