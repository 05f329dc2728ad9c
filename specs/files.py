"""Reading text, TOML and YAML files; a broken file is a Problem that names the file and the place."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from specs.problems import Problem


def read_text(path: Path) -> str:
    """Return the text of a file. Raises Problem if it is missing, unreadable or not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise Problem(f"{path} cannot be read: {reason}.", "Check the path and its permissions.") from None


def read_toml(path: Path) -> dict[str, Any]:
    """Parse a TOML file. Raises Problem, with line and column, for invalid TOML."""
    try:
        return tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise Problem(f"{path} is not valid TOML: {error}.", "Correct the file at that place.") from None


def read_yaml(path: Path) -> Any:
    """Parse a YAML (or JSON) file. Raises Problem, with the place, for invalid YAML."""
    import yaml  # noqa: PLC0415 - slow to import, and most commands read only TOML

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return yaml.load(read_text(path), loader)  # noqa: S506 - both are safe loaders
    except yaml.YAMLError as error:
        place = " ".join(str(error).split())
        raise Problem(f"{path} is not valid YAML: {place}.", "Correct the file at that place.") from None
