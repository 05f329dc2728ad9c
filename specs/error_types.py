"""The error types of the Iceberg REST catalog: which type goes with which status, on which operation."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from specs.files import read_toml
from specs.profiles import HERE

Types = Mapping[int, frozenset[str]]
OAUTH_OPERATION = "getToken"  # its errors are those of OAuth2, by the document's schema


@cache
def stated_types(operation_id: str) -> Types:
    """Return the types, by status, with which an operation answers for a reason of its own.

    Clients tell errors apart by these; another type under such a status is a defect.
    """
    raw = _raw()
    found = {int(status): frozenset(types) for status, types in raw["operations"].get(operation_id, {}).items()}
    for entry in raw["addition"]:
        if operation_id in entry["operations"]:
            found[entry["status"]] = found.get(entry["status"], frozenset()) | set(entry["types"])
    return found


@cache
def _raw() -> dict[str, Any]:
    return read_toml(HERE / "iceberg" / "error_types.toml")
