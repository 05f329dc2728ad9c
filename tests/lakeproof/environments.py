"""Environments of their own for what is installed: made by uv, which takes what it has from its cache."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from uv import find_uv_bin

ROOT = Path(__file__).parent.parent.parent


def run(*command, **rest):
    """Run a command and return its exit code and all that it printed."""
    done = subprocess.run(
        [str(word) for word in command],
        check=False,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        **rest,
    )
    return done.returncode, done.stdout


def uv(*command):
    """Run uv where UV_CONSTRAINT, as tox.ini sets it, names a file: a list of paths has no way to write a blank."""
    code, output = run(find_uv_bin(), *command, cwd=ROOT)
    assert code == 0, output


def build_wheel(folder):
    """Build the wheel of this tree and return its path."""
    uv("build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def environment(folder, *what):
    """Make an environment with pip and the given packages, and return the folder of its commands."""
    uv("venv", "--quiet", "--seed", "--python", sys.executable, folder)
    if what:
        uv("pip", "install", "--quiet", "--python", folder / "bin" / "python", *what)
    return folder / "bin"
