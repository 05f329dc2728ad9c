"""Extras: optional packages of lakeproof, as listed in pyproject.toml."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires

from specs.problems import Problem

DISTRIBUTION = "lakeproof"


def require_extra(extra: str) -> None:
    """Check that the packages of an extra are installed. Raises Problem that names the missing packages."""
    missing = [name for name in _packages(extra) if not _installed(name)]
    if missing:
        raise missing_extra(extra, *missing)


def missing_extra(extra: str, *packages: str) -> Problem:
    """Return the problem for missing packages of an extra."""
    return Problem(f"{extra} needs {' and '.join(packages)}: pip install '{DISTRIBUTION}[{extra}]'")


@cache
def _packages(extra: str) -> list[str]:
    from packaging.requirements import Requirement  # noqa: PLC0415 - slow to import, and seldom needed

    every = map(Requirement, requires(DISTRIBUTION) or ())
    return [
        requirement.name
        for requirement in every
        if requirement.marker and requirement.marker.evaluate({"extra": extra})
    ]


def _installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True
