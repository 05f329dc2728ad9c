"""Templates about HTTP itself, as clients and gateways of any API rely on it (RFC 9110, RFC 9112)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.checks import holds, one_of, text
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.requests import ask_as, require_token
from conformance.common.template import template
from conformance.common.wire import raise_first
from conformance.http.answers import Answer
from conformance.http.retry_after import RETRY_AFTER
from conformance.values.outcomes import Skipped, Unoffered, Violation
from specs.openapi import Operation

PLAIN = ("", "identity")
MANY = 30  # consecutive requests: more than a strict rate limit allows
Headers = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Sent:
    """Operation with a function that sends a valid request of it, given the catalog and additional headers."""

    id: str
    send: Callable[[Any, Headers], Answer]


@template("http.chunked.{}", should, clause="http-chunked", reads=True)
def bodies_may_come_in_chunks(catalog: Catalog, case: Sent) -> None:
    """{} accepts a body sent with chunked transfer encoding, without Content-Length."""
    catalog.control(lambda: case.send(catalog, {}))
    case.send(catalog, {"Transfer-Encoding": "chunked"})


@template("http.encoding.{}", should, clause="http-encoding", reads=True)
def answers_are_encoded_for_who_asks(catalog: Catalog, case: Sent) -> None:
    """{} returns an uncompressed body to a request with Accept-Encoding: identity."""
    answer = case.send(catalog, {"Accept-Encoding": "identity"})
    one_of(answer.header("Content-Encoding").lower(), PLAIN, "the Content-Encoding")


@template("http.challenge.{}", should, clause="http-challenge", kind="auth", reads=True)
def refusals_say_how_to_authenticate(suite: Suite, catalog: Catalog, case: Operation) -> None:
    """{} without a token returns 401 with a WWW-Authenticate header that names an authentication scheme."""
    require_token(suite)
    answer = ask_as(catalog, case, None, (401, 403))
    if answer.status == 403:
        raise Unoffered("the server returns 403 without a token")
    challenge = text(answer.header("WWW-Authenticate"), "WWW-Authenticate")
    holds(challenge.split(" ")[0].isalpha(), "WWW-Authenticate begins with the name of a scheme")


@template("http.retry_after.{}", must, clause="http-retry-after", kind="wire")
def retry_after_can_be_read(suite: Suite, catalog: Catalog, case: Sent) -> None:
    """Every Retry-After header, also during 30 consecutive calls of {}, is a number of seconds or an HTTP date."""
    client = suite.client
    with suppress(Violation):  # the check below covers rejected requests too
        for _ in range(MANY):
            case.send(catalog, {})
    raise_first(suite, client.wire.extra(RETRY_AFTER, client.document.operations))
    if not client.traffic.waits:
        raise Skipped("no response of this run has a Retry-After header")
