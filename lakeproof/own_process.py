"""Processes of our own code, each with one end of a pipe: they end when the other end is closed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import IO, Any

from lakeproof.packages import FOLDER

# Packages of the working directory or PYTHONPATH may have the names of ours: ours are imported first.
CODE = (
    "import sys; sys.path.insert(0, sys.argv[1]); import lakeproof; lakeproof.bind_packages(); del sys.path[0]; "
    "from importlib import import_module; getattr(import_module(sys.argv[2]), sys.argv[3])(int(sys.argv[4]))"
)


def start_process(
    module: str,
    function: str,
    theirs: Connection[Any, Any],
    environ: Mapping[str, str],
    log: IO[bytes] | int | None = None,
) -> subprocess.Popen[bytes]:
    """Start a process that calls a function with the descriptor of its end of a pipe, which is closed here.

    It is in a session of its own: it hears of no interruption of this one. `log` takes what it prints as errors, by
    default where this process prints them.
    """
    process = subprocess.Popen(  # noqa: S603 - our own code
        [sys.executable, "-P", "-c", CODE, str(FOLDER), module, function, str(theirs.fileno())],
        pass_fds=[theirs.fileno()],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
        start_new_session=True,
        env=dict(environ),
    )
    theirs.close()
    return process
