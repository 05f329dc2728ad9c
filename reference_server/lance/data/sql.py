"""SQL expressions from requests, made safe for Lance.

Lance parses an expression as the end of a statement of its own and ignores trailing text: of `id > 1 AN name = 'x'` it
would use `id > 1` and delete far too much. In parentheses nothing is ignored.
"""

from __future__ import annotations

import re

from reference_server.errors import InvalidInput
from reference_server.lance.data.sql_limits import check_cost, check_depth

# Quotations and comments, which may contain parentheses, and the parentheses themselves.
TOKENS = re.compile(r"(?:'[^']*')+|(?:\"[^\"]*\")+|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)|[()]", re.DOTALL)
DEPTH = {"(": 1, ")": -1}
# Placeholders, and literals that make Lance panic: N'x', B'x', R'x', $$x$$.
UNKNOWN = re.compile(r"\?|(?<!\w)\$|(?<!:):(?!:)|\b(?:n|b|r|q|nq)'", re.IGNORECASE)


def whole(expression: str) -> str:
    """Return an expression in parentheses of its own.

    Raises InvalidInput for an expression that is empty, too deep or too costly, that closes a parenthesis which it did
    not open, or that makes Lance panic.
    """
    if not expression.strip() or "\0" in expression:
        raise InvalidInput(f"{expression[:200]!r} is not an SQL expression.")
    check_cost(expression)
    check_depth(expression)
    if UNKNOWN.search(TOKENS.sub(_emptied, expression)):
        raise InvalidInput(f"{expression[:200]!r} has a placeholder, or a text of a kind that is not known.")
    depth = 0
    for token in TOKENS.findall(expression):
        depth += DEPTH.get(token, 0)
        if depth < 0:
            raise InvalidInput(f"{expression[:200]!r} closes a parenthesis that it did not open.")
    return f"({expression}\n)" if "--" in expression else f"({expression})"


def _emptied(token: re.Match[str]) -> str:
    """Return a space for a comment, a parenthesis unchanged, and an empty text for a quotation."""
    text = token[0]
    return text if text in DEPTH else " " if text.startswith(("--", "/*")) else "''"


def mentions(expression: str, column: str) -> bool:
    """Return whether an expression may refer to a column: it contains its name as a word."""
    return re.search(rf"(?<!\w){re.escape(column)}(?!\w)", expression, re.IGNORECASE) is not None
