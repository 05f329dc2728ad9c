"""Cache of answers: a read whose answer depends on the catalog alone is made and serialized once.

An answer is cached for the principal that received it, together with the state of the catalog before it was made. It is
valid while the state is the same, and while its other dependencies report that they are unchanged. States are compared,
never a clock. Large answers, and answers to large requests, are not cached.
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
"""Principal, method, target, body, and the headers on which answers depend."""


class KeptAnswers:
    """Cached answers by request, about `most_bytes` of them; `key_of` makes the keys."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._answers: dict[Key, tuple[Hashable, Reply]] = {}
        self._bytes = 0

    def recall(self, key: Key | None, state: Hashable) -> Reply | None:
        """Return the cached answer to the same request in the same state, or None; `key` is the result of `key_of`."""
        entry = self._answers.get(key) if key else None
        if entry is None or entry[0] != state:
            return None
        return entry[1] if entry[1].still_valid is None or entry[1].still_valid() else None

    def keep(self, key: Key | None, state: Hashable, reply: Reply) -> None:
        """Cache an answer; `state` is the catalog's state before the answer was made."""
        if key is None or len(reply.body) > LARGEST_ANSWER:
            return
        if len(self._answers) >= MOST or self._bytes > self._most_bytes:
            self._answers.clear()
            self._bytes = 0
        replaced = self._answers.get(key)
        self._bytes += len(reply.body) - (len(replaced[1].body) if replaced else -_size(key))
        reply.body = compact(reply.body)
        self._answers[key] = (state, reply)


def key_of(request: Request, varying: Sequence[str] = ()) -> Key | None:
    """Return the cache key of a request, None for one with a large body.

    `varying` are the headers on which the answers of an API depend, beside the content type.
    """
    if len(request.body) > LARGEST_BODY:
        return None
    headers = [request.headers.get(name) for name in (CONTENT_TYPE, *varying)]
    return request.principal, request.method, request.target, request.body, *headers


def _size(key: Key) -> int:
    return len(key[2]) + len(key[3])
