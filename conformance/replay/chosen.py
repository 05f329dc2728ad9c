"""Server-chosen values of answers as variables of a shell script: each execution gets other values.

A script stores the answer with a value, and extracts the value: a header, or the value of a JSON key. A key that occurs
several times is counted in the order of the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from conformance.replay.answers import LOCATION, VOLATILE
from conformance.replay.renaming import is_made_up
from conformance.target.hostile import CANARY, LAKE
from conformance.values.exchange import Step
from conformance.values.redaction import REDACTED

KEY = re.compile(r"[\w.-]+")
PLACE = "\0"
BELOW = re.compile(rf'{PLACE}(?:{PLACE}|/+[^/"])')
FILE = re.compile(rf'{CANARY}\w+/{LAKE}/[^"]*\.\w+"')
NO_NAME = re.compile(r"\W")
# Functions `field KEY NUMBER`, the value of a key's first, second ... occurrence in the last answer, and `header NAME`.
# They have no comments: zsh, into which readers paste them, takes those for commands.
KEEP = "ANSWER=$(%s); printf '%%s\\n' \"$ANSWER\""
HIDE = r""" | sed -E 's/("(%s)" *: *)"[^"]*"/\1"%s"/'"""
FUNCTIONS = r"""
field() {
  printf '%s' "$ANSWER" | grep -oE "\"$1\" *: *(\"[^\"]*\"|[0-9]+)" | sed -n "$2p" | sed 's/^[^:]*: *//; s/"//g'
}
header() {
  printf '%s' "$ANSWER" | tr -d '\r' | grep -i "^$1:" | sed -n '1p' | sed 's/^[^:]*: *//'
}
""".strip()


@dataclass(frozen=True)
class Chosen:
    """A server-generated value: its text in later commands, the number of its step, and its extraction.

    The text is the value itself; for a secret it is the variable that replaces it in files.
    """

    value: str
    step: int
    variable: str
    command: str

    @property
    def line(self) -> str:
        """The line of a script that sets the variable, after the step."""
        return f"{self.variable}=$({self.command})"

    @property
    def secret(self) -> str:
        """The key of a secret in the answer, "" for a value that may be shown."""
        return self.command.split()[1] if self.value == self.variable else ""


def kept(command: str, taken: Sequence[Chosen]) -> list[str]:
    """Return the lines that send a request and extract values from its answer, which is printed without its secrets."""
    secrets = "|".join(value.secret for value in taken if value.secret)
    return [KEEP % command + (HIDE % (secrets, REDACTED) if secrets else ""), *(value.line for value in taken)]


def chosen(steps: Sequence[Step]) -> list[Chosen]:
    """Return the server-generated values and secrets of answers that later steps use."""
    sent = [_sent(step) for step in steps]
    seen: dict[str, Chosen] = {}
    for number, step in enumerate(steps, 1):
        before, later = "".join(sent[:number]), "".join(sent[number:])
        for value, name, command in _values(step):
            if value not in seen and value in later and value not in before:
                seen[value] = Chosen(value, number, variable_of(name, len(seen) + 1), command)
    return [*seen.values(), *_secrets(steps)]


def _secrets(steps: Sequence[Step]) -> Iterator[Chosen]:
    """Yield the secrets of answers that later requests carry."""
    for number, step in enumerate(steps, 1):
        for variable, place in step.issued.items():
            if any(step.bears([variable]) for step in steps):
                yield Chosen(variable, number, variable, f"field {place}")


def variable_of(name: str, number: int) -> str:
    """Return the variable of a script for the value of this key or header."""
    return f"{NO_NAME.sub('_', name).upper()}_{number}"


def rests_on(steps: Sequence[Step], preparation: Sequence[Step], prefix: str) -> list[Step]:
    """Return the preparation steps of a run that created the objects named in these steps.

    All of them are needed if the steps carry a secret from the preparation: the caller's grants are part of it.
    """
    variables = {variable for step in preparation for variable in step.issued}
    if any(step.bears(variables) for step in steps):
        return list(preparation)
    named = [set(own_names(step, prefix)) for step in preparation]
    wanted = {name for step in steps for name in own_names(step, prefix)}
    needed = []
    for number in reversed(range(len(preparation))):
        if wanted & named[number].difference(*named[:number]):
            needed.append(preparation[number])
            wanted |= named[number]
    return needed[::-1]


def own_names(step: Step, prefix: str) -> list[str]:
    """Return the names of a run in a request, in order."""
    return re.findall(rf"{re.escape(prefix)}\w+", _sent(step))


def names_files(steps: Sequence[Step]) -> bool:
    """True when a step names a file of the run.

    The file is below a location that the server chose, and no answer named it, or it is in the folder that the run gave
    to the server. A file that a step wrote does not count.
    """
    text = "".join(_sent(step) for step in steps if not step.beside)
    for step in steps:
        if step.beside and step.beside.verb == "wrote":  # it is known, with its content
            text = text.replace(f'"{step.request.url}"', "")
    for value in sorted((value.value for value in chosen(steps)), key=len, reverse=True):
        text = text.replace(value.rstrip("/"), PLACE) if LOCATION.match(value) else text.replace(value, "")
    return bool(BELOW.search(text) or FILE.search(text))


def _sent(step: Step) -> str:
    request = step.request
    return f"{request.url} {request.headers} {orjson.dumps(request.body).decode()}"


def _values(step: Step) -> Iterator[tuple[str, str, str]]:
    """Yield the server-generated values of an answer: value, name, and extraction command."""
    for key, place, value in places((step.response.body or {}).get("json")):
        if _differs(value):
            yield str(value), key, f"field {place}"
    for name, value in step.response.headers.items():
        if KEY.fullmatch(name) and _differs(value):
            yield value, name, f"header {name}"


def _differs(value: Any) -> bool:
    text = str(value)
    return is_made_up(value) and "\n" not in text and bool(VOLATILE.search(text) or LOCATION.match(text))


def places(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the values that `field` can extract from an answer: key, key with its number, and value."""
    numbers: Counter[str] = Counter()
    for key, item in _leaves(value):
        numbers[key] += 1
        if KEY.fullmatch(key):
            yield key, f"{key} {numbers[key]}", item


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the pairs that `field` counts: keys with a text or a non-negative number, in order."""
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict | list):
                yield from _leaves(item)
            elif isinstance(item, str) or (type(item) in (int, float) and item >= 0):
                yield key, item
