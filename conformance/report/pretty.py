"""JSON bodies as lines, with the offending field marked."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from jsonpointer import JsonPointer, escape

from conformance.values.arrow_lines import arrow_lines
from conformance.values.exchange import Step, StepResponse
from conformance.values.verdict import Result

INDENT = "  "
MOST_STEPS = 6  # of a card
MAX_LINES = 200
MAX_SHORT = 160
LEVELS = (99, 4, 3, 2, 1)  # of JSON on a line, the first that fits
BEGINNING, BEFORE = 40, 40  # characters kept of a line cut around a mark: at its start, and before the mark
GAP = "…"
BODY, HEADER = "body:", "header:"
NOWHERE = object()
NO_HTTP = "done by the run itself, not over HTTP"
AS_JSON = json.JSONEncoder(ensure_ascii=False).encode


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a body; `marked` is true for the offending field."""

    text: str
    marked: bool = False


def body_lines(body: dict[str, Any] | None, mark: str) -> list[Line]:
    """Return a body of the results as lines, JSON indented. `mark` is the mark of its step.

    A long body is reduced to its beginning and the lines around the mark.
    """
    pointer = _pointer(mark)
    if body is None:
        return [Line("(no body)", pointer == "")]
    if "json" in body:
        return _cut(list(_json(body["json"], _there(body["json"], pointer))))
    if "text" in body:
        return _cut([Line(text, pointer == "") for text in body["text"].splitlines()])
    arrow = arrow_lines(base64.b64decode(body["base64"]))
    return _cut([Line(text, pointer == "") for text in arrow or [f"({body['size']} bytes, not text)"]])


def absence(body: dict[str, Any] | None, mark: str) -> str:
    """Return a note on a marked field that is missing in a JSON body; "" where the field exists."""
    pointer = _pointer(mark)
    if not body or "json" not in body or pointer is None or _there(body["json"], pointer) == pointer:
        return ""
    return f"({pointer} is missing)"


def short_body(body: dict[str, Any] | None, mark: str = "", most: int = MAX_SHORT) -> str:
    """Return a body of the results on one line of at most so many characters.

    JSON loses the contents of inner objects and lists first, the deepest first, so that all its fields are seen; those
    on the way to the marked field stay. What is still too long is cut around the mark, or at its end.
    """
    if not body:
        return ""
    if "json" not in body:
        raw = " ".join(body.get("text", "").split()) or f"({body.get('size')} bytes)"
        return _window(raw, 0, 0, most)
    pointer = _there(body["json"], _pointer(mark))
    parts = _fitting(body["json"], pointer, most)
    text = "".join(part for part, _ in parts)
    inside = [number for number, (_, marked) in enumerate(parts) if marked]
    if not inside or not pointer:
        return _with(absence(body, mark), _window(text, 0, 0, most))
    start = sum(len(part) for part, _ in parts[: inside[0]])
    length = sum(len(part) for part, _ in parts[inside[0] : inside[-1] + 1])
    return _with(absence(body, mark), _window(text, start, start + length, most))


def shown_steps(result: Result, most: int = MOST_STEPS) -> list[int]:
    """Return the places of the steps that a card of a finding shows, in order.

    They are those that show the finding, the last step, the last requests of its subjects before it, and the steps
    around: the request whose effect is wrong may be far from the answer that shows it.
    """
    steps = result.steps
    marked = [place for place, step in enumerate(steps) if step.mark]
    last = marked[-1] if marked else max(len(steps) - 1, 0)
    before = range(len(steps))[last::-1]
    subjects = [place for place in before if steps[place].operation in result.operations]
    latest = {steps[place].operation: place for place in reversed(subjects)}
    ends = [*marked[-1:], *range(len(steps))[-1:]]
    order = [*ends, *reversed(marked), *latest.values(), *before, *range(len(steps))[last:]]
    return sorted([*dict.fromkeys(order)][:most])


def left_out(places: Sequence[int], count: int) -> Iterator[tuple[int, int | None]]:
    """Yield for each shown step the number of steps left out before it, and its place; at the end those after it."""
    for before, place in zip([-1, *places], [*places, None], strict=True):
        missing = (count if place is None else place) - before - 1
        if missing or place is not None:
            yield missing, place


def more_steps(count: int) -> str:
    """Return the number of steps left out in a card."""
    return f"{GAP} {count} more step{'s' * (count > 1)}"


def step_lines(step: Step) -> tuple[str, str]:
    """Return the request and the answer of a step, on one line each; or an action beside HTTP."""
    request, response = step.request, step.response
    if step.beside:
        return f"{step.beside.verb} {step.beside.thing}: {request.url} {short_body(request.body)}".rstrip(), NO_HTTP
    split = urlsplit(request.url)
    query = f"?{split.query}" if split.query else ""
    sent = f"{request.method} {split.path}{query} {short_body(request.body)}"
    return sent.rstrip(), answer_line(response, step.mark)


def answer_line(response: StepResponse, mark: str = "") -> str:
    """Return an answer on one line, with the marked field in it."""
    header = mark.removeprefix(HEADER) if mark.startswith(HEADER) else ""
    shown = f"{header}: {response.headers.get(header, '(absent)')}" if header else ""
    return " ".join(filter(None, [str(response.status or response.failure), shown, short_body(response.body, mark)]))


def _pointer(mark: str) -> str | None:
    return mark.removeprefix(BODY) if mark.startswith(BODY) else None


def _there(value: Any, pointer: str | None) -> str | None:
    """Return the longest part of a pointer that exists in the value."""
    while pointer and JsonPointer(pointer).resolve(value, NOWHERE) is NOWHERE:
        pointer = pointer.rpartition("/")[0]
    return pointer


def _with(note: str, text: str) -> str:
    return f"{note} {text}" if note else text


def _window(text: str, start: int, end: int, most: int) -> str:
    """Return a text cut at so many characters: its beginning, and the part around `start` to `end`."""
    if len(text) <= most:
        return text
    if end < most or start <= BEGINNING + BEFORE:
        return text[: most - 1] + GAP
    first = max(BEGINNING, min(start - BEFORE, len(text) - (most - BEGINNING - 1)))
    rest = text[first:]
    room = most - BEGINNING - 1
    return text[:BEGINNING] + GAP + (rest if len(rest) <= room else rest[: room - 1] + GAP)


def _cut(lines: list[Line]) -> list[Line]:
    """Return at most MAX_LINES lines, with those around the first marked one."""
    if len(lines) <= MAX_LINES:
        return lines
    at = next((number for number, line in enumerate(lines) if line.marked), 0)
    first = 0 if at < MAX_LINES else min(at - MAX_LINES // 4, len(lines) - MAX_LINES // 2)
    if not first:
        return [*lines[:MAX_LINES], Line(f"({len(lines) - MAX_LINES} more lines)")]
    head, last = MAX_LINES // 2, first + MAX_LINES // 2
    more = [Line(f"({len(lines) - last} more lines)")] if last < len(lines) else []
    return [*lines[:head], Line(f"({first - head} more lines)"), *lines[first:last], *more]


def _json(
    value: Any, pointer: str | None, here: str = "", depth: int = 0, label: str = "", end: str = ""
) -> Iterator[Line]:
    """Yield JSON as lines; the value at the pointer is marked."""
    marked = here == pointer
    start = INDENT * depth + label
    if not (isinstance(value, dict | list) and value):
        yield Line(start + AS_JSON(value) + end, marked)
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield Line(start + opening, marked)
    items = list(_items(value))
    for number, (name, key, item) in enumerate(items, 1):
        label = f"{key}: " if key else ""
        yield from _json(item, pointer, f"{here}/{name}", depth + 1, label, "," if number < len(items) else "")
    yield Line(INDENT * depth + closing + end, marked)


def _fitting(value: Any, pointer: str | None, most: int) -> list[tuple[str, bool]]:
    """Return the parts of `_compact` with as many levels as fit on a line of so many characters."""
    parts: list[tuple[str, bool]] = []
    for levels in LEVELS:
        parts = list(_compact(value, pointer, levels=levels))
        if sum(len(part) for part, _ in parts) <= most:
            break
    return parts


def _compact(
    value: Any, pointer: str | None, here: str = "", marked: bool = False, levels: int = LEVELS[0]
) -> Iterator[tuple[str, bool]]:
    """Yield JSON as the parts of one line, each with true if it is at the pointer or below; keys are with values.

    Below so many `levels`, counted from the root, only the way to the pointer and its value show their contents.
    """
    marked = marked or here == pointer
    if not isinstance(value, dict | list):
        yield AS_JSON(value), marked
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    if value and not levels and not marked and not (pointer or "").startswith(f"{here}/"):
        yield f"{opening}{GAP}{closing}", marked
        return
    yield opening, marked
    for number, (name, key, item) in enumerate(_items(value)):
        place = f"{here}/{name}"
        yield ("," if number else ""), marked
        yield (f"{key}:" if key else ""), marked or place == pointer
        yield from _compact(item, pointer, place, marked, max(levels - 1, 0))
    yield closing, marked


def _items(value: dict[str, Any] | list[Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield the items of an object or an array: the step of a pointer, the key as JSON or "", and the value."""
    if isinstance(value, dict):
        yield from ((escape(key), AS_JSON(key), item) for key, item in value.items())
    else:
        yield from ((str(index), "", item) for index, item in enumerate(value))
