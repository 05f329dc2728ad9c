"""Corrections to a document, in the format of the OpenAPI Overlay Specification 1.0.

An overlay is a YAML file:

    overlay: 1.0.0
    info: {title: ..., version: ...}
    extends: ../2026-03.yaml            the corrected document, and all revisions based on it; by default
                                        the first document of the API
    actions:
      - target: $.components.schemas    the place: a JSONPath (RFC 9535)
        description: ...                the reason of the correction
        update: {...}                   value to merge into each object, or to append to each list, at the place
        x-revisions: ["1.6"]            the corrected revisions; by default all
      - target: $.paths[*].head.responses[*].content
        description: ...
        remove: true                    removes the value at the place

Two rules are ours: an action without a description is an error, and so is an action that changes nothing, since the
defect is gone. If the user gives another copy of a document, actions that do not fit it are left out.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from specs.files import read_yaml
from specs.problems import Problem
from specs.references import dangling, references

Location = tuple[str | int, ...]
ROOT = "$"
REVISIONS = "x-revisions"
KINDS = ("remove", "update")


@dataclass(frozen=True, slots=True)
class OverlayAction:
    """Action of an overlay: its target, its reason, and the value to merge or append; None removes the target."""

    target: str
    description: str
    update: Any = None


@dataclass(frozen=True, slots=True)
class Overlay:
    """Overlay file: the document that it extends, None for the first document of its API, and its actions."""

    extends: Path | None
    actions: tuple[OverlayAction, ...]


class OverlayError(Problem):
    """Error for a malformed overlay, or an action that no longer applies."""


def read_overlay(path: Path, revision: str = "") -> Overlay:
    """Read an overlay file with its actions for a revision. Raises OverlayError for a malformed file."""
    raw = read_yaml(path)
    if not isinstance(raw, dict) or not str(raw.get("overlay", "")).startswith("1.") or not raw.get("actions"):
        raise OverlayError(
            f"{path} is not an overlay: it needs `overlay: 1.0.0` and `actions`.",
            "Write it in the format of the OpenAPI Overlay Specification.",
        )
    numbered = enumerate(raw["actions"], 1)
    actions = [
        _action(path, number, action) for number, action in numbered if revision in action.get(REVISIONS, [revision])
    ]
    return Overlay((path.parent / raw["extends"]).resolve() if "extends" in raw else None, tuple(actions))


def _action(path: Path, number: int, raw: dict[str, Any]) -> OverlayAction:
    kinds = [kind for kind in KINDS if raw.get(kind) not in (None, False)]
    if not raw.get("target") or not str(raw.get("description", "")).strip() or len(kinds) != 1:
        raise OverlayError(
            f"{path}: action {number} needs a `target`, a `description` and either `update` or `remove: true`.",
            "Add the missing fields; `description` is the reason of the correction.",
        )
    return OverlayAction(raw["target"], raw["description"], raw["update"] if kinds == ["update"] else None)


def apply_overlay(document: dict[str, Any], actions: list[OverlayAction]) -> dict[str, Any]:
    """Return a corrected copy of a document. Raises OverlayError for an action that changes nothing."""
    corrected = copy.deepcopy(document)
    for action in actions:
        if not apply_action(corrected, action):
            raise OverlayError(
                f"The overlay's action at {action.target} no longer applies.",
                "The document has changed at that place: remove the action, or correct its target.",
            )
    return corrected


def apply_fitting(
    document: dict[str, Any], actions: Sequence[OverlayAction]
) -> tuple[dict[str, Any], list[OverlayAction]]:
    """Return a corrected copy of a user's document, and the actions that do not fit it.

    An action does not fit if it changes nothing, or if it refers to a component that the document does not have.
    """
    before, fitting = dangling(document), list(actions)
    while True:
        corrected = copy.deepcopy(document)
        changing = [action for action in fitting if apply_action(corrected, action)]
        missing = dangling(corrected) - before
        fitting = [action for action in changing if missing.isdisjoint(references(action.update))]
        if fitting == changing:
            return corrected, [action for action in actions if action not in fitting]


def reason_of(document: dict[str, Any], actions: Sequence[OverlayAction], place: Sequence[str | int], text: str) -> str:
    """Return the reason for a rule of a corrected document, "" if the published document has it.

    `place` is the rule's location, `text` the message of its violation: of a list of required fields it names one.
    """
    for action in actions:
        for location in _places(action, document):
            length = len(location)
            if tuple(place[:length]) == location and _states(action.update, place[length:], text):
                return action.description
    return ""


def _states(update: Any, place: Sequence[str | int], text: str) -> bool:
    """True when an update adds the rule at a place below its target."""
    for part in place:
        if isinstance(update, list):
            break
        if not isinstance(update, dict) or part not in update:
            return False
        update = update[part]
    names = [item for item in update if isinstance(item, str)] if isinstance(update, list) else []
    return bool(place) and (not names or any(f'"{name}"' in text for name in names))


def _places(action: OverlayAction, document: dict[str, Any]) -> list[Location]:
    """Return the places of an action's target. Raises OverlayError for an invalid JSONPath."""
    import jsonpath_rfc9535  # noqa: PLC0415 - slow to import, and compiled.py has most documents already corrected

    try:
        return [tuple(node.location) for node in jsonpath_rfc9535.find(action.target, document)]
    except jsonpath_rfc9535.JSONPathError as error:
        raise OverlayError(
            f"The overlay's target {action.target} is not a valid JSONPath: {error}.", "Correct it."
        ) from None


def apply_action(document: dict[str, Any], action: OverlayAction) -> bool:
    """Apply an action in place; return True if it changed the document. Raises OverlayError for an invalid JSONPath."""
    places = _places(action, document)
    # From the last place to the first: removing an item of a list then moves no later place.
    results = [_apply(document, place, action) for place in reversed(places)]
    return any(results)


def _apply(document: dict[str, Any], place: Location, action: OverlayAction) -> bool:
    root = {ROOT: document}
    parent: Any = root
    *path, key = (ROOT, *place)
    for part in path:
        parent = parent[part]
    if action.update is None:
        del parent[key]
        return True
    before = copy.deepcopy(parent[key])
    parent[key] = _updated(parent[key], action.update)
    return bool(parent[key] != before)


def _updated(value: Any, update: Any) -> Any:
    """Return a value with an update: objects are merged at every depth, lists are extended, others are replaced."""
    if isinstance(value, dict) and isinstance(update, dict):
        for key, item in update.items():
            value[key] = _updated(value[key], item) if key in value else copy.deepcopy(item)
        return value
    if isinstance(value, list):
        items = update if isinstance(update, list) else [update]
        return [*value, *(copy.deepcopy(item) for item in items if item not in value)]
    return copy.deepcopy(update)
