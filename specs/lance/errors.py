"""Numbered errors of the Lance Namespace: code, name, HTTP status, and the operations that return them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from specs.files import read_toml
from specs.profiles import Profile, newest_profile

API = "lance"
LABEL = "codes"
TABLE = Path(__file__).with_name("error_codes.toml")


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """Numbered error."""

    code: int
    name: str
    status: int


@cache
def error_codes() -> dict[str, ErrorCode]:
    """Return the errors by name."""
    raw = read_toml(TABLE)["errors"]
    return {name: ErrorCode(entry["code"], name, entry["status"]) for name, entry in raw.items()}


@cache
def codes_of(operation_id: str, profile: Profile | None = None) -> frozenset[int]:
    """Return the codes of an operation's errors in a profile (by default the newest), also those of all operations.

    An addition with `since` applies to that revision and later ones.
    """
    raw, chosen = read_toml(TABLE), profile or newest_profile(API)
    additions = [entry for entry in raw["addition"] if chosen.has_reached(entry.get("since", ""))]
    added = [code for entry in additions if operation_id in entry["operations"] for code in entry["codes"]]
    return frozenset([*raw["common"], *raw["operations"].get(operation_id, []), *added])


def described(operation_id: str, profile: Profile) -> list[str]:
    """Return the errors of an operation as texts: number and name."""
    names = {error.code: error.name for error in error_codes().values()}
    return [f"{code} {names[code]}" for code in sorted(codes_of(operation_id, profile))]


def unlisted(profile: Profile) -> list[str]:
    """Return a sentence for each row of a profile that is missing from the table."""
    raw, known = read_toml(TABLE), {error.code for error in error_codes().values()}
    rows = {*raw["operations"], *(name for entry in raw["addition"] for name in entry["operations"])}
    operations = profile.document().operations
    missing = [operation for operation in operations if operation not in rows]
    codes = sorted({code for operation in operations for code in codes_of(operation, profile)} - known)
    return [
        *(f"{TABLE.name} has no row for {operation} in [operations]." for operation in missing),
        *(f"{TABLE.name} has no row for code {code} in [errors]." for code in codes),
    ]
