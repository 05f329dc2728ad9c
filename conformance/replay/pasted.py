"""Recorded curl commands for pasting: for any server, with new names each time."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Mapping
from types import MappingProxyType

from conformance.replay.renaming import bounded

PIPE = " | base64 -d | "  # as Exchange.curl has it
OWN = 6  # length of the random end of a run's prefix
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|[^'\"]+")
SPECIAL, ESCAPED = re.compile(r"([.*\[\]^$|\\])"), r"\\\1"  # in an expression of sed
VARIABLE = {"'": "'\"${}\"'", '"': "${{{}}}"}  # within quotes, else as below


def first(base: str, prefix: str) -> str:
    """Return the line to paste before the commands: the URL of the server, and the new prefix of names."""
    return f"BASE={shlex.quote(base)} RUN={prefix[:-OWN]}$(date +%s)"


def pasted(curl: str, base: str, prefix: str, chosen: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a curl command for the server `$BASE`, with `$RUN` in place of the recorded run's prefix.

    `chosen` maps further values that change each time to their variables.
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
    """Return a pasted command that reads its body from a file, with variables for the changing values in the file."""
    change = _changing(body, {**chosen, **({prefix: "RUN"} if prefix else {})})
    return f"{change} {name} | {curl.removesuffix(f'@{name}')}@-" if change else curl


def _changing(body: bytes, variables: Mapping[str, str]) -> str:
    """Return a command that puts variables into a body, "" for a body without changing values or with zero bytes.

    A body with a zero byte contains lengths too, which another name would break.
    """
    named = [word for word in sorted(variables, key=len, reverse=True) if word.encode() in body]
    if not named or b"\0" in body:
        return ""
    changes = " ".join(f"-e 's|{SPECIAL.sub(ESCAPED, word)}|'\"${variables[word]}\"'|g'" for word in named)
    return f"LC_ALL=C sed {changes}"


def _renamed(part: str, words: re.Pattern[str], variables: Mapping[str, str]) -> str:
    form = VARIABLE.get(part[0], '"${}"')
    return words.sub(lambda match: form.format(variables[match[0]]), part)
