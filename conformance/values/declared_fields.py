"""The fields that a document declares for a body, as a tree.

Variants of a schema are one node with the fields of all. A recursive schema is followed once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from specs.openapi import Document, Schema
from specs.variants import variants

ITEM = "[]"


@dataclass(slots=True)
class FieldNode:
    """A field: its path from the body, types, closed values, bounds, fields below it, and its item if it is a list."""

    path: str
    types: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)
    bounds: set[int] = field(default_factory=set)
    fields: dict[str, FieldNode] = field(default_factory=dict)
    item: FieldNode | None = None

    def walk(self) -> Iterator[FieldNode]:
        """Yield the fields below this one, at any depth."""
        for below in [*self.fields.values(), *([self.item] if self.item else [])]:
            yield below
            yield from below.walk()


def field_tree(document: Document, schema: Schema, path: str = "", trail: tuple[str, ...] = ()) -> FieldNode:
    """Return a schema as a tree of fields; `trail` are the references followed so far."""
    tree = FieldNode(path)
    for part, where in variants(document, schema, trail):
        declared = part.get("type", ())
        tree.types |= {declared} if isinstance(declared, str) else set(declared)
        for value in part.get("enum", [part["const"]] if "const" in part else []):
            tree.values[str(value)] = value
        tree.bounds |= {int(part[name]) for name in ("minimum", "maximum") if name in part}
        for name, below in part.get("properties", {}).items():
            _join(tree.fields, name, field_tree(document, below, f"{path}/{name}", where))
        if isinstance(part.get("items"), Mapping):
            item = field_tree(document, part["items"], path + ITEM, where)
            tree.item = item if tree.item is None else _merge(tree.item, item)
    return tree


def _join(fields: dict[str, FieldNode], name: str, other: FieldNode) -> None:
    fields[name] = _merge(fields[name], other) if name in fields else other


def _merge(tree: FieldNode, other: FieldNode) -> FieldNode:
    tree.types |= other.types
    tree.values |= other.values
    tree.bounds |= other.bounds
    for name, below in other.fields.items():
        _join(tree.fields, name, below)
    if other.item:
        tree.item = other.item if tree.item is None else _merge(tree.item, other.item)
    return tree
