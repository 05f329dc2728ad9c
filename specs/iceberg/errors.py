"""Error types of the Iceberg REST catalog, by operation and status."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from specs.files import read_toml
from specs.profiles import Profile, find_profile

API = "iceberg"
LABEL = "types"
TABLE = Path(__file__).with_name("error_types.toml")
Types = Mapping[int, frozenset[str]]
OF_ITS_OWN = (404, 409, 422)  # the statuses with a meaning of their own for each operation
OAUTH_OPERATION = "getToken"  # by the document's schema it returns the errors of OAuth2


@cache
def stated_types(operation_id: str, profile: Profile | None = None) -> Types:
    """Return the types of an operation's own errors in a profile (by default the newest), by status.

    Clients distinguish errors by these types; another type with the same status is a defect. An addition with `since`
    applies to that revision and later ones.
    """
    raw, chosen = read_toml(TABLE), profile or find_profile(API)
    allowed = {int(status): frozenset(types) for status, types in raw["operations"].get(operation_id, {}).items()}
    for entry in raw["addition"]:
        if operation_id in entry["operations"] and chosen.has_reached(entry.get("since", "")):
            allowed[entry["status"]] = allowed.get(entry["status"], frozenset()) | set(entry["types"])
    return allowed


def usual_type(operation_id: str, status: int) -> str:
    """Return the type that an operation usually returns with a status, "" where the table has none."""
    types = read_toml(TABLE)["operations"].get(operation_id, {}).get(str(status), [""])
    return str(types[0])


@cache
def known_types() -> frozenset[str]:
    """Return the types of all operations' own errors."""
    raw = read_toml(TABLE)
    stated = [types for of_status in raw["operations"].values() for types in of_status.values()]
    return frozenset(name for types in [*stated, *(entry["types"] for entry in raw["addition"])] for name in types)


def described(operation_id: str, profile: Profile) -> list[str]:
    """Return the errors of an operation as texts: status and type."""
    stated = sorted(stated_types(operation_id, profile).items())
    return [f"{status} {name}" for status, types in stated for name in sorted(types)]


def unlisted(profile: Profile) -> list[str]:
    """Return a sentence for each row of a profile that is missing from the table."""
    return [
        f"{TABLE.name} has no type for {status} of {operation.id}, which declares that status."
        for operation in profile.document().operations.values()
        for status in OF_ITS_OWN
        if str(status) in operation.responses and status not in stated_types(operation.id, profile)
    ]
