"""The numbered errors of the Lance Namespace: code, name, HTTP status, and who may answer which."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from specs.files import read_toml
from specs.profiles import HERE


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """One numbered error."""

    code: int
    name: str
    status: int


@cache
def error_codes() -> dict[str, ErrorCode]:
    """Return the errors by name."""
    raw = read_toml(HERE / "lance" / "error_codes.toml")["errors"]
    return {name: ErrorCode(entry["code"], name, entry["status"]) for name, entry in raw.items()}


@cache
def codes_of(operation_id: str) -> frozenset[int]:
    """Return the codes that an operation may answer, those common to all included."""
    raw = read_toml(HERE / "lance" / "error_codes.toml")
    added = [code for entry in raw["addition"] if entry["operation"] == operation_id for code in entry["codes"]]
    return frozenset([*raw["common"], *raw["operations"].get(operation_id, []), *added])
