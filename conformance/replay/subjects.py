"""The objects that a request is about: the names in its address and its body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

# Names of a run have a number, and words of an API have none; v1 is a part of addresses.
NAME = re.compile(r"(?=.*\d).{4,}", re.DOTALL)
LEVELS = re.compile("[\x1f$]")  # separates the levels of an id in an address


def in_address(url: str) -> list[str]:
    """Return the names in the path of an address, the outermost first."""
    parts = (unquote(part) for part in urlsplit(url).path.split("/"))
    return [level for part in parts for level in LEVELS.split(part) if NAME.fullmatch(level)]


def in_body(body: Any) -> set[str]:
    """Return the names in a JSON body."""
    return {text for text in texts(body) if NAME.fullmatch(text)}


def texts(value: Any) -> Iterator[str]:
    """Yield the texts in a JSON value."""
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from texts(item)
    elif isinstance(value, str):
        yield value
