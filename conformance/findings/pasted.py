"""Recorded curl commands as a reader pastes them: to a server of their own, under names that are new each time."""

from __future__ import annotations

import re
import shlex

OWN = 6  # the last signs of a run's prefix, which no other run has
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|[^'\"]+")
RUN = {"'": "'\"$RUN\"'", '"': "${RUN}"}


def first(base: str, prefix: str) -> str:
    """Return what is pasted before the commands: the URL of the server, and what the names of the run begin with."""
    return f"BASE={shlex.quote(base)} RUN={prefix[:-OWN]}$(date +%s)"


def pasted(curl: str, base: str, prefix: str) -> str:
    """Return a curl command that asks the server `$BASE`, with `$RUN` in the place of the recorded run's prefix."""
    asked = curl.replace(f" '{base}/", ' "$BASE"\'/', 1).replace(f" {base}/", ' "$BASE"/', 1)
    return QUOTED.sub(lambda part: _renamed(part.group(), prefix), asked) if prefix else asked


def _renamed(part: str, prefix: str) -> str:
    return part.replace(prefix, RUN.get(part[0], '"$RUN"'))
