"""Extras: packages that only a part of lakeproof needs, as pyproject.toml lists them."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires

from packaging.requirements import Requirement

from specs.problems import Problem

DISTRIBUTION = "lakeproof"


def require_extra(extra: str) -> None:
    """Do nothing where the packages of an extra are installed. Raises Problem that names those that are not."""
    missing = [name for name in _packages(extra) if not _installed(name)]
    if missing:
        raise missing_extra(extra, *missing)


def missing_extra(extra: str, *packages: str) -> Problem:
    """Return the problem that packages of an extra are not installed."""
    return Problem(f"{extra} needs {' and '.join(packages)}: pip install '{DISTRIBUTION}[{extra}]'")


@cache
def _packages(extra: str) -> list[str]:
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
