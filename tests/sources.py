"""Sources of the project as trees, parsed once in a process."""

from __future__ import annotations

import ast
import gc
from collections.abc import Iterator
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


def imported(path: Path) -> Iterator[str]:
    """Yield the full names of what a file imports: modules, and names in them, which may be modules too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}:{node.lineno} imports by a relative name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)
