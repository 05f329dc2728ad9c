"""Server-chosen values of answers as variables of a shell script: each execution gets other values.

A script stores the answer with a value, and extracts the value: a header, the value of a JSON key, or an item of the
list under a key. A key that occurs several times is counted in the order of the answer.

Ids, times and locations are known by their form, and replaced wherever they occur. Other values are known by their
names, and replaced where a request carries them under a fitting one (conformance/replay/slots.py).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from conformance.replay.answers import LOCATION, VOLATILE
from conformance.replay.renaming import SHORTEST, is_made_up
from conformance.replay.slots import Slot, encoded, is_about, is_issued, slots
from conformance.target.hostile import CANARY, LAKE
from conformance.values.exchange import Step
from conformance.values.redaction import REDACTED

KEY = re.compile(r"[\w.-]+")
PLACE = "\0"
BELOW = re.compile(rf'{PLACE}(?:{PLACE}|/+[^/"])')
FILE = re.compile(rf'{CANARY}\w+/{LAKE}/[^"]*\.\w+"')
NO_NAME = re.compile(r"\W")
# Functions `field KEY NUMBER`, the value of a key's first, second ... occurrence in the last answer; `item KEY NUMBER`,
# an item of the list under a key; `header NAME`; and `encoded TEXT`, for URLs.
# They have no comments: zsh, into which readers paste them, takes those for commands.
KEEP = "ANSWER=$(%s); printf '%%s\\n' \"$ANSWER\""
HIDE = r""" | sed -E 's/("(%s)" *: *)"[^"]*"/\1"%s"/'"""
PLAIN = r"s|\\/|/|g; s/\\u003d/=/g; s/\\u0026/\&/g"
FUNCTIONS = {
    "field": rf"""
field() {{
  printf '%s' "$ANSWER" | grep -oE "\"$1\" *: *(\"[^\"]*\"|[0-9]+)" | sed -n "$2p" |
    sed 's/^[^:]*: *//; s/"//g; {PLAIN}'
}}
""".strip(),
    "item": rf"""
item() {{
  printf '%s' "$ANSWER" | tr -d '\r\n' | grep -oE "\"$1\" *: *\[[^]]*\]" | sed 's/^[^[]*//' |
    grep -oE '"[^"]*"|[0-9]+' | sed -n "$2p" | sed 's/"//g; {PLAIN}'
}}
""".strip(),
    "header": r"""
header() {
  printf '%s' "$ANSWER" | tr -d '\r' | grep -i "^$1:" | sed -n '1p' | sed 's/^[^:]*: *//'
}
""".strip(),
    "encoded": r"""
encoded() {
  printf '%s' "$1" | od -An -v -tx1 | tr -d ' \n' | sed 's/../%&/g'
}
""".strip(),
}


@dataclass(frozen=True)
class Chosen:
    """A server-generated value: its text in later commands, the number of its step, and its extraction.

    The text is the value itself; for a secret it is the variable that replaces it in files. `slots` are the places of
    later requests that carry it, by the number of the step; `everywhere` is true for a text that is replaced wherever
    it occurs.
    """

    value: str
    step: int
    variable: str
    command: str
    slots: Mapping[int, Sequence[Slot]] = field(default_factory=dict)
    everywhere: bool = True

    @property
    def line(self) -> str:
        """The line of a script that sets the variable, after the step."""
        return f"{self.variable}=$({self.command})"

    @property
    def secret(self) -> str:
        """The key of a secret in the answer, "" for a value that may be shown."""
        return self.command.split()[1] if self.value == self.variable else ""

    def replacements(self, step: int) -> Iterator[tuple[str, str]]:
        """Yield patterns of the value at its places in a later step, each with the shell's expression for it."""
        for slot in self.slots.get(step, ()):
            yield slot.pattern, f'$(encoded "${self.variable}")' if slot.in_url else f"${{{self.variable}}}"


@dataclass(frozen=True, slots=True)
class Spot:
    """A value of an answer: its key or header, the command that extracts it, and the number of its step."""

    name: str
    value: Any
    command: str
    step: int


def functions(scripts: Iterable[str]) -> list[str]:
    """Return the functions that the lines of a script call."""
    text = "\n".join(scripts)
    return [body for name, body in FUNCTIONS.items() if f"$({name} " in text]


def kept(command: str, taken: Sequence[Chosen]) -> list[str]:
    """Return the lines that send a request and extract values from its answer, which is printed without its secrets."""
    secrets = "|".join(value.secret for value in taken if value.secret)
    return [KEEP % command + (HIDE % (secrets, REDACTED) if secrets else ""), *(value.line for value in taken)]


def chosen(steps: Sequence[Step]) -> list[Chosen]:
    """Return the server-generated values and secrets of answers that later steps use, in the order of the answers."""
    sent = [_sent(step) for step in steps]
    carried = [list(slots(step)) for step in steps]
    found: dict[Spot, dict[int, list[Slot]]] = {}
    for number, spot in _by_form(steps, sent):
        found[spot] = {later: _encoded(carried[later - 1], spot) for later in range(number + 1, len(steps) + 1)}
    known = {str(spot.value) for spot in found}
    for spot, later, slot in _by_name(steps, carried):
        if slot.text not in known:
            found.setdefault(spot, {}).setdefault(later, []).append(slot)
    values = [
        Chosen(
            str(spot.value),
            spot.step,
            variable_of(spot.name, number),
            spot.command,
            places,
            str(spot.value) in known or _is_text(spot.value),
        )
        for number, (spot, places) in enumerate(sorted(found.items(), key=lambda pair: pair[0].step), 1)
    ]
    return [*values, *_secrets(steps)]


def _by_form(steps: Sequence[Step], sent: Sequence[str]) -> Iterator[tuple[int, Spot]]:
    """Yield the ids, times and locations of answers that later steps use and that no step sent before."""
    seen = set()
    for number, step in enumerate(steps, 1):
        before, later = "".join(sent[:number]), "".join(sent[number:])
        for spot in _spots(step, number):
            text = str(spot.value)
            if text in seen or not _differs(spot.value) or text in before:
                continue
            if text in later or encoded(text) in later:
                seen.add(text)
                yield number, spot


def _by_name(steps: Sequence[Step], carried: Sequence[Sequence[Slot]]) -> Iterator[tuple[Spot, int, Slot]]:
    """Yield the values of answers that later requests carry under a fitting name: value, request and place."""
    spots: dict[str, list[Spot]] = {}
    sent: dict[str, list[Slot]] = {}
    for number, step in enumerate(steps, 1):
        for slot in carried[number - 1]:
            fitting = [spot for spot in spots.get(slot.text, ()) if is_about(slot, spot.name, spot.value)]
            if fitting:
                yield max(fitting, key=lambda spot: (spot.name == slot.name, -spot.step)), number, slot
            else:
                sent.setdefault(slot.text, []).append(slot)
        for spot in _spots(step, number):
            before = sent.get(str(spot.value), ())
            own = before and (isinstance(spot.value, str) or any(is_about(slot, spot.name, 0) for slot in before))
            if is_issued(spot.name) and not own:
                spots.setdefault(str(spot.value), []).append(spot)


def _encoded(carried: Iterable[Slot], spot: Spot) -> list[Slot]:
    """Return the places that carry a value percent-encoded."""
    return [slot for slot in carried if slot.in_url and slot.text == spot.value and slot.sent != slot.text]


def _is_text(value: Any) -> bool:
    """True for a text that is long enough to be no other one."""
    return isinstance(value, str) and len(value) >= SHORTEST


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
    values = [value.value for value in chosen(steps) if value.everywhere]
    for value in sorted(values, key=len, reverse=True):
        text = text.replace(value.rstrip("/"), PLACE) if LOCATION.match(value) else text.replace(value, "")
    return bool(BELOW.search(text) or FILE.search(text))


def _sent(step: Step) -> str:
    request = step.request
    return f"{request.url} {request.headers} {orjson.dumps(request.body).decode()}"


def _spots(step: Step, number: int) -> Iterator[Spot]:
    """Yield the values of an answer that a script can extract."""
    body = (step.response.body or {}).get("json")
    for key, place, value in places(body):
        if _fits(value) and '"' not in str(value):
            yield Spot(key, value, f"field {place}", number)
    for key, place, value in _items(body):
        if _fits(value) and '"' not in str(value):
            yield Spot(key, value, f"item {place}", number)
    for name, value in step.response.headers.items():
        if KEY.fullmatch(name) and _fits(value):
            yield Spot(name, value, f"header {name}", number)


def _fits(value: Any) -> bool:
    """True for a value that a script can extract, and put into a later command."""
    text = str(value)
    return type(value) in (str, int) and text.isprintable() and text != "" and REDACTED not in text and "\\" not in text


def _differs(value: Any) -> bool:
    text = str(value)
    return is_made_up(value) and bool(VOLATILE.search(text) or LOCATION.match(text))


def places(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the values that `field` can extract from an answer: key, key with its number, and value."""
    numbers: Counter[str] = Counter()
    for key, item in _leaves(value):
        numbers[key] += 1
        if KEY.fullmatch(key):
            yield key, f"{key} {numbers[key]}", item


def _items(value: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the values that `item` can extract from an answer, in the form of `places`: of lists of values alone."""
    lists: dict[str, list[list[Any]]] = {}
    _collect(value, lists)
    for key, (first, *more) in lists.items():
        if KEY.fullmatch(key) and not more and not any(isinstance(item, dict | list) for item in first):
            yield from ((key, f"{key} {number}", item) for number, item in enumerate(first, 1))


def _collect(value: Any, lists: dict[str, list[list[Any]]], name: str = "") -> None:
    """Collect the lists of a JSON value by their keys."""
    if isinstance(value, dict):
        for key, item in value.items():
            _collect(item, lists, key)
    elif isinstance(value, list):
        lists.setdefault(name, []).append(value)
        for item in value:
            _collect(item, lists, name)


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
