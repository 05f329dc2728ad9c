"""Structural comparison of two documents; prose is ignored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from specs.validation import pointer

PROSE = {"description", "summary", "title", "externalDocs", "example", "examples", "x-lakeproof"}
NAME_MAPS = {
    "properties",
    "schemas",
    "responses",
    "parameters",
    "paths",
    "content",
    "securitySchemes",
    "mapping",
}
PROSE_MAPS = {"scopes"}  # name -> description
IGNORED_ROOTS = {"info", "tags"}
ABSENT = object()


@dataclass(frozen=True, slots=True)
class StructuralDifference:
    """Structural difference of two documents. `kind` is added, removed or changed; an absent value is None."""

    pointer: str
    kind: str
    left: Any
    right: Any


def diff_documents(left: dict[str, Any], right: dict[str, Any]) -> list[StructuralDifference]:
    """Compare two document trees; return an empty list if they describe the same interface."""
    return list(_walk(_root(left), _root(right), (), names=False))


def _root(document: dict[str, Any]) -> dict[str, Any]:
    compared = {key: value for key, value in document.items() if key not in IGNORED_ROOTS}
    components = compared.get("components")
    if isinstance(components, dict):
        compared["components"] = {key: value for key, value in components.items() if key != "examples"}
    return compared


def _walk(left: Any, right: Any, path: tuple[str | int, ...], *, names: bool) -> Iterator[StructuralDifference]:
    if isinstance(left, dict) and isinstance(right, dict):
        yield from _walk_objects(left, right, path, names=names)
    elif isinstance(left, list) and isinstance(right, list):
        yield from _walk_lists(_ordered(left, path), _ordered(right, path), path)
    elif left != right:
        yield _difference(left, right, path)


def _walk_objects(
    left: dict[str, Any], right: dict[str, Any], path: tuple[str | int, ...], *, names: bool
) -> Iterator[StructuralDifference]:
    keys = dict.fromkeys([*left, *right])
    for key in keys:
        if key in PROSE and not names:
            continue
        inner = key in NAME_MAPS and not names
        first, other = left.get(key, ABSENT), right.get(key, ABSENT)
        if key in PROSE_MAPS and not names:
            first, other = _names(first), _names(other)
        yield from _walk(first, other, (*path, key), names=inner)


def _names(value: Any) -> Any:
    return dict.fromkeys(value) if isinstance(value, dict) else value


def _walk_lists(left: list[Any], right: list[Any], path: tuple[str | int, ...]) -> Iterator[StructuralDifference]:
    for index in range(max(len(left), len(right))):
        first = left[index] if index < len(left) else ABSENT
        other = right[index] if index < len(right) else ABSENT
        yield from _walk(first, other, (*path, index), names=False)


def _ordered(values: list[Any], path: tuple[str | int, ...]) -> list[Any]:
    """Sort the values of `required`, `enum` and `tags`, which are sets."""
    unordered = bool(path) and path[-1] in {"required", "enum", "tags"}
    return sorted(values, key=str) if unordered else values


def _difference(left: Any, right: Any, path: tuple[str | int, ...]) -> StructuralDifference:
    kind = "added" if left is ABSENT else "removed" if right is ABSENT else "changed"
    return StructuralDifference(
        pointer(list(path)), kind, None if left is ABSENT else left, None if right is ABSENT else right
    )
