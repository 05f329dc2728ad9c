"""Page tokens: opaque to clients; they contain the last returned key.

A page starts after the last key of the page before it, so a listing loses and duplicates no entry while other requests
create and drop some, and every page costs the same.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from reference_server.errors import InvalidInput
from reference_server.storage import pack, unpack

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a listing; `token` is None on the last one."""

    items: list[T]
    token: str | None


def encode_token(scope: bytes, last: bytes) -> str:
    """Return the token for the page after `last` in the listing named by `scope`."""
    return base64.urlsafe_b64encode(pack(scope, last)).decode().rstrip("=")


def decode_token(scope: bytes, token: str | None) -> bytes | None:
    """Return the key after which the page starts, None for the first page.

    Raises InvalidInput for a foreign token and for a token of another listing.
    """
    if not token:
        return None
    try:
        token_scope, last = unpack(base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise InvalidInput("This server did not issue the page token.") from None
    if token_scope != scope:
        raise InvalidInput("The page token belongs to another listing.")
    return last


def take_page(
    scope: bytes,
    token: str | None,
    limit: int | None,
    maximum: int,
    fetch: Callable[[bytes | None, int], Sequence[tuple[bytes, T]]],
) -> Page[T]:
    """Return one page of a listing.

    `fetch(after, count)` returns up to `count` pairs of key and item whose key is greater than `after`, in key order.
    Raises InvalidInput for a limit below 1 and for an invalid token.
    """
    if limit is not None and limit < 1:
        raise InvalidInput(f"The limit must be at least 1, not {limit}.")
    size = min(limit or maximum, maximum)
    items = fetch(decode_token(scope, token), size + 1)
    has_more = len(items) > size
    return Page([item for _, item in items[:size]], encode_token(scope, items[size - 1][0]) if has_more else None)


def take_named_page(
    entries: Mapping[str, T], scope: bytes, token: str | None, limit: int | None, maximum: int
) -> Page[tuple[str, T]]:
    """Return one page of entries in memory, as pairs of name and entry in the order of their names.

    Raises InvalidInput as take_page.
    """
    keyed = [(name.encode(), (name, entries[name])) for name in sorted(entries, key=str.encode)]

    def fetch(after: bytes | None, count: int) -> Sequence[tuple[bytes, tuple[str, T]]]:
        return [pair for pair in keyed if after is None or pair[0] > after][:count]

    return take_page(scope, token, limit, maximum, fetch)
