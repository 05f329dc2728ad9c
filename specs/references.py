"""References within a document: by `$ref`, or by the mapping of a discriminator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

COMPONENTS = "#/components/"


def references(node: Any) -> Iterator[str]:
    """Yield the references in a part of a document."""
    if isinstance(node, dict):
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)
    elif isinstance(node, str) and node.startswith(COMPONENTS):
        yield node


def dangling(document: dict[str, Any]) -> set[str]:
    """Return the references of a document to missing components."""
    return {reference for reference in references(document) if not _leads(reference, document.get("components"))}


def _leads(reference: str, components: Any) -> bool:
    section, _, name = reference.removeprefix(COMPONENTS).partition("/")
    named = components.get(section) if isinstance(components, dict) else None
    return isinstance(named, dict) and name.partition("/")[0] in named
