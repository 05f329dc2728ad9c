"""Recorded curl commands as a reader pastes them: to a server of their own, under names that are new each time."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType

from conformance.replay.renaming import bounded

PIPE = " | base64 -d | "  # as Exchange.curl has it
OWN = 6  # the last signs of a run's prefix, which no other run has
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|[^'\"]+")
SPECIAL, ESCAPED = re.compile(r"([.*\[\]^$|\\])"), r"\\\1"  # in an expression of sed
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
    body, piped, command = asked.partition(PIPE)
    if piped and body.startswith("echo "):
        change = _changing(base64.b64decode(body.removeprefix("echo ")), variables)
        return body + piped + (f"{change} | " if change else "") + pasted(command, base, prefix, chosen)
    return QUOTED.sub(lambda part: _renamed(part.group(), words, variables), asked)


def from_file(curl: str, name: str, body: bytes, prefix: str, chosen: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a pasted command that reads its body from a file, with the variables for what the file calls otherwise."""
    change = _changing(body, {**chosen, **({prefix: "RUN"} if prefix else {})})
    return f"{change} {name} | {curl.removesuffix(f'@{name}')}@-" if change else curl


def _changing(body: bytes, variables: Mapping[str, str]) -> str:
    """Return a command that puts variables into a body, "" where it has none of the words, or is no text.

    What has a zero byte has lengths too, which another name would break.
    """
    named = [word for word in sorted(variables, key=len, reverse=True) if word.encode() in body]
    if not named or b"\0" in body:
        return ""
    changes = " ".join(f"-e 's|{SPECIAL.sub(ESCAPED, word)}|'\"${variables[word]}\"'|g'" for word in named)
    return f"LC_ALL=C sed {changes}"


def _renamed(part: str, words: re.Pattern[str], variables: Mapping[str, str]) -> str:
    form = VARIABLE.get(part[0], '"${}"')
    return words.sub(lambda match: form.format(variables[match[0]]), part)
