"""The programs of docs/other-languages.md, each alone in an empty folder with the tools of its language."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "other-languages.md"
PROGRAMS = dict(re.findall(r"```(javascript|java|go|rust)\n(.*?)```", PAGE.read_text(), re.DOTALL))
COMMANDS = {
    "javascript": ("mock.mjs", [["node", "mock.mjs"]]),
    "java": ("Mock.java", [["java", "Mock.java"]]),
    "go": ("mock.go", [["go", "run", "mock.go"]]),
    "rust": ("mock.rs", [["rustc", "mock.rs"], ["./mock"]]),
}
WITHIN = 300  # seconds for compiler and program
LAKEPROOF = Path(sys.executable).with_name("lakeproof")


def test_the_page_has_a_program_for_each_language():
    assert PROGRAMS.keys() == COMMANDS.keys()


@pytest.mark.parametrize("language", COMMANDS)
def test_a_program_starts_uses_and_stops_the_server(language, tmp_path):
    name, commands = COMMANDS[language]
    if shutil.which(commands[0][0]) is None:
        pytest.skip(f"needs {commands[0][0]}")
    temporary, folder = tmp_path / "temporary", tmp_path / "program"
    temporary.mkdir()
    folder.mkdir()
    (folder / name).write_text(PROGRAMS[language])
    path = f"{LAKEPROOF.parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands:
        ran = subprocess.run(
            command,
            cwd=folder,
            env={**os.environ, "PATH": path, "TMPDIR": str(temporary)},
            capture_output=True,
            text=True,
            timeout=WITHIN,
            check=False,
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ran.stdout.splitlines()[-1] == "done"
    assert list(temporary.glob("lakeproof-*")) == []
