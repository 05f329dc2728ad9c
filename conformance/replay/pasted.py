"""Recorded curl commands for pasting: for any server, with new names each time."""

from __future__ import annotations

import base64
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from conformance.replay.renaming import bounded

PIPE = " | base64 -d | "  # as Exchange.curl has it
OWN = 6  # length of the random end of a run's prefix
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|[^'\"]+")
SPECIAL, ESCAPED = re.compile(r"([.*\[\]^$|\\])"), r"\\\1"  # in an expression of sed
FORMS = {"'": "'\"{}\"'", '"': "{}"}  # of an expression within quotes, else as below


def first(base: str, prefix: str) -> str:
    """Return the line to paste before the commands: the URL of the server, and the new prefix of names."""
    return f"BASE={shlex.quote(base)} RUN={prefix[:-OWN]}$(date +%s)"


def pasted(
    curl: str,
    base: str,
    prefix: str,
    chosen: Mapping[str, str] = MappingProxyType({}),
    places: Sequence[tuple[str, str]] = (),
) -> str:
    """Return a curl command for the server `$BASE`, with `$RUN` in place of the recorded run's prefix.

    `chosen` maps further texts that change each time to their variables. `places` are patterns of values at certain
    places of the command, each with the shell's expression for the value.
    """
    asked = curl.replace(f" '{base}/", ' "$BASE"\'/', 1).replace(f" {base}/", ' "$BASE"/', 1)
    variables = {**chosen, **({prefix: "RUN"} if prefix else {})}
    words = [*places, *((_word(word, prefix), f"${{{variables[word]}}}") for word in _longest_first(variables))]
    if not words:
        return asked
    body, piped, command = asked.partition(PIPE)
    if piped and body.startswith("echo "):
        change = _changing(base64.b64decode(body.removeprefix("echo ")), variables)
        return body + piped + (f"{change} | " if change else "") + pasted(command, base, prefix, chosen, places)
    pattern = re.compile("|".join(f"({word})" for word, _ in words))
    return QUOTED.sub(lambda part: _renamed(part.group(), pattern, [value for _, value in words]), asked)


def _word(word: str, prefix: str) -> str:
    return re.escape(word) if word == prefix else bounded(word)


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(words, key=len, reverse=True)


def from_file(curl: str, name: str, body: bytes, prefix: str, chosen: Mapping[str, str] = MappingProxyType({})) -> str:
    """Return a pasted command that reads its body from a file, with variables for the changing values in the file."""
    change = _changing(body, {**chosen, **({prefix: "RUN"} if prefix else {})})
    return f"{change} {name} | {curl.removesuffix(f'@{name}')}@-" if change else curl


def _changing(body: bytes, variables: Mapping[str, str]) -> str:
    """Return a command that puts variables into a body, "" for a body without changing values or with zero bytes.

    A body with a zero byte contains lengths too, which another name would break.
    """
    named = [word for word in _longest_first(variables) if word.encode() in body]
    if not named or b"\0" in body:
        return ""
    changes = " ".join(f"-e 's|{SPECIAL.sub(ESCAPED, word)}|'\"${variables[word]}\"'|g'" for word in named)
    return f"LC_ALL=C sed {changes}"


def _renamed(part: str, words: re.Pattern[str], values: Sequence[str]) -> str:
    """Return a part of a command, in quotes or without, with the shell's expressions in place of the words."""
    form = FORMS.get(part[0], '"{}"')
    return words.sub(lambda match: form.format(values[(match.lastindex or 1) - 1]), part)
