"""Overlays: corrections to a document, each with its reason.

An overlay is a TOML file of `[[change]]` entries:

    at      where: an RFC 6901 pointer ("/components/...") or an RFC 9535 path ("$.paths[*]...")
    reason  why the document is wrong there
    and exactly one of
    set     the value to put there (a pointer may name a new key, or "-" after the end of a list)
    merge   a table to merge into the object there
    merge_file    a YAML file beside the overlay whose object to merge there: for what is too long for a table
    drop    a list of members to take out of the list or object there; an empty list removes the place
    nullable = true    the schema there also accepts null

and, in a file for several revisions of a document,
    revisions    those that the entry is for; without it, all

An entry without a reason is an error, and so is one that changes nothing: what it corrected is gone.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonpath_rfc9535
from jsonpointer import JsonPointer, JsonPointerException

from specs.files import read_toml, read_yaml
from specs.problems import Problem

Location = tuple[str | int, ...]
MERGE_FILE = "merge_file"


@dataclass(frozen=True, slots=True)
class Change:
    """One entry of an overlay: where, why, and which action with which argument."""

    at: str
    reason: str
    action: str
    argument: Any


class OverlayError(Problem):
    """An overlay entry that is malformed or that no longer applies."""


def read_overlay(path: Path, revision: str = "") -> list[Change]:
    """Return the entries of an overlay file that are for a revision. Raises OverlayError for a malformed one."""
    numbered = enumerate(read_toml(path).get("change", []), 1)
    return [_entry(path, number, raw) for number, raw in numbered if revision in raw.get("revisions", [revision])]


def _entry(path: Path, number: int, raw: dict[str, Any]) -> Change:
    actions = sorted(set(raw) & {*ACTIONS, MERGE_FILE})
    if not raw.get("at") or not str(raw.get("reason", "")).strip() or len(actions) != 1:
        raise OverlayError(
            f"{path}: change {number} needs `at`, a `reason` and exactly one of {', '.join(sorted(ACTIONS))}.",
            "Every correction says why it is made.",
        )
    if actions == [MERGE_FILE]:
        return Change(raw["at"], raw["reason"], "merge", read_yaml(path.parent / raw[MERGE_FILE]))
    return Change(raw["at"], raw["reason"], actions[0], raw[actions[0]])


def apply_overlay(document: dict[str, Any], changes: list[Change]) -> dict[str, Any]:
    """Return a corrected copy of `document`. Raises OverlayError for an entry that does not apply."""
    corrected = copy.deepcopy(document)
    for change in changes:
        if not apply_change(corrected, change):
            raise OverlayError(
                f"The overlay entry at {change.at} no longer applies ({change.action}).",
                "The document there was mended or moved: remove or move the entry.",
            )
    return corrected


def apply_change(document: dict[str, Any], change: Change) -> bool:
    """Apply one entry in place; True if it changed something."""
    changed = [ACTIONS[change.action](document, place, change.argument) for place in _places(document, change)]
    return any(changed)


def _places(document: dict[str, Any], change: Change) -> list[Location]:
    if change.at.startswith("$"):
        return [node.location for node in jsonpath_rfc9535.find(change.at, document)]
    return [parse_pointer(change.at)]


def parse_pointer(pointer: str) -> Location:
    """Split an RFC 6901 pointer into its parts ("~1" is "/", "~0" is "~"). Raises OverlayError for what is none."""
    try:
        return tuple(JsonPointer(pointer).parts)
    except JsonPointerException as error:
        raise OverlayError(f"The overlay entry at {pointer} has no place: {error}.", 'Write it as "/a/b".') from None


def find_node(document: Any, place: Location) -> Any:
    """Return what a document has at a place, None if it has nothing there."""
    for part in place:
        try:
            document = document[int(part)] if isinstance(document, list) else document[part]
        except (KeyError, IndexError, ValueError, TypeError):
            return None
    return document


def _put(document: Any, place: Location, value: Any) -> bool:
    parent, key = find_node(document, place[:-1]), place[-1]
    if isinstance(parent, list) and key == "-" and value not in parent:
        parent.append(copy.deepcopy(value))
        return True
    if find_node(document, place) == value or not isinstance(parent, dict | list):
        return False
    if isinstance(parent, list):
        return _put_item(parent, key, value)
    parent[key] = copy.deepcopy(value)
    return True


def _put_item(items: list[Any], index: str | int, value: Any) -> bool:
    if not str(index).isdecimal() or int(index) >= len(items):
        return False
    items[int(index)] = copy.deepcopy(value)
    return True


def _merge(document: Any, place: Location, value: dict[str, Any]) -> bool:
    target = find_node(document, place)
    if not isinstance(target, dict) or all(target.get(key) == item for key, item in value.items()):
        return False
    target.update(copy.deepcopy(value))
    return True


def _drop(document: Any, place: Location, members: list[Any]) -> bool:
    target = find_node(document, place)
    parent = find_node(document, place[:-1])
    if target is None or not isinstance(parent, dict):
        return False
    if not members:
        del parent[place[-1]]
        return True
    kept: Any = [item for item in target if item not in members]
    if isinstance(target, dict):
        kept = {key: target[key] for key in kept}
    if len(kept) == len(target):
        return False
    parent[place[-1]] = kept
    return True


def _nullable(document: Any, place: Location, wanted: bool) -> bool:
    schema = find_node(document, place)
    if not wanted or not isinstance(schema, dict):
        return False
    schema.pop("nullable", None)
    if "$ref" in schema:
        schema["anyOf"] = [{"$ref": schema.pop("$ref")}, {"type": "null"}]
        return True
    if not isinstance(schema.get("type"), str):
        return False
    schema["type"] = [schema["type"], "null"]
    return True


ACTIONS: dict[str, Callable[[Any, Location, Any], bool]] = {
    "set": _put,
    "merge": _merge,
    "drop": _drop,
    "nullable": _nullable,
}
