"""Answers that are kept: a read whose answer follows from the catalog alone is serialised once.

An answer is kept for the principal that got it, together with the state of the catalog from before it was made. It is
valid as long as the state is the same. The state is compared, never a clock. Requests with large bodies are not kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from reference_server.context import Reply, Request

MOST = 20_000
MOST_BYTES = 64 << 20
LARGEST_BODY = 4 << 10
CONTENT_TYPE = "Content-Type"


class KeptAnswers:
    """Answers by request: principal, method, target, the headers that matter and body.

    `varying` are the headers on which the answers of an API depend besides the content type.
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[object, ...], tuple[Hashable, Reply]] = {}
        self._bytes = 0

    def recall(self, request: Request, state: Hashable, varying: Sequence[str] = ()) -> Reply | None:
        """Return the answer to the same request in the same state, or None."""
        entry = self._answers.get(_key(request, varying)) if _is_small(request) else None
        if entry is None or entry[0] != state:
            return None
        return entry[1] if entry[1].still_valid is None or entry[1].still_valid() else None

    def keep(self, request: Request, state: Hashable, reply: Reply, varying: Sequence[str] = ()) -> None:
        """Keep an answer; `state` is what it was before the answer was made."""
        if not _is_small(request):
            return
        if len(self._answers) >= MOST or self._bytes > MOST_BYTES:
            self._answers.clear()
            self._bytes = 0
        key = _key(request, varying)
        replaced = self._answers.get(key)
        self._bytes += len(reply.body) - (len(replaced[1].body) if replaced else -_size(request))
        self._answers[key] = (state, reply)


def _size(request: Request) -> int:
    return len(request.target) + len(request.body)


def _is_small(request: Request) -> bool:
    return len(request.body) <= LARGEST_BODY


def _key(request: Request, varying: Sequence[str]) -> tuple[object, ...]:
    headers = [request.headers.get(name) for name in (CONTENT_TYPE, *varying)]
    return request.principal, request.method, request.target, *headers, request.body
