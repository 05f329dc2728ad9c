"""Errors of schemas that are a choice (`oneOf`, `anyOf`), as errors of the field that is wrong.

A validator says of such a value that no branch of the choice matches. The reader wants to know which field is wrong in
the branch that was meant: the one whose constants the value has, for instance its `type`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import jsonschema_rs

Kind = jsonschema_rs.ValidationErrorKind
Error = jsonschema_rs.ValidationError
Branch = Sequence[Error]
Place = list[str | int]
CHOICES = (Kind.OneOfNotValid, Kind.AnyOf)


def nearest_error(error: Error) -> tuple[Place, str]:
    """Return the place and the message of an error: of a choice, those of the error in the branch that was meant."""
    while isinstance(error.kind, CHOICES):
        here, branches = error.instance_path, error.kind.context
        meant = min(branches, key=lambda branch: _distance(branch, here))
        if _has_other_type(meant, here):
            break
        fixed = _fixed(meant, here)
        if fixed is not None:
            fields = filter(None, (_fixed(branch, here) for branch in branches))
            return fixed.instance_path, f"it must be {' or '.join(_options(fields, fixed.instance_path))}"
        error = meant[0]
    return error.instance_path, error.message


def _distance(branch: Branch, here: Place) -> tuple[bool, bool, bool, int]:
    """Return the distance of a value from a branch: another type is the farthest, then another constant."""
    kind = getattr(_fixed(branch, here), "kind", None)
    return _has_other_type(branch, here), isinstance(kind, Kind.Constant), isinstance(kind, Kind.Enum), len(branch)


def _has_other_type(branch: Branch, here: Place) -> bool:
    return any(isinstance(error.kind, Kind.Type) and error.instance_path == here for error in branch)


def _fixed(branch: Branch, here: Place) -> Error | None:
    """Return the error of a field of the value that has another constant than the branch, or none of its options."""
    own = [error for error in branch if error.instance_path[:-1] == here]
    by_kind = (error for kind in (Kind.Constant, Kind.Enum) for error in own if isinstance(error.kind, kind))
    return next(by_kind, None)


def _options(errors: Iterable[Error], place: Place) -> list[str]:
    """Return the values that these errors allow for the field at a place, as JSON."""
    options: list[Any] = []
    for kind in (error.kind for error in errors if error.instance_path == place):
        if isinstance(kind, Kind.Constant):
            options.append(kind.expected_value)
        elif isinstance(kind, Kind.Enum):
            options += kind.options
    return list(dict.fromkeys(map(json.dumps, options)))
