"""Answers of routers and gateways before any operation is known, and paths that they split unlike clients."""

from __future__ import annotations

import re
from collections.abc import Mapping

from conformance.values.exchange import Exchange
from specs.openapi import JSON_TYPE, media_type_of

# Paths that routers do not split as clients mean them: encoded slashes and the like, control characters but the
# separator of namespaces, bytes that are no text, dots for a name.
ODD_PATH = re.compile(r"%(?:2f|5c|25|3b|7f|0[0-9a-f]|1[0-9a-e]|f[5-9a-f]|c[01])|/(?:\.|%2e){1,2}(?=/|$)", re.IGNORECASE)
UNSUPPORTED_TYPE = 415
OF_GATEWAYS = (413, 414, 429, 431)
SLASHES = frozenset("/\\\0")  # encoded in a name, most routers reject them or split the name there


def is_of_router(exchange: Exchange) -> bool:
    """True for an error that routers and gateways return before any operation is known.

    They reject unknown paths, unsupported media types, requests that are too long, and too many requests.
    """
    path = exchange.url.partition("?")[0]
    return (
        (400 <= exchange.status < 500 and ODD_PATH.search(path) is not None)
        or (exchange.status == UNSUPPORTED_TYPE and media_type(exchange.request_headers) != JSON_TYPE)
        or exchange.status in OF_GATEWAYS
    )


def media_type(headers: Mapping[str, str]) -> str:
    """Return the media type of a request's body without parameters; JSON without the header."""
    kind = next((value for name, value in headers.items() if name.lower() == "content-type"), JSON_TYPE)
    return media_type_of(kind)


def is_split(part: str) -> bool:
    """True for a path segment that routers may split in two."""
    return not SLASHES.isdisjoint(part)
