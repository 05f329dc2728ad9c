"""Errors in a choice of schemas (`oneOf`, `anyOf`), reported as errors of the wrong field.

A validator reports only that no branch of the choice matches. This module finds the wrong field in the intended branch:
the branch whose constants the value has, for instance in its `type`.
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


def nearest_error(error: Error) -> tuple[Place, str, Error]:
    """Return the place and the message of an error, and the error; for a choice, those in the intended branch."""
    while isinstance(error.kind, CHOICES):
        here, branches = error.instance_path, error.kind.context
        meant = min(branches, key=lambda branch: _distance(branch, here))
        if _has_other_type(meant, here):
            break
        fixed = _fixed(meant, here)
        if fixed is not None:
            fields = filter(None, (_fixed(branch, here) for branch in branches))
            return fixed.instance_path, f"it must be {' or '.join(_options(fields, fixed.instance_path))}", fixed
        error = meant[0]
        forms = [form for branch in branches if (form := _form(branch, here))]
        if error.instance_path == here and len(forms) > 1:
            return here, f"it must {' or '.join(forms)}", error
    return error.instance_path, error.message, error


def _distance(branch: Branch, here: Place) -> tuple[bool, bool, bool, int]:
    """Return the distance of a value from a branch: a different type counts most, then a different constant."""
    kind = getattr(_fixed(branch, here), "kind", None)
    return _has_other_type(branch, here), isinstance(kind, Kind.Constant), isinstance(kind, Kind.Enum), len(branch)


def _has_other_type(branch: Branch, here: Place) -> bool:
    return any(isinstance(error.kind, Kind.Type) and error.instance_path == here for error in branch)


def _fixed(branch: Branch, here: Place) -> Error | None:
    """Return the error of a field that has another constant than the branch, or none of its allowed values."""
    own = [error for error in branch if error.instance_path[:-1] == here]
    by_kind = (error for kind in (Kind.Constant, Kind.Enum) for error in own if isinstance(error.kind, kind))
    return next(by_kind, None)


def _form(branch: Branch, here: Place) -> str:
    """Return the values that a branch allows, in words, if only a constant or a pattern is between it and the value."""
    if len(branch) != 1 or branch[0].instance_path != here:
        return ""
    match branch[0].kind:
        case Kind.Constant(expected_value=value):
            return f"be {json.dumps(value)}"
        case Kind.Pattern(pattern=pattern):
            return f"match {pattern}"
    return ""


def _options(errors: Iterable[Error], place: Place) -> list[str]:
    """Return the allowed values of the field at a place, as JSON, from its errors."""
    options: list[Any] = []
    for kind in (error.kind for error in errors if error.instance_path == place):
        if isinstance(kind, Kind.Constant):
            options.append(kind.expected_value)
        elif isinstance(kind, Kind.Enum):
            options += kind.options
    return list(dict.fromkeys(map(json.dumps, options)))
