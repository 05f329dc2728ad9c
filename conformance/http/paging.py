"""Iteration over the pages of a listing, with a limit on their number."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import orjson

from conformance.http.answers import Answer
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

MOST_EMPTY = 500  # pages without an item
MOST_PAGES = 5_000  # with items that no page had: a shared namespace may have many


def pages(fetch: Callable[[str | None], Answer], next_token: str, first: Answer | None = None) -> Iterator[Answer]:
    """Yield the pages of a listing; `fetch` requests one by its token, `next_token` is the field of the next token.

    Raises Violation when a token or a page occurs twice, and after MOST_EMPTY or MOST_PAGES.
    """
    answer = fetch(None) if first is None else first
    tokens, contents = set[str](), set[bytes]()
    yield answer
    while token := answer.get(next_token):
        if not isinstance(token, str):
            raise Violation(f"the token of the next page is {shown(token)}, not a string")
        content = _content(answer, next_token)
        if token in tokens or content in contents:
            raise Violation(f"the listing repeats an earlier page, at the token {shown(token)}")
        if len(contents) == MOST_PAGES or len(tokens) - len(contents) == MOST_EMPTY:
            raise Violation(f"the listing does not end within {len(tokens)} pages")
        tokens.add(token)
        contents.update([content] if content else [])
        answer = fetch(token)
        yield answer


def _content(answer: Answer, next_token: str) -> bytes:
    """Return the content of a page without its token, b"" for an empty page."""
    fields = {name: value for name, value in answer.json.items() if name != next_token}
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS) if any(fields.values()) else b""
