"""Requests of one run under the names of another: the new values of ids that a server chose come from new answers."""

from __future__ import annotations

import base64
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import orjson

from conformance.values.exchange import Exchange
from conformance.values.redaction import REDACTED

SHORTEST = 6  # shorter texts are words, not ids
SMALLEST = 10**6  # smaller numbers are counts, not ids


@dataclass
class Renaming:
    """Names and values of the recorded run, with their current replacements.

    `issued` are server-chosen values that later requests carry, whatever their form.
    """

    names: dict[str, str]
    issued: Collection[str] = ()
    _own: tuple[str, ...] = field(init=False)  # the names that the recorded run chose

    def __post_init__(self) -> None:
        """Remember the names so far: later ones are values that servers chose."""
        self._own = tuple(self.names)

    def text(self, text: str) -> str:
        """Return a text with the current names, including percent-encoded ones."""
        renames = {old: new for old, new in self.names.items() if old in text}
        if "%" in text:
            renames |= {quote(old, safe=""): quote(new, safe="") for old, new in self.names.items()}
        words = sorted(filter(text.__contains__, renames), key=len, reverse=True)
        if not words:
            return text
        pattern = re.compile("|".join(bounded(word) for word in words))
        return pattern.sub(lambda match: renames[match[0]], text)

    def value(self, value: Any) -> Any:
        """Return a JSON value with the current names."""
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool):
            now = self.names.get(str(value), "")  # a text of digits may have become any other text
            return int(now) if now.isdecimal() else value
        return value

    def body(self, body: Mapping[str, Any] | None) -> bytes:
        """Return the bytes of a recorded body; binary content is unchanged."""
        if not body:
            return b""
        if "json" in body:
            return orjson.dumps(self.value(body["json"]))
        return self.text(body["text"]).encode() if "text" in body else base64.b64decode(body["base64"])

    def learn(self, body: Any, headers: Mapping[str, str], exchange: Exchange) -> None:
        """Store the replacements of server-chosen values in an earlier answer with this JSON body and these headers."""
        pairs = [*_pairs(body, exchange.json())]
        now = {name.lower(): value for name, value in exchange.response_headers.items()}
        pairs += [(old, now.get(name.lower())) for name, old in headers.items()]
        for old, new in pairs:
            chosen = is_made_up(old) or str(old) in self.issued
            if chosen and type(new) is type(old) and self.value(old) != new and not self._is_named(old):
                self.names[str(old)] = str(new)

    def _is_named(self, value: Any) -> bool:
        """True for a name that the run chose: it is never learned, since lists may change their order."""
        return isinstance(value, str) and value.startswith(self._own)


def bounded(word: str) -> str:
    """Return the pattern of a name; digits around a number, or after a trailing digit, make it another name."""
    if word.isdecimal():
        return rf"(?<!\d){word}(?!\d)"
    return re.escape(word) + (r"(?!\d)" if word[-1:].isdecimal() else "")


def is_made_up(value: Any) -> bool:
    """True for a value that may be a server-chosen id, location or time."""
    if isinstance(value, str):
        return len(value) >= SHORTEST and " " not in value and REDACTED not in value and any(map(str.isdigit, value))
    return isinstance(value, int) and value >= SMALLEST


def _pairs(old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the values at the same places of two JSON values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old.keys() & new.keys():
            yield from _pairs(old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        for item, other in zip(old, new, strict=False):
            yield from _pairs(item, other)
    else:
        yield old, new
