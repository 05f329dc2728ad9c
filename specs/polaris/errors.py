"""The error types of Apache Polaris: which type goes with which status, on which operation.

No document names them. Clients show them, so each revision keeps to its own; operations of the Iceberg catalog have
Iceberg's besides.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from specs.files import read_toml
from specs.iceberg.errors import OAUTH_OPERATION
from specs.iceberg.errors import stated_types as iceberg_types
from specs.profiles import Profile, find_profile

API = "polaris"
LABEL = "types"
TABLE = Path(__file__).with_name("error_types.toml")
Types = Mapping[int, frozenset[str]]


@cache
def stated_types(operation_id: str, profile: Profile | None = None) -> Types:
    """Return the types, by status, with which an operation answers in a profile; the newest where none is named."""
    raw, chosen = read_toml(TABLE), profile or find_profile(API)
    allowed: dict[int, frozenset[str]] = {}
    if chosen.suite_of(operation_id) != API:
        allowed |= iceberg_types(operation_id)
    for entry in raw["error"]:
        if operation_id in entry["operations"] and chosen.has_reached(entry.get("since", "")):
            allowed[entry["status"]] = allowed.get(entry["status"], frozenset()) | set(entry["types"])
    return allowed


def described(operation_id: str, profile: Profile) -> list[str]:
    """Return the errors of an operation in words: status and type."""
    stated = sorted(stated_types(operation_id, profile).items())
    return [f"{status} {name}" for status, types in stated for name in sorted(types)]


def unlisted(profile: Profile) -> list[str]:
    """Return a sentence for each row of a profile that is missing in the table."""
    operations = profile.document().operations.keys() - {OAUTH_OPERATION}
    return [
        f"{TABLE.name} has no type for any error of {operation}."
        for operation in sorted(operations)
        if not stated_types(operation, profile)
    ]
