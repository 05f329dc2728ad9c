"""What a server chose in its answers, as variables of a shell script: each time it chooses something else.

A script keeps the answer that a value is from, and takes the value out of it: a header, or what JSON has for a key.
Where the key is there several times, they are counted in the order of the answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from conformance.comparing.answers import LOCATION, VOLATILE
from conformance.findings.renaming import is_made_up
from conformance.http.exchange import Step

KEY = re.compile(r"[\w.-]+")
PLACE = "\0"
NO_NAME = re.compile(r"\W")
KEEP = "ANSWER=$(%s); printf '%%s\\n' \"$ANSWER\""
FUNCTIONS = r"""
field() { # KEY NUMBER: what the last answer has for this key, the first, second ... time
  printf '%s' "$ANSWER" | grep -oE "\"$1\" *: *(\"[^\"]*\"|[0-9]+)" | sed -n "$2p" | sed 's/^[^:]*: *//; s/"//g'
}
header() { # NAME: a header of the last answer
  printf '%s' "$ANSWER" | tr -d '\r' | grep -i "^$1:" | sed -n '1p' | sed 's/^[^:]*: *//'
}
""".strip()


@dataclass(frozen=True)
class Chosen:
    """A value that the server chose, the answer that has it, from 1, and how a script takes it from there."""

    value: str
    step: int
    variable: str
    command: str

    @property
    def line(self) -> str:
        """The line of a script that sets the variable, after the step."""
        return f"{self.variable}=$({self.command})"


def chosen(steps: Sequence[Step]) -> list[Chosen]:
    """Return what later steps name of what the server chose in answers to earlier ones."""
    sent = [_sent(step) for step in steps]
    seen: dict[str, Chosen] = {}
    for number, step in enumerate(steps, 1):
        before, later = "".join(sent[:number]), "".join(sent[number:])
        for value, name, command in _values(step):
            if value not in seen and value in later and value not in before:
                variable = f"{NO_NAME.sub('_', name).upper()}_{len(seen) + 1}"
                seen[value] = Chosen(value, number, variable, command)
    return list(seen.values())


def names_files(steps: Sequence[Step]) -> bool:
    """True when a step names something below a place that the server chose, and no answer did: a file of the run."""
    text = "".join(map(_sent, steps))
    for value in sorted((value.value for value in chosen(steps)), key=len, reverse=True):
        text = text.replace(value, PLACE if LOCATION.match(value) else "")
    return f"{PLACE}/" in text or f"{PLACE}{PLACE}" in text


def _sent(step: Step) -> str:
    request = step.request
    return f"{request.url} {request.headers} {orjson.dumps(request.body).decode()}"


def _values(step: Step) -> Iterator[tuple[str, str, str]]:
    """Yield what an answer has that no other server would choose: the value, its name, and how to take it."""
    numbers: Counter[str] = Counter()
    for key, value in _leaves((step.response.body or {}).get("json")):
        numbers[key] += 1
        if KEY.fullmatch(key) and _differs(value):
            yield str(value), key, f"field {key} {numbers[key]}"
    for name, value in step.response.headers.items():
        if KEY.fullmatch(name) and _differs(value):
            yield value, name, f"header {name}"


def _differs(value: Any) -> bool:
    text = str(value)
    return is_made_up(value) and "\n" not in text and bool(VOLATILE.search(text) or LOCATION.match(text))


def _leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what `field` counts: keys with a text or a number that is not negative, in their order."""
    if isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            if isinstance(item, dict | list):
                yield from _leaves(item)
            elif isinstance(item, str) or (type(item) in (int, float) and item >= 0):
                yield key, item
