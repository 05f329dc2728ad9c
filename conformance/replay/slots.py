"""Values in requests and their names there, and whether such a name is about the value of an answer.

A request may carry a server-chosen value that looks like any other: a version `2`, a page token `abc`. Its name tells:
`page_token` asks for a `next-page-token`, `If-None-Match` for an `ETag`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, unquote, unquote_plus, urlsplit

from conformance.values.exchange import Step

WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
# What servers issue, as the last word of a name.
ISSUED = {"token", "id", "uuid", "etag", "version", "location", "task", "secret", "plan"}
TAGS = {"etag", "if-match", "if-none-match"}
BOUNDARY = r"[^\w.%~-]"  # ends a word in a URL


@dataclass(frozen=True, slots=True)
class Slot:
    """A value of a request: its kind of place, its name there, "" in a path, its text, and its text as sent.

    `before` is a pattern of the text in front of it.
    """

    kind: Literal["path", "query", "header", "body"]
    name: str
    text: str
    sent: str
    before: str

    @property
    def in_url(self) -> bool:
        """True for a value that is percent-encoded."""
        return self.kind in ("path", "query")

    @property
    def pattern(self) -> str:
        """The pattern of the value at this place of a curl command."""
        return rf"(?<={self.before}){re.escape(self.sent)}(?={BOUNDARY}|$)"


def slots(step: Step) -> Iterator[Slot]:
    """Yield the values of a request."""
    split = urlsplit(step.request.url)
    for segment in filter(None, split.path.split("/")):
        yield Slot("path", "", unquote(segment), segment, "/")
    for pair in filter(None, split.query.split("&")):
        name, _, value = pair.partition("=")
        yield Slot("query", name, unquote_plus(value), value, rf"[?&]{re.escape(name)}=")
    for name, value in step.request.headers.items():
        yield Slot("header", name, value, value, re.escape(f"{name}: "))
    for name, item, listed in _leaves((step.request.body or {}).get("json")):
        before = r"[\[,]" if listed else re.escape(f'"{name}":')
        yield Slot("body", name, str(item), str(item), before + '"' * isinstance(item, str))


def encoded(text: str) -> str:
    """Return a text as it is in URLs."""
    return quote(text, safe="")


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a field's or a header's name, the last one in the singular."""
    if name.lower() in TAGS:
        return ("etag",)
    words = [word.lower() for word in WORD.findall(name)]
    return (*words[:-1], words[-1].removesuffix("s")) if words else ()


def is_issued(name: str) -> bool:
    """True for the name of a field whose values servers issue."""
    return bool(ISSUED.intersection(words_of(name)[-1:]))


def is_about(slot: Slot, name: str, value: Any) -> bool:
    """True when a request may carry this value of an answer at a place: a number only under a fitting name."""
    if slot.kind == "path":
        return isinstance(value, str)
    asked, told = words_of(slot.name), words_of(name)
    if not asked or not told:
        return False
    if isinstance(value, str):
        return asked[-1] == told[-1]
    length = min(len(asked), len(told))
    return asked[-length:] == told[-length:]


def _leaves(value: Any, name: str = "", *, listed: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """Yield the texts and whole numbers of a JSON value: the key, the value, and true for an item of a list."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, name, listed=True)
    elif isinstance(value, str) or type(value) is int:
        yield name, value, listed
