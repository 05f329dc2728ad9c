"""Deleting directories atomically: no reader ever sees half of one.

A directory is moved away in one step and deleted afterwards. What a killed server left of it is
deleted by the next one.
"""

from __future__ import annotations

import contextlib
import secrets
import shutil
from pathlib import Path

from reference_server.backends import OWN_FOLDER

REMOVED = "removed"


def remove_tree(root: Path, location: str) -> None:
    """Delete the directory at a location below a root; nothing there is fine."""
    removed = root / OWN_FOLDER / REMOVED
    removed.mkdir(parents=True, exist_ok=True)
    moved = removed / secrets.token_hex(8)
    with contextlib.suppress(FileNotFoundError):
        (root / location).rename(moved)
        shutil.rmtree(moved, ignore_errors=True)


def clear_removed(root: Path) -> None:
    """Delete what was moved away and is still there."""
    shutil.rmtree(root / OWN_FOLDER / REMOVED, ignore_errors=True)
