"""JSON bodies as lines, with the offending field marked."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import orjson
from jsonpointer import escape

from conformance.http.arrow_lines import arrow_lines
from conformance.http.exchange import Step, StepResponse

INDENT = "  "
MAX_LINES = 200
MAX_SHORT = 160


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a body; `marked` is True where the offending field stands."""

    text: str
    marked: bool = False


def body_lines(body: dict[str, Any] | None, mark: str) -> list[Line]:
    """Return a body of the results as lines. `mark` is the mark of its step."""
    pointer = mark.removeprefix("body:") if mark.startswith("body:") else None
    if body is None:
        return [Line("(no body)", pointer == "")]
    if "json" in body:
        lines = list(_json(body["json"], "", pointer, 0, ""))
        if pointer and not any(line.marked for line in lines):
            lines.append(Line(f"(there is no {pointer})", marked=True))
    elif "text" in body:
        lines = [Line(text, pointer == "") for text in body["text"].splitlines()]
    else:
        arrow = arrow_lines(base64.b64decode(body["base64"]))
        lines = [Line(text, pointer == "") for text in arrow or [f"({body['size']} bytes, not text)"]]
    rest = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], Line(f"({rest} more lines)")] if rest > 0 else lines


def short_body(body: dict[str, Any] | None) -> str:
    """Return a body of the results on one line, cut at MAX_SHORT characters."""
    if not body:
        return ""
    raw = " ".join(body.get("text", "").split()) or f"({body.get('size')} bytes)"
    text = orjson.dumps(body["json"]).decode() if "json" in body else raw
    return text if len(text) <= MAX_SHORT else text[: MAX_SHORT - 1] + "…"


def step_lines(step: Step) -> tuple[str, str]:
    """Return what was sent and what came, on a line each."""
    request, response = step.request, step.response
    split = urlsplit(request.url)
    query = f"?{split.query}" if split.query else ""
    sent = f"{request.method} {split.path}{query} {short_body(request.body)}"
    return sent.rstrip(), answer_line(response)


def answer_line(response: StepResponse) -> str:
    """Return an answer on one line."""
    return f"{response.status or response.failure} {short_body(response.body)}".rstrip()


def _json(value: Any, here: str, pointer: str | None, depth: int, label: str) -> Iterator[Line]:
    marked = here == pointer
    start = INDENT * depth + label
    if isinstance(value, dict) and value:
        yield Line(start + "{", marked)
        for key, item in value.items():
            below = f"{here}/{escape(key)}"
            yield from _json(item, below, pointer, depth + 1, f"{json.dumps(key, ensure_ascii=False)}: ")
        yield Line(INDENT * depth + "}", marked)
    elif isinstance(value, list) and value:
        yield Line(start + "[", marked)
        for index, item in enumerate(value):
            yield from _json(item, f"{here}/{index}", pointer, depth + 1, "")
        yield Line(INDENT * depth + "]", marked)
    else:
        yield Line(start + json.dumps(value, ensure_ascii=False), marked)
