"""Pages of source: the tests of requirements, each with an address. They have no theme: it is larger than they are."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from conformance.run.requirement_index import Declared
from website.markup import text

ROOT = Path(__file__).parent.parent
FOLDER = "source"
HEAD = """\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>
pre {{ font: 14px/1.4 monospace; white-space: pre-wrap; overflow-wrap: anywhere }}
:target {{ outline: 2px solid teal }}
</style>
<h1>{title}</h1>
"""


def source_address(declared: Declared, above: str = "../..") -> str:
    """Return the address of a requirement's test, seen from a page two folders deep."""
    return f"{above}/{FOLDER}/{_page(declared.file)}#L{declared.line}"


def source_pages(known: Iterable[Declared]) -> dict[str, str]:
    """Return the pages of the modules with these tests, as HTML by file name."""
    lines = defaultdict[str, set[int]](set)
    for declared in known:
        lines[declared.file].add(declared.line)
    return {_page(file): _module(Path(file), linked) for file, linked in sorted(lines.items())}


def _page(file: str) -> str:
    return ".".join(Path(file).relative_to(ROOT).with_suffix(".html").parts)


def _module(path: Path, linked: set[int]) -> str:
    """Return the page of a module, divided at the linked lines and after each test that begins there."""
    source = path.read_text(encoding="utf-8")
    rows = source.splitlines(keepends=True)
    ends = {(node.end_lineno or 0) + 1 for node in ast.parse(source).body if _start(node) in linked}
    borders = sorted({1, *linked, *ends, len(rows) + 1})
    parts = [HEAD.format(title=path.relative_to(ROOT))]
    for begin, end in pairwise(borders):
        code = "".join(rows[begin - 1 : end - 1]).strip("\n")
        if code or begin in linked:
            lines = "\n".join(map(text, code.split("\n")))
            parts.append(f'<pre id="L{begin}">{lines}</pre>\n')
    return "".join(parts)


def _start(node: ast.stmt) -> int:
    """Return the first line of a statement, with its decorators."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(each.lineno for each in decorators)])
