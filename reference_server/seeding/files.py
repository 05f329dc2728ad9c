"""Files of seeds: YAML or JSON, which is YAML too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from specs.problems import Problem


def read_seed(path: str) -> Any:
    """Return the value of a seed file. Raises Problem for one that cannot be read."""
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Problem(f"The seed {path} cannot be read: {reason}.", "Give a YAML or JSON file.") from None
    return parse_seed(text, path)


def parse_seed(text: str, name: str) -> Any:
    """Return the value of a seed in YAML or JSON. Raises Problem with the line of a mistake."""
    import yaml  # noqa: PLC0415 - slow to import, and most servers have no seed

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" in line {mark.line + 1}" if mark else ""
        reason = getattr(error, "problem", None) or "it has an unreadable character"
        raise Problem(f"The seed {name} is not YAML{where}: {reason}.") from None
