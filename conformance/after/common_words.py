"""Words that texts share, in their order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import SequenceMatcher

from conformance.values.patterns import GAP

WORDS = re.compile(r"\([^()]*\)\S*|\S+")  # a text in parentheses counts as one word


def common_text(texts: Iterable[str]) -> str:
    """Return the words that texts share, in their order, with a gap for those that differ; no full stop."""
    shared: list[str] | None = None
    for text in dict.fromkeys(texts):
        words = _words(text)
        shared = words if shared is None else _common(shared, words)
    return " ".join(shared or ())


def has_words(text: str, shared: str) -> bool:
    """True when a text has these words in their order, gaps left out."""
    words = iter(_words(text))
    return all(word in words for word in _words(shared) if word != GAP)


def count_words(text: str) -> int:
    """Return the number of words that have letters."""
    return sum(any(map(str.isalpha, word)) for word in text.split())


def shortened(text: str, most: int) -> str:
    """Return the first line of a text, cut behind a word if it is longer."""
    line = text.partition("\n")[0].rstrip(".")
    return line if len(line) <= most else f"{line[:most].rpartition(' ')[0]} {GAP}"


def _words(text: str) -> list[str]:
    return WORDS.findall(text.rstrip("."))


def _common(words: list[str], other: list[str]) -> list[str]:
    shared: list[str] = []
    for kind, start, end, _, _ in SequenceMatcher(a=words, b=other, autojunk=False).get_opcodes():
        if kind == "equal":
            shared += words[start:end]
        elif shared[-1:] != [GAP]:
            shared.append(GAP)
    return shared
