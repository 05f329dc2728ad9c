"""Sources of the project as trees, parsed once in a process."""

from __future__ import annotations

import ast
import gc
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent


@cache
def tree(path: Path) -> ast.Module:
    """Return the tree of a file, named from the root."""
    collects = gc.isenabled()  # it would look through all trees again and again
    gc.disable()
    try:
        return ast.parse((ROOT / path).read_text())
    finally:
        if collects:
            gc.enable()
