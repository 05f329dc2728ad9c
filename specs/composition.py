"""Composition of several documents into one: the paths of each below its mount, shared components once.

Components keep their names. If two documents define a name differently, the name of the later document gets the
document's place as a prefix: `management.Catalog` for a document at `/api/management`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from specs.openapi import METHODS, MOUNT, Document
from specs.problems import Problem
from specs.references import COMPONENTS

Tree = dict[str, Any]
SAID_ONCE = "Give one of them another id with `rename` in api.toml."


@dataclass(frozen=True, slots=True)
class Mounted:
    """Document with the path prefix of its operations, and new ids for some of them."""

    document: Document
    mount: str = ""
    rename: Mapping[str, str] = field(default_factory=dict)


def compose(title: str, parts: Sequence[Mounted]) -> Document:
    """Compose documents into one; a single document without a mount stays as it is.

    Raises Problem for an operationId or a path that two of them contain.
    """
    first = parts[0]
    if len(parts) == 1 and not first.mount and not first.rename:
        return first.document
    tree: Tree = {
        "openapi": first.document.raw["openapi"],
        "info": {"title": title, "version": "1"},
        "paths": {},
        "components": {},
    }
    for part in parts:
        _add(tree, part)
    unused = tuple(action for part in parts for action in part.document.unused_actions)
    corrections = tuple(action for part in parts for action in part.document.corrections)
    return Document(tree, ", ".join(part.document.source for part in parts), unused, corrections)


def _add(tree: Tree, part: Mounted) -> None:
    raw = part.document.raw
    renamed: dict[str, str] = {}
    for section, components in raw.get("components", {}).items():
        existing = tree["components"].get(section, {})
        renamed |= {
            f"{COMPONENTS}{section}/{name}": f"{COMPONENTS}{section}/{_place(part)}.{name}"
            for name, component in components.items()
            if existing.get(name, component) != component
        }
    moved = partial(_referring, renamed)
    for section, components in raw.get("components", {}).items():
        components_of_part = {_name(renamed, section, name): moved(component) for name, component in components.items()}
        tree["components"].setdefault(section, {}).update(components_of_part)
    taken = {item[method]["operationId"] for item in tree["paths"].values() for method in METHODS if method in item}
    for path, item in raw["paths"].items():
        _add_path(tree, part, part.mount + path, moved(item), taken)


def _add_path(tree: Tree, part: Mounted, path: str, item: Tree, taken: set[str]) -> None:
    if path in tree["paths"]:
        raise Problem(f"{part.document.source}: another document of the profile also has the path {path}.")
    for method in METHODS:
        if method in item:
            name = item[method].get("operationId", f"{method} {path}")
            item[method]["operationId"] = name = part.rename.get(name, name)
            if name in taken:
                raise Problem(
                    f"{part.document.source}: another document of the profile also has the operation {name}.", SAID_ONCE
                )
    tree["paths"][path] = {**item, MOUNT: part.mount}


def _place(part: Mounted) -> str:
    return part.mount.strip("/").rpartition("/")[2] or "root"


def _name(renamed: Mapping[str, str], section: str, name: str) -> str:
    return renamed.get(f"{COMPONENTS}{section}/{name}", f"/{name}").rpartition("/")[2]


def _referring(renamed: Mapping[str, str], node: Any) -> Any:
    """Return a copy of a tree with references to the new names."""
    if isinstance(node, dict):
        return {key: _referring(renamed, value) for key, value in node.items()}
    if isinstance(node, list):
        return [_referring(renamed, value) for value in node]
    return renamed.get(node, node) if isinstance(node, str) else node
