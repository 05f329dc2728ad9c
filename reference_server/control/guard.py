"""Guard of the control paths: programs on this machine may use them, web pages and other machines may not.

A web page that a developer opens can send requests to the loopback address, and DNS can give that address a foreign
name. Therefore the guard checks the address of the client, the name in `Host`, the `Origin`, and whether a browser
could have sent a write without asking first. A control token replaces the checks of address and name: no page has it.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address

from reference_server.errors import CatalogError, PermissionDenied, Unauthenticated
from specs.openapi import JSON_TYPE, media_type_of

READS = ("GET", "HEAD")
BODY_TYPES = (JSON_TYPE, "application/yaml")
"""Content types that a browser sends to another site only after a preflight request, which the server refuses."""
FORWARDED = ("Forwarded", "X-Forwarded-For", "X-Forwarded-Host")
WITH_TOKEN = "Start the server with --control-token to use them from elsewhere."  # noqa: S105 - a sentence


class UnsupportedBody(CatalogError):
    """The body has a content type that a web page may send to any server."""

    status = 415


@dataclass(frozen=True, slots=True)
class Guard:
    """Guard of a server that listens on `host`; `token` is its control token, "" for none."""

    host: str
    token: str = field(default="", repr=False)

    def check(self, method: str, headers: Mapping[str, str], peer: str) -> None:
        """Check a request from the address `peer`.

        Raises Unauthenticated, PermissionDenied and UnsupportedBody.
        """
        if self.token:
            self._check_token(headers)
        else:
            self._check_place(headers, peer)
        check_site(headers)
        if method not in READS:
            _check_body_type(method, headers)

    def _check_token(self, headers: Mapping[str, str]) -> None:
        scheme, _, token = headers.get("Authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not hmac.compare_digest(_raw(token.strip()), _raw(self.token)):
            challenge = {"WWW-Authenticate": 'Bearer realm="lakeproof-control"'}
            raise Unauthenticated("The control paths need `Authorization: Bearer` with the control token.", challenge)

    def _check_place(self, headers: Mapping[str, str], peer: str) -> None:
        if not _is_loopback(peer) or any(name in headers for name in FORWARDED):
            raise PermissionDenied(f"The control paths answer only to programs on this machine. {WITH_TOKEN}")
        name = _host_name(headers.get("Host", ""))
        if not (name in ("localhost", self.host.lower()) or _is_loopback(name)):
            raise PermissionDenied(f"The control paths have no host {name!r:.100}: use 127.0.0.1. {WITH_TOKEN}")


def check_site(headers: Mapping[str, str]) -> None:
    """Raise PermissionDenied for a request that a page of another site has sent: it would make tenants, for example."""
    origin = headers.get("Origin")
    foreign = origin is not None and origin.partition("://")[2] != headers.get("Host")
    if foreign or headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
        raise PermissionDenied("Control paths and tenants refuse requests of web pages.")


def _check_body_type(method: str, headers: Mapping[str, str]) -> None:
    """Raise UnsupportedBody for a write that a browser sends to another site without a preflight request."""
    kind = media_type_of(headers.get("Content-Type", ""))
    if kind not in BODY_TYPES and (kind or method == "POST"):
        raise UnsupportedBody(f"The control paths need Content-Type {' or '.join(BODY_TYPES)}, not {kind or 'none'}.")


def _host_name(header: str) -> str:
    """Return the name in a Host header, without its port, brackets and final dot, in lower case."""
    if header.startswith("["):
        return header[1:].partition("]")[0].lower()
    return header.partition(":")[0].rstrip(".").lower()


def _is_loopback(address: str) -> bool:
    try:
        parsed = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(parsed, "ipv4_mapped", None)
    return (mapped or parsed).is_loopback


def _raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
