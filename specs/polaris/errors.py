"""Error types of Apache Polaris, by operation and status.

No document names them, but clients show them, so a revision does not change them. Operations of the Iceberg catalog
also have Iceberg's types.
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
    """Return the types of an operation's errors in a profile (by default the newest), by status."""
    raw, chosen = read_toml(TABLE), profile or find_profile(API)
    allowed: dict[int, frozenset[str]] = {}
    if chosen.suite_of(operation_id) != API:
        allowed |= iceberg_types(operation_id)
    for entry in raw["error"]:
        if operation_id in entry["operations"] and chosen.has_reached(entry.get("since", "")):
            allowed[entry["status"]] = allowed.get(entry["status"], frozenset()) | set(entry["types"])
    return allowed


def usual_type(operation_id: str, status: int) -> str:
    """Return the type that an operation usually returns with a status, "" where the table has none."""
    rows = (entry for entry in read_toml(TABLE)["error"] if entry["status"] == status)
    return next((entry["types"][0] for entry in rows if operation_id in entry["operations"]), "")


@cache
def known_types() -> frozenset[str]:
    """Return the types of all errors that only this API has."""
    return frozenset(name for entry in read_toml(TABLE)["error"] for name in entry["types"])


def described(operation_id: str, profile: Profile) -> list[str]:
    """Return the errors of an operation as texts: status and type."""
    stated = sorted(stated_types(operation_id, profile).items())
    return [f"{status} {name}" for status, types in stated for name in sorted(types)]


def unlisted(profile: Profile) -> list[str]:
    """Return a sentence for each row of a profile that is missing from the table."""
    operations = profile.document().operations.keys() - {OAUTH_OPERATION}
    return [
        f"{TABLE.name} has no type for any error of {operation}."
        for operation in sorted(operations)
        if not stated_types(operation, profile)
    ]
