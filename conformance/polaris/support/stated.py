"""What the document names in an answer: servers may add fields of their own, with another value in each answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from specs.openapi import Document

OF_CLIENTS = "properties"  # the field whose names clients choose


def stated(document: Document, value: Any) -> Any:
    """Return of a value in an answer what the document names, at any depth, and all properties."""
    names = document.once("names of fields", lambda: frozenset(_names(document.raw["components"])))
    return _part(value, names)


def _names(node: Any) -> Iterator[str]:
    """Yield the names of all fields that the schemas in a part of a document have."""
    if isinstance(node, dict):
        fields = node.get("properties")
        yield from fields if isinstance(fields, dict) else ()
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from _names(child)


def _part(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, list):
        return [_part(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: item for name, item in value.items() if name in names}
    return {name: item if name == OF_CLIENTS else _part(item, names) for name, item in kept.items()}
