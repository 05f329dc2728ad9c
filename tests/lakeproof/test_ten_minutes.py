"""docs/ci-in-ten-minutes.md, followed by the letter from an empty folder, with an incomplete catalog as the server.

A standard run tests a part of the requirements; `--thorough` tests all, as the page does.
"""

from __future__ import annotations

import os
import re
import socket
import sys
from pathlib import Path

import pytest

from tests.amount import amount
from tests.lakeproof.environments import ROOT, environment, run

PAGE = ROOT / "docs" / "ci-in-ten-minutes.md"
BLOCK = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)
PART = "iceberg.names or iceberg.namespace or iceberg.wire or iceberg.config"
SERVER = f"""#!/bin/sh
cd {ROOT} && exec {sys.executable} -m tests.ten_minutes.catalog "$@"
"""
PIP = """#!/bin/sh
case "$*" in "wheel --no-deps --wheel-dir . "*) exec cp {wheel} . ;; esac
exit 2
"""


def step(number: int) -> list[str]:
    """Return the blocks of shell in a step of the page, each as it stands there."""
    section = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)[number]
    assert section.startswith(f"{number}. ")
    return BLOCK.findall(section)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def program(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


@pytest.fixture
def follow(tmp_path, wheel):
    """Run a block of the page: another port, the real path of the clone, and a server in place of the reader's."""
    folder, port = tmp_path / "repository", str(free_port())
    program(tmp_path / "bin" / "pip", PIP.format(wheel=wheel))  # which would fetch what builds a wheel
    program(folder / "my-server", SERVER)
    environment(folder / ".lakeproof", wheel)  # which the script would fetch
    environ = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "COLUMNS": "120"}
    environ |= {} if amount(PART, None) is None else {"LAKEPROOF_SELECT": PART}
    assert run("git", "init", "-q", cwd=folder)[0] == 0
    written = []

    def run_block(block: str) -> tuple[int, str]:
        """Run a block in the shell that the blocks before it have left."""
        script = block.replace("8181", port).replace("/path/to/lakeproof", str(ROOT))
        before = "".join(line for line in "".join(written).splitlines(keepends=True) if line.startswith("export "))
        written.append(script)
        code, output = run("sh", "-ec", before + script, cwd=folder, env=environ)
        return int(code), str(output)

    return run_block


def test_the_page_ends_as_it_says(follow):
    copies, first = step(1)
    (accepting,) = step(2)
    assert follow(copies) == (0, "")
    code, output = follow(first)
    assert code == 1, output
    assert "Does not conform to iceberg/" in output
    code, output = follow(accepting)
    assert code == 0, output
    assert "as expected" in output
