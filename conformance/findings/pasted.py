"""Recorded curl commands as a reader pastes them: to a server of their own, under names that are new each time."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType

from conformance.findings.renaming import bounded

OWN = 6  # the last signs of a run's prefix, which no other run has
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|[^'\"]+")
VARIABLE = {"'": "'\"${}\"'", '"': "${{{}}}"}  # within quotes, else as below


def first(base: str, prefix: str) -> str:
    """Return what is pasted before the commands: the URL of the server, and what the names of the run begin with."""
    return f"BASE={shlex.quote(base)} RUN={prefix[:-OWN]}$(date +%s)"


def pasted(curl: str, base: str, prefix: str, chosen: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a curl command that asks the server `$BASE`, with `$RUN` in the place of the recorded run's prefix.

    `chosen` has variables for what else is called otherwise each time.
    """
    asked = curl.replace(f" '{base}/", ' "$BASE"\'/', 1).replace(f" {base}/", ' "$BASE"/', 1)
    variables = {**chosen, **({prefix: "RUN"} if prefix else {})}
    if not variables:
        return asked
    longest_first = sorted(variables, key=len, reverse=True)
    words = re.compile("|".join(re.escape(word) if word == prefix else bounded(word) for word in longest_first))
    return QUOTED.sub(lambda part: _renamed(part.group(), words, variables), asked)


def _renamed(part: str, words: re.Pattern[str], variables: Mapping[str, str]) -> str:
    form = VARIABLE.get(part[0], '"${}"')
    return words.sub(lambda match: form.format(variables[match[0]]), part)
