"""Corrections to a document, in the format of the OpenAPI Overlay Specification 1.0.

An overlay is a YAML file:

    overlay: 1.0.0
    info: {title: ..., version: ...}
    extends: ../2026-03.yaml            the document that it is for, with the revisions whose basis that is; without it,
                                        the first of its API
    actions:
      - target: $.components.schemas    where: a JSONPath (RFC 9535)
        description: ...                why the document is wrong there
        update: {...}                   what to merge into each object there, or to append to each list there
        x-revisions: ["1.6"]            the revisions that the action is for; without it, all
      - target: $.paths[*].head.responses[*].content
        description: ...
        remove: true                    takes what is there away

Two rules are ours: an action without a description is an error, and so is one that changes nothing: what it corrected
is gone. To another copy of a document, which an overlay was not written for, only those actions apply that fit it.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonpath_rfc9535

from specs.files import read_yaml
from specs.problems import Problem
from specs.references import dangling, references

Location = tuple[str | int, ...]
ROOT = "$"
REVISIONS = "x-revisions"
KINDS = ("remove", "update")


@dataclass(frozen=True, slots=True)
class Action:
    """One action of an overlay: where, why, and what to merge or append; where it removes, `update` is None."""

    target: str
    description: str
    update: Any = None


@dataclass(frozen=True, slots=True)
class Overlay:
    """An overlay file: the document that it extends, None for the first one of its API, and its actions."""

    extends: Path | None
    actions: tuple[Action, ...]


class OverlayError(Problem):
    """An overlay that is malformed, or an action that no longer applies."""


def read_overlay(path: Path, revision: str = "") -> Overlay:
    """Return an overlay file with the actions for a revision. Raises OverlayError for a malformed one."""
    raw = read_yaml(path)
    if not isinstance(raw, dict) or not str(raw.get("overlay", "")).startswith("1.") or not raw.get("actions"):
        raise OverlayError(
            f"{path} is not an overlay: it needs `overlay: 1.0.0` and `actions`.",
            "Write it as the OpenAPI Overlay Specification says.",
        )
    numbered = enumerate(raw["actions"], 1)
    actions = [
        _action(path, number, action) for number, action in numbered if revision in action.get(REVISIONS, [revision])
    ]
    return Overlay((path.parent / raw["extends"]).resolve() if "extends" in raw else None, tuple(actions))


def _action(path: Path, number: int, raw: dict[str, Any]) -> Action:
    kinds = [kind for kind in KINDS if raw.get(kind) not in (None, False)]
    if not raw.get("target") or not str(raw.get("description", "")).strip() or len(kinds) != 1:
        raise OverlayError(
            f"{path}: action {number} needs a `target`, a `description` and either `update` or `remove: true`.",
            "Every correction says why it is made.",
        )
    return Action(raw["target"], raw["description"], raw["update"] if kinds == ["update"] else None)


def apply_overlay(document: dict[str, Any], actions: list[Action]) -> dict[str, Any]:
    """Return a corrected copy of `document`. Raises OverlayError for an action that changes nothing."""
    corrected = copy.deepcopy(document)
    for action in actions:
        if not apply_action(corrected, action):
            raise OverlayError(
                f"The overlay's action at {action.target} no longer applies.",
                "The document was corrected or moved there: remove or move the action.",
            )
    return corrected


def apply_fitting(document: dict[str, Any], actions: Sequence[Action]) -> tuple[dict[str, Any], list[Action]]:
    """Return a corrected copy of a document that the actions were not written for, and the actions that do not fit it.

    An action does not fit when it changes nothing, and when it refers to something that the document lacks.
    """
    before, fitting = dangling(document), list(actions)
    while True:
        corrected = copy.deepcopy(document)
        changing = [action for action in fitting if apply_action(corrected, action)]
        missing = dangling(corrected) - before
        fitting = [action for action in changing if missing.isdisjoint(references(action.update))]
        if fitting == changing:
            return corrected, [action for action in actions if action not in fitting]


def apply_action(document: dict[str, Any], action: Action) -> bool:
    """Apply one action in place; True if it changed something. Raises OverlayError for an invalid JSONPath."""
    try:
        places = [node.location for node in jsonpath_rfc9535.find(action.target, document)]
    except jsonpath_rfc9535.JSONPathError as error:
        raise OverlayError(f"The overlay's target {action.target} is not a JSONPath: {error}.", "Correct it.") from None
    # From the last place to the first, so that what is taken out of a list moves none that is still to come.
    results = [_apply(document, place, action) for place in reversed(places)]
    return any(results)


def _apply(document: dict[str, Any], place: Location, action: Action) -> bool:
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
    """Return a value with an update: objects are merged at every depth, lists get it appended, others are replaced."""
    if isinstance(value, dict) and isinstance(update, dict):
        for key, item in update.items():
            value[key] = _updated(value[key], item) if key in value else copy.deepcopy(item)
        return value
    if isinstance(value, list):
        items = update if isinstance(update, list) else [update]
        return [*value, *(copy.deepcopy(item) for item in items if item not in value)]
    return copy.deepcopy(update)
