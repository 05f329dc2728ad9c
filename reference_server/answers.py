"""Answers that are kept: a read whose answer follows from the catalog alone is made and serialised once.

An answer is kept for the principal that got it, together with the state of the catalog from before it was made. It is
valid as long as the state is the same, and as what it depends on besides says so of itself. States are compared, never
a clock. Neither answers to large requests are kept nor large answers.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from reference_server.auth import Principal
from reference_server.context import Reply, Request
from reference_server.json_text import compact

MOST = 20_000
MOST_BYTES = 64 << 20
LARGEST_BODY = 4 << 10
LARGEST_ANSWER = MOST_BYTES // 8
CONTENT_TYPE = "Content-Type"
Key = tuple[Principal, str, str, bytes, *tuple[str | None, ...]]
"""Principal, method, target, body and the headers that matter."""


class KeptAnswers:
    """Answers by what tells their requests: see `key_of`."""

    def __init__(self) -> None:
        self._answers: dict[Key, tuple[Hashable, Reply]] = {}
        self._bytes = 0

    def recall(self, key: Key | None, state: Hashable) -> Reply | None:
        """Return the answer to the same request in the same state, or None; `key` is what `key_of` returned."""
        entry = self._answers.get(key) if key else None
        if entry is None or entry[0] != state:
            return None
        return entry[1] if entry[1].still_valid is None or entry[1].still_valid() else None

    def keep(self, key: Key | None, state: Hashable, reply: Reply) -> None:
        """Keep an answer; `state` is what it was before the answer was made."""
        if key is None or len(reply.body) > LARGEST_ANSWER:
            return
        if len(self._answers) >= MOST or self._bytes > MOST_BYTES:
            self._answers.clear()
            self._bytes = 0
        replaced = self._answers.get(key)
        self._bytes += len(reply.body) - (len(replaced[1].body) if replaced else -_size(key))
        reply.body = compact(reply.body)
        self._answers[key] = (state, reply)


def key_of(request: Request, varying: Sequence[str] = ()) -> Key | None:
    """Return what tells a request from others, None for one with a large body.

    `varying` are the headers on which the answers of an API depend besides the content type.
    """
    if len(request.body) > LARGEST_BODY:
        return None
    headers = [request.headers.get(name) for name in (CONTENT_TYPE, *varying)]
    return request.principal, request.method, request.target, request.body, *headers


def _size(key: Key) -> int:
    return len(key[2]) + len(key[3])
