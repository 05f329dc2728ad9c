"""Child processes that run functions of lakeproof; each holds one end of a pipe and ends when the other end closes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from multiprocessing.connection import Connection
from typing import IO, Any

from lakeproof.packages import FOLDER

# The working directory or PYTHONPATH may contain packages of the same names: lakeproof's are imported first.
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
    """Start a process that calls a function with the descriptor of its end of a pipe, and close that end here.

    The process has its own session: Ctrl-C does not reach it. `log` receives its standard error, by default the
    standard error of this process.
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
