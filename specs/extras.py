"""Extras: optional packages of lakeproof, as listed in pyproject.toml."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, requires
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from specs.problems import Problem

DISTRIBUTION = "lakeproof"


def require_extra(extra: str) -> None:
    """Check that the packages of an extra are installed. Raises Problem that names the missing packages."""
    missing = [name for name in _packages(extra) if not _installed(name)]
    if missing:
        raise missing_extra(extra, *missing)


def missing_extra(extra: str, *packages: str) -> Problem:
    """Return the problem for missing packages of an extra."""
    return Problem(f"{extra} needs {' and '.join(packages)}: {install_command(extra)}")


def install_command(extra: str) -> str:
    """Return the shell command that adds an extra to this installation: with its installer, from where it came."""
    text = distribution(DISTRIBUTION).read_text("direct_url.json")
    return shlex.join([*_installer(), *source_with(extra, json.loads(text) if text else {})])


def source_with(extra: str, origin: dict[str, Any]) -> list[str]:
    """Return the arguments of pip for an extra, given the `direct_url.json` of the installation (PEP 610).

    An installation from an index has none: `origin` is empty.
    """
    name, url = f"{DISTRIBUTION}[{extra}]", str(origin.get("url", ""))
    if "dir_info" in origin:
        folder = f"{url2pathname(urlsplit(url).path)}[{extra}]"
        return ["-e", folder] if origin["dir_info"].get("editable") else [folder]
    if "vcs_info" in origin:
        url = f"{origin['vcs_info']['vcs']}+{url}@{origin['vcs_info']['commit_id']}"
    return [f"{name} @ {url}" if url else name]


def _installer() -> list[str]:
    """Return the command that installs packages where this Python finds them."""
    own = Path(sys.executable).parent
    found = shutil.which("pip")
    if found and Path(found).parent == own:
        return ["pip", "install"]
    return (
        [sys.executable, "-m", "pip", "install"] if find_spec("pip") else ["uv", "pip", "install", "-p", sys.executable]
    )


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
