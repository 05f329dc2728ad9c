"""Addresses that an answer names: what clients make of them, and the request that they send there.

Only a documented request is sent, and only to the host of the target: addresses on other hosts are left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from conformance.author.checks import url
from conformance.http.answers import Answer
from conformance.http.client import Client
from conformance.values.outcomes import Unoffered


def resolved(base: str, address: Any, what: str) -> str:
    """Return an address as clients resolve it: a relative one lies below the base URL.

    Raises Unoffered for an address on another host, and Violation for what is no URL.
    """
    named, own = url(address, what), urlsplit(base)
    if not named.scheme and not named.netloc:
        return f"{base.rstrip('/')}/{str(address).lstrip('/')}"
    if (named.scheme, named.netloc) != (own.scheme, own.netloc):
        raise Unoffered(f"{what} is on another host, to which the run sends nothing")
    return str(address)


def base_of(client: Client, operation: str) -> str:
    """Return the base URL that clients know for an operation: the part before its path in its own document."""
    return client.base + client.document.operation(operation).mount


def call_at(
    client: Client, operation: str, address: Any, what: str, *, path: Mapping[str, str], json: Any = None
) -> Answer:
    """Send an operation to an address that an answer names and return the answer, whatever its status.

    `what` names the address, `path` are the parameters of the operation's own path.
    """
    exchange = client.prepare(operation, path=path, json=json)
    exchange.url = resolved(base_of(client, operation), address, what)
    client.require(operation)
    client.reach_subject()
    client.send(exchange)
    return Answer(exchange, client.touch, client.document.errors, client.recording.look)
