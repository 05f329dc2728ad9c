"""What an SQL expression costs Lance, estimated from its text: a short one can take all time and all memory.

Lance's parser tries again what is nested too deeply, each level twice as often, and its planner writes out some calls
(`coalesce`) with an argument twice. Some functions make values of any size.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from reference_server.errors import InvalidInput

LONGEST = 64 << 10
"""The most characters that the expressions of a request may have together, those of texts in quotes aside."""
DEEPEST = 24
"""The most brackets that are open at the same place."""
HEAVIEST = 1 << 18
"""The most characters of an expression, when each call writes its arguments twice."""
MAKERS = "repeat|[lr]pad|(?:array|list)_(?:repeat|resize)|range|generate_series"
REPLACERS = "replace|regexp_replace|overlay"
LONGEST_WITH_REPLACER = 1000
TOKENS = re.compile(r"(?:'[^']*')+|(?:\"[^\"]*\")+|`[^`]*`|--[^\n]*|/\*.*?(?:\*/|\Z)|[\[(\])]|\w+", re.DOTALL)
MAKER = re.compile(rf"(?<!\w)({MAKERS})(?!\w)[\"`]?\s*\(", re.IGNORECASE)
REPLACER = re.compile(rf"(?<!\w)({REPLACERS})(?!\w)[\"`]?\s*\(", re.IGNORECASE)
NO_FUNCTIONS = frozenset({"IN", "AND", "OR", "NOT", "LIKE", "ILIKE", "BETWEEN", "WHEN", "THEN", "ELSE", "IS", "TO"})
OPENING, CLOSING = "([", ")]"


def check_cost(expression: str) -> None:
    """Raise InvalidInput for an expression that may cost Lance too much."""
    check_lengths([expression])
    _check_nesting(expression)
    spoken = TOKENS.sub(_silenced, expression)
    maker = MAKER.search(spoken)
    if maker:
        raise InvalidInput(f"The function {maker[1]} makes values of any size, and is not to be had here.")
    replacers = len(REPLACER.findall(spoken))
    if replacers > 1 or (replacers and len(expression) > LONGEST_WITH_REPLACER):
        raise InvalidInput(
            f"An expression replaces in texts once at most, and has {LONGEST_WITH_REPLACER} characters then."
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
        begin = token.end() if text[0] == "'" and not any(calls) else end  # a text that is only compared costs nothing
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
    """Return nothing for a comment and an empty text for one in quotes; names in quotes stay."""
    text = token[0]
    return " " if text.startswith(("--", "/*")) else "''" if text[0] == "'" else text
