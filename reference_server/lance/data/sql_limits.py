"""Limits on the cost of SQL expressions, estimated from their text: short ones can take all time and memory.

Lance's parser retries deeply nested text, each level twice as often, and its planner duplicates the arguments of some
calls (`coalesce`). Some functions make values of any size. Lance walks the tree of an expression by recursion on a
small stack: a chain of a thousand `+` ends the whole process. Its parser bounds nesting, but not chains; it flattens
AND and OR, so these are no chains.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from reference_server.errors import InvalidInput

LONGEST = 64 << 10
"""Maximum number of characters of a request's expressions together, without quoted texts."""
DEEPEST = 24
"""Maximum number of brackets that are open at the same place."""
HEAVIEST = 1 << 18
"""Maximum number of characters of an expression in which each call writes its arguments twice."""
MAKERS = "repeat|[lr]pad|(?:array|list)_(?:repeat|resize)|range|generate_series"
REPLACERS = "replace|regexp_replace|overlay"
LONGEST_WITH_REPLACER = 1000
TOKENS = re.compile(r"(?:'[^']*')+|(?:\"[^\"]*\")+|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)|[\[(\])]|\w+", re.DOTALL)
MAKER = re.compile(rf"(?<!\w)({MAKERS})(?!\w)[\"`]?\s*\(", re.IGNORECASE)
REPLACER = re.compile(rf"(?<!\w)({REPLACERS})(?!\w)[\"`]?\s*\(", re.IGNORECASE)
NO_FUNCTIONS = frozenset({"IN", "AND", "OR", "NOT", "LIKE", "ILIKE", "BETWEEN", "WHEN", "THEN", "ELSE", "IS", "TO"})
OPENING, CLOSING = "([", ")]"
LONGEST_CHAIN = 200
QUOTED = r"(?:'[^']*')+|(?:\"[^\"]*\")+|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)"
OPERATORS = r"[-+*/%|^&<>=!~:]+|\b(?:IS|LIKE|ILIKE|IN|SIMILAR|COLLATE|AT)\b"
CHAIN_TOKENS = re.compile(
    rf"(?:{QUOTED})|(?P<sign>[\[(),\])]|\b(?:AND|OR|BETWEEN)\b|{OPERATORS})", re.DOTALL | re.IGNORECASE
)


def check_cost(expression: str) -> None:
    """Raise InvalidInput for an expression that may cost Lance too much."""
    check_lengths([expression])
    _check_nesting(expression)
    spoken = TOKENS.sub(_silenced, expression)
    maker = MAKER.search(spoken)
    if maker:
        raise InvalidInput(f"The function {maker[1]} makes values of any size and is not supported here.")
    replacers = len(REPLACER.findall(spoken))
    if replacers > 1 or (replacers and len(expression) > LONGEST_WITH_REPLACER):
        raise InvalidInput(
            f"An expression may replace text only once, and then has at most {LONGEST_WITH_REPLACER} characters."
        )


def check_lengths(expressions: Collection[str]) -> None:
    """Raise InvalidInput for expressions that are too long together."""
    if sum(map(len, expressions)) <= LONGEST:
        return
    length = sum(len(TOKENS.sub(_silenced, expression)) for expression in expressions)
    if length > LONGEST:
        raise InvalidInput(f"The SQL of a request has at most {LONGEST} characters beside texts, not {length}.")


def _check_nesting(expression: str) -> None:
    calls: list[bool] = []
    weight, end, after_name = 0, 0, False
    for token in TOKENS.finditer(expression):
        text = token[0]
        begin = token.end() if text[0] == "'" and not any(calls) else end  # comparing a text costs nothing
        weight += (token.end() - begin) << sum(calls)
        end = token.end()
        if text in OPENING:
            calls.append(after_name)
        elif text in CLOSING and calls:
            calls.pop()
        if len(calls) > DEEPEST:
            raise InvalidInput(f"The expression {expression[:100]!r}... is nested more than {DEEPEST} brackets deep.")
        if weight > HEAVIEST:
            raise InvalidInput(f"The expression {expression[:100]!r}... nests too many calls of functions.")
        after_name = text[0] in '"`' or (text[0].isalpha() and text.upper() not in NO_FUNCTIONS)


def _silenced(token: re.Match[str]) -> str:
    """Return a space for a comment and an empty text for a quoted one; quoted names stay."""
    text = token[0]
    return " " if text.startswith(("--", "/*")) else "''" if text[0] == "'" else text


def check_depth(expression: str) -> None:
    """Raise InvalidInput for an expression with too long chains of operators, added up over nested ones."""
    if depth(expression) > LONGEST_CHAIN:
        raise InvalidInput(f"The expression {expression[:100]!r}... chains more than {LONGEST_CHAIN} operators.")


def depth(expression: str) -> int:
    """Return the depth of the deepest chain of operators."""
    chains, outer, deepest, betweens = [0], 0, 0, 0
    for match in CHAIN_TOKENS.finditer(expression):
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
