"""Places of clauses in the norms of an API.

A place is one of

    /components/schemas/PageToken             a pointer (RFC 6901) into the document
    createTable/responses/409                 a pointer that starts at the operation with that id
    error_codes.toml#/errors/TableNotFound    a pointer into a file beside the document
    https://iceberg.apache.org/spec/#sorting  a section of another norm; links are not fetched
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jsonpointer import resolve_pointer

from specs.apis import folder_of
from specs.files import read_toml
from specs.profiles import Profile

MOST_SAID = 400


def is_link(place: str) -> bool:
    """True for a section of another norm."""
    return place.startswith("https://")


def resolves(place: str, profile: Profile) -> bool:
    """True if the place exists in a profile's document or the file beside it; True for every link."""
    if is_link(place):
        return True
    start, _, pointer = place.partition("/")
    return resolve_pointer(_root(start, profile), f"/{pointer}" if pointer else "", None) is not None


def _root(start: str, profile: Profile) -> Any:
    """Return the root of a pointer: the document, an operation, or a file beside it; None if there is none."""
    document = profile.document()
    if not start:
        return document.raw
    if start.endswith("#"):
        return _file(folder_of(profile.api) / start[:-1])
    operation = document.operations.get(start)
    return operation and document.raw["paths"][operation.path][operation.method.lower()]


@cache
def _file(path: Path) -> dict[str, Any]:
    return read_toml(path)


def said(place: str, profile: Profile) -> str:
    """Return the beginning of the description at a place, "" if there is none or the place is a link."""
    if is_link(place):
        return ""
    start, _, pointer = place.partition("/")
    node = resolve_pointer(_root(start, profile), f"/{pointer}" if pointer else "", None)
    text = (node.get("description") or node.get("summary") or "") if isinstance(node, dict) else node
    paragraph = " ".join(str(text or "").strip().split("\n\n")[0].split())
    return paragraph if len(paragraph) <= MOST_SAID else f"{paragraph[:MOST_SAID]}…"
