"""Words of a rule: split as a shell does, except that a value which is JSON keeps its quotes.

body.options={"k":"x"} 404 message='not here'    ->  body.options={"k":"x"} | 404 | message=not here
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Collection, Iterator

SHELL_WORD = re.compile(r"""(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+(?=\s|$)""", re.DOTALL)
NAME = re.compile(r"[^\s='\"]+=")
TYPED = "body."
"""Beginning of names whose values are JSON: there a text in quotes is JSON, too."""
JSON_TEXT = json.JSONDecoder()
Span = tuple[int, int]


def split_rule(text: str, operations: Collection[str]) -> tuple[str, str] | None:
    """Return the texts before and after the colon of a rule, None for a text without one.

    The colon ends a word; in a text that begins with one of the `operations` it may also be inside. Raises ValueError
    for an open quotation.
    """
    for _, end in _spans(text):
        if text[end - 1] == ":":
            return text[: end - 1], text[end:]
    head, colon, rest = text.partition(":")
    return (head, rest) if colon and head.partition(" ")[0] in operations else None


def split_words(text: str) -> list[str]:
    """Return the words of a text. Raises ValueError for an open quotation."""
    found = [text[start:end] for start, end in _spans(text)]
    return [word if _json_end(word, 0) else "".join(shlex.split(word)) for word in found]


def _spans(text: str) -> Iterator[Span]:
    """Yield begin and end of each word. Raises ValueError for an open quotation."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        end = _json_end(text, at)
        if not end:
            word = SHELL_WORD.match(text, at)
            if word is None:
                raise ValueError("no closing quotation")
            end = word.end()
        yield at, end
        at = end


def _json_end(text: str, start: int) -> int:
    """Return the end of a word `NAME=JSON`, and of the colon behind it; 0 for another word."""
    name = NAME.match(text, start)
    if name is None:
        return 0
    opening = ("{", "[", '"') if name[0].startswith(TYPED) else ("{", "[")
    if not text.startswith(opening, name.end()):
        return 0
    try:
        _, end = JSON_TEXT.raw_decode(text, name.end())
    except ValueError:
        return 0
    end += text[end : end + 1] == ":"
    return end if not text[end:] or text[end].isspace() else 0
