"""SQL expressions from requests, made safe to hand to Lance.

Lance parses an expression as the end of a statement of its own and overlooks what follows it: of
`id > 1 AN name = 'x'` it would take `id > 1` and delete far too much. In parentheses nothing is overlooked.
"""

from __future__ import annotations

import re

from reference_server.errors import InvalidInput
from reference_server.lance.sql_depth import check_depth

# What may hold a parenthesis that is none, and the parentheses themselves.
TOKENS = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|[()]", re.DOTALL)
DEPTH = {"(": 1, ")": -1}


def whole(expression: str) -> str:
    """Return an expression in parentheses of its own.

    Raises InvalidInput for one that is empty, too deep, or that closes a parenthesis which it did not open.
    """
    if not expression.strip() or "\0" in expression:
        raise InvalidInput(f"{expression!r} is no SQL expression.")
    check_depth(expression)
    depth = 0
    for token in TOKENS.findall(expression):
        depth += DEPTH.get(token, 0)
        if depth < 0:
            raise InvalidInput(f"{expression[:200]!r} closes a parenthesis that it did not open.")
    return f"({expression}\n)" if "--" in expression else f"({expression})"


def mentions(expression: str, column: str) -> bool:
    """True when an expression may refer to a column: when its name stands there as a word."""
    return re.search(rf"(?<!\w){re.escape(column)}(?!\w)", expression, re.IGNORECASE) is not None
