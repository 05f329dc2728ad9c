"""The script of docs/ci-in-ten-minutes.md: it starts a server, tests it, stops it, and has the run's exit code."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.lakeproof.environments import ROOT, run

SCRIPT = ROOT / "ci" / "lakeproof.sh"
TOOL = """#!/bin/sh
echo "$@"
while [ ! -s server.log ]; do sleep 0.05; done
exit {code}
"""


def runs(process):
    return Path(f"/proc/{process}").exists()


@pytest.mark.parametrize("code", [0, 1])
def test_the_script_ends_as_the_run_does_and_stops_the_server(tmp_path, code):
    tool = tmp_path / ".lakeproof" / "bin" / "lakeproof"
    tool.parent.mkdir(parents=True)
    tool.write_text(TOOL.format(code=code))
    tool.chmod(0o755)
    given = {"START": "sh -c 'echo $$; exec sleep 60'", "URL": "http://127.0.0.1:1"}
    assert run("sh", SCRIPT, cwd=tmp_path, env={**os.environ, **given}) == (
        code,
        "check http://127.0.0.1:1 --wait 60 --jobs 2\n",
    )
    server = int((tmp_path / "server.log").read_text())
    assert not runs(server), "the script has ended, and the server that it started still runs"


@pytest.mark.parametrize("missing", ["LAKEPROOF_PACKAGE", "START", "URL"])
def test_the_script_says_what_it_lacks(tmp_path, missing):
    given = {"LAKEPROOF_PACKAGE": str(tmp_path / "none.whl"), "START": "true", "URL": "u"}
    if missing != "LAKEPROOF_PACKAGE":
        tool = tmp_path / ".lakeproof" / "bin" / "lakeproof"
        tool.parent.mkdir(parents=True)
        tool.symlink_to("/bin/true")
    environ = {name: value for name, value in {**os.environ, **given}.items() if name != missing}
    code, output = run("sh", SCRIPT, cwd=tmp_path, env=environ)
    assert code != 0
    assert f"{missing}: must" in output
