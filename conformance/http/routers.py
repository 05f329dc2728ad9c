"""What routers and gateways do before any operation is known: refuse, or split a path otherwise than clients do."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.values.exchange import Exchange
from specs.openapi import JSON_TYPE

# Paths that routers do not split as clients mean them: encoded slashes and the like, control characters but the
# separator of namespaces, bytes that are no text, dots for a name.
ODD_PATH = re.compile(r"%(?:2f|5c|25|3b|7f|0[0-9a-f]|1[0-9a-e]|f[5-9a-f]|c[01])|/(?:\.|%2e){1,2}(?=/|$)", re.IGNORECASE)
UNSUPPORTED_TYPE = 415
OF_GATEWAYS = (413, 414, 429, 431)
SLASHES = frozenset("/\\\0")  # in a name, encoded: what most routers refuse, or take for the / between two names


def is_of_router(exchange: Exchange) -> bool:
    """True for a refusal that comes before any operation is known: what routers and gateways answer.

    They refuse unknown paths, types that nobody reads, what is too long, and clients that are too many.
    """
    path = exchange.url.partition("?")[0]
    return (
        (400 <= exchange.status < 500 and ODD_PATH.search(path) is not None)
        or (exchange.status == UNSUPPORTED_TYPE and media_type(exchange.request_headers) != JSON_TYPE)
        or exchange.status in OF_GATEWAYS
    )


def media_type(headers: Mapping[str, str]) -> str:
    """Return the type of a request's body, without what follows it; JSON where none is told."""
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), JSON_TYPE)
    return kind.partition(";")[0].strip().lower()


def is_split(part: str) -> bool:
    """True for a part of a path that routers may take for two."""
    return not SLASHES.isdisjoint(part)
