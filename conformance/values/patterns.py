"""Patterns of texts: a server's words without the names and values that change between requests."""

from __future__ import annotations

import re

GAP = "…"
VARIABLE = re.compile(
    r"\{.*\}"  # objects, also those of other languages
    r"|\[.*\]|\"[^\"]*\"|'[^']*'|`[^`]*`|<[^<>]*>"
    r"|(?:\w+:)?/*(?:[\w.$…-]+/)+[\w.$…-]*(?::\d+)*"  # paths, and places in sources
    r"|\b[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\b|\b\w*\d\w*\b|\b[A-Z][A-Z_]{2,}\b|\w+_\w+|\w{40,}",
    re.DOTALL,
)
RUN = re.compile(r"[\w./:$-]*\d[\w./:$-]*")
OPEN = re.compile(r"[\"'`{\[].*", re.DOTALL)  # a quote or bracket that a cut left open
GAPS = re.compile(rf"{GAP}(?:[\s,.:;=()-]*{GAP})+")


def pattern(text: str) -> str:
    """Return a text without names, values, numbers and paths."""
    return GAPS.sub(GAP, OPEN.sub(GAP, VARIABLE.sub(GAP, text))).strip(" .,:")


def raw_pattern(text: str) -> str:
    """Return a text without ids and without names of a run, which contain digits."""
    return RUN.sub(GAP, text)
