"""Walking over the pages of a listing, for no longer than a listing can be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import orjson

from conformance.http.client import Answer
from conformance.values.json_values import shown
from conformance.values.outcomes import Violation

MOST_PAGES = 500


def pages(fetch: Callable[[str | None], Answer], next_token: str, first: Answer | None = None) -> Iterator[Answer]:
    """Yield the pages of a listing; `fetch` asks for one by its token, `next_token` is the field of the next one.

    Raises Violation when a token or a page comes twice, and after MOST_PAGES.
    """
    answer = fetch(None) if first is None else first
    tokens, contents = set[str](), set[bytes]()
    yield answer
    while token := answer.get(next_token):
        if not isinstance(token, str):
            raise Violation(f"the token of the next page is {shown(token)} and no text")
        content = _content(answer, next_token)
        if token in tokens or content in contents:
            raise Violation(f"the listing comes back to a page that it had before, by the token {shown(token)}")
        if len(tokens) == MOST_PAGES:
            raise Violation(f"the listing has not ended after {MOST_PAGES} pages")
        tokens.add(token)
        contents.update([content] if content else [])
        answer = fetch(token)
        yield answer


def _content(answer: Answer, next_token: str) -> bytes:
    """Return what a page holds beside its token, b"" when that is nothing."""
    fields = {name: value for name, value in answer.json.items() if name != next_token}
    return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS) if any(fields.values()) else b""
