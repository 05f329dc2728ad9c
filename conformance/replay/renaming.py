"""Requests of one run under the names of another: what a server chose in an answer is learned from the new answer."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import orjson

from conformance.values.exchange import Exchange
from conformance.values.redaction import REDACTED

SHORTEST = 6  # what is shorter is a word, and no id that a server chose
SMALLEST = 10**6  # and a smaller number is a count


@dataclass
class Renaming:
    """Texts of the recorded run, and what they are called now."""

    names: dict[str, str]

    def text(self, text: str) -> str:
        """Return a text with the names of now, also where they are percent-encoded."""
        renames = {old: new for old, new in self.names.items() if old in text}
        if "%" in text:
            renames |= {quote(old, safe=""): quote(new, safe="") for old, new in self.names.items()}
        words = sorted(filter(text.__contains__, renames), key=len, reverse=True)
        if not words:
            return text
        pattern = re.compile("|".join(bounded(word) for word in words))
        return pattern.sub(lambda match: renames[match[0]], text)

    def value(self, value: Any) -> Any:
        """Return a JSON value with the names of now."""
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool) and str(value) in self.names:
            return int(self.names[str(value)])
        return value

    def body(self, body: Mapping[str, Any] | None) -> bytes:
        """Return the bytes of a recorded body; what is neither JSON nor text is sent as it was."""
        if not body:
            return b""
        if "json" in body:
            return orjson.dumps(self.value(body["json"]))
        return self.text(body["text"]).encode() if "text" in body else base64.b64decode(body["base64"])

    def learn(self, body: Any, headers: Mapping[str, str], exchange: Exchange) -> None:
        """Note what an answer calls what the server chose in an earlier one, of this JSON body and these headers."""
        pairs = [*_pairs(body, exchange.json())]
        now = {name.lower(): value for name, value in exchange.response_headers.items()}
        pairs += [(old, now.get(name.lower())) for name, old in headers.items()]
        for old, new in pairs:
            if is_made_up(old) and isinstance(new, type(old)) and self.value(old) != new and not self._is_named(old):
                self.names[str(old)] = str(new)

    def _is_named(self, value: Any) -> bool:
        """True for a name that the run gave: what is listed in another order is no other name."""
        return isinstance(value, str) and value.startswith(tuple(self.names))


def bounded(word: str) -> str:
    """Return the expression for a name; a number is no part of a longer one, nor is a name that ends with one."""
    if word.isdecimal():
        return rf"(?<!\d){word}(?!\d)"
    return re.escape(word) + (r"(?!\d)" if word[-1:].isdecimal() else "")


def is_made_up(value: Any) -> bool:
    """True for what may be an id, a place or a time that a server chose."""
    if isinstance(value, str):
        return len(value) >= SHORTEST and " " not in value and REDACTED not in value and any(map(str.isdigit, value))
    return isinstance(value, int) and value >= SMALLEST


def _pairs(old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what stands at the same places of two JSON values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old.keys() & new.keys():
            yield from _pairs(old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        for item, other in zip(old, new, strict=False):
            yield from _pairs(item, other)
    else:
        yield old, new
