"""Large bodies of requests as files beside a report; the report's commands read them."""

from __future__ import annotations

import base64
import hashlib
import shlex
from collections.abc import Mapping
from pathlib import Path

from conformance.replay.pasted import PIPE
from conformance.values.results import Results
from specs.writing import write_file

LARGE = 4 << 10
FOLDER = "bodies"


def with_file(curl: str) -> tuple[str, Mapping[str, bytes]]:
    """Return the command of a step for a report, and the contents of the files that it reads, by path.

    A command with a large body reads it from a file; any other is unchanged. The command is one of Exchange.curl.
    """
    if len(curl) <= LARGE:
        return curl, {}
    words = shlex.split(curl)
    if words[0] == "echo":
        body = base64.b64decode(words[1])
        command = curl.partition(PIPE)[2].removesuffix("@-")
    else:
        body = words[-1].encode()
        command = curl.removesuffix(shlex.quote(words[-1]))
    if len(body) <= LARGE // 2:  # another part of the command is long
        return curl, {}
    name = f"{FOLDER}/{hashlib.sha256(body).hexdigest()[:16]}"
    return f"{command}@{name}", {name: body}


def write_bodies(results: Results, folder: Path) -> None:
    """Write the files that the commands of a run's steps read. Raises OSError when a file cannot be written."""
    for result in results.requirements:
        for step in result.steps:
            for name, body in with_file(step.request.curl)[1].items():
                write_file(folder / name, body)
