"""How deep the tree of an SQL expression gets, computed from its text.

Lance walks the tree by recursion on a small stack: a chain of a thousand `+` ends the whole process.
Its parser bounds nesting, but not chains; AND and OR are not chains, it flattens them.
"""

from __future__ import annotations

import re

from reference_server.errors import InvalidInput

DEEPEST = 200
QUOTED = r"(?:'[^']*')+|(?:\"[^\"]*\")+|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)"
OPERATORS = r"[-+*/%|^&<>=!~:]+|\b(?:IS|LIKE|ILIKE|IN|SIMILAR|COLLATE|AT)\b"
TOKENS = re.compile(rf"(?:{QUOTED})|(?P<sign>[\[(),\])]|\b(?:AND|OR|BETWEEN)\b|{OPERATORS})", re.DOTALL | re.IGNORECASE)


def check_depth(expression: str) -> None:
    """Raise InvalidInput for an expression whose chains of operators, nested as they are, get too long."""
    if depth(expression) > DEEPEST:
        raise InvalidInput(f"The expression {expression[:100]!r}... chains more than {DEEPEST} operators.")


def depth(expression: str) -> int:
    """Return the depth of the deepest chain of operators."""
    chains, outer, deepest, betweens = [0], 0, 0, 0
    for match in TOKENS.finditer(expression):
        sign = (match["sign"] or "").upper()
        if sign in ("(", "["):
            outer += chains[-1]
            chains.append(0)
        elif sign in (")", "]"):
            if len(chains) > 1:
                chains.pop()
                outer -= chains[-1]
            chains[-1] += sign == "]"
        elif sign == "AND" and betweens:
            betweens -= 1
        elif sign in ("AND", "OR", ","):
            chains[-1] = 0
        elif sign:
            betweens += sign == "BETWEEN"
            chains[-1] += 1
        deepest = max(deepest, outer + chains[-1])
    return deepest
