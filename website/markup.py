"""Pieces of pages: escaped text, links, and addresses of requirements and servers."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from conformance.report.matrix import GLYPHS
from conformance.values.visible import visible

CLASSES = {"pass": "full", "fail": "none", "warn": "partial", "known": "partial", "blocked": "none", "error": "none"}
MOST_NAMED = 6


def text(value: str) -> str:
    """Return a text as HTML, without control characters."""
    return escape(visible(value)).replace("\n", " ")


def code(value: str) -> str:
    """Return a name as HTML code."""
    return f"<code>{text(value)}</code>"


def link(target: str, label: str) -> str:
    """Return a link; the label is HTML."""
    return f'<a href="{escape(target)}">{label}</a>'


def heading(id: str, label: str = "") -> str:
    """Return a heading that is its own address; the label is HTML, by default the id."""
    return f'<h3 id="{escape(id)}">{link("#" + id, label or text(id))}</h3>'


def line(*parts: str) -> str:
    """Return small facts in HTML on one line, without empty ones."""
    return " · ".join(filter(None, parts))


def facts(*lines: str) -> str:
    """Return lines of small facts in HTML, which the search does not look at; "" without any."""
    shown = "".join(f"<p>{each}</p>" for each in lines if each)
    return f'<div class="facts" data-search-exclude>{shown}</div>' if shown else ""


def some(names: Iterable[str], most: int = MOST_NAMED) -> str:
    """Return the first names as code, and the number of the others."""
    every = list(names)
    rest = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(map(code, every[:most])) + rest


def verdict(name: str) -> str:
    """Return the sign of a verdict with its word."""
    return f'<span class="{CLASSES.get(name, "absent")}">{GLYPHS[name]} {name}</span>'


def chapter_of(requirement_id: str) -> str:
    """Return the page of a requirement: the first two parts of its id, which never changes."""
    return ".".join(requirement_id.split(".")[:2])


def address(requirement_id: str, above: str = "../..") -> str:
    """Return the address of a requirement, seen from a page two folders deep."""
    return f"{above}/requirements/{chapter_of(requirement_id)}/#{requirement_id}"
