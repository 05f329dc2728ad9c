"""What clients and gateways rely on of HTTP itself, whatever the API: RFC 9110 and RFC 9112 say it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import holds, one_of, text
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.requests import ask_as, require_token
from conformance.common.template import template
from conformance.common.wire import raise_first
from conformance.http.client import Answer
from conformance.http.retry_after import RETRY_AFTER
from conformance.values.outcomes import Unoffered, Violation
from specs.openapi import Operation

PLAIN = ("", "identity")
MANY = 30  # requests in a row: more than a strict limit lets through
Headers = Mapping[str, str | None]


@dataclass(frozen=True, slots=True)
class Sent:
    """An operation that succeeds, and what sends it with further headers; it takes the catalog and the headers."""

    id: str
    send: Callable[[Any, Headers], Answer]


@template("http.chunked.{}", should, clause="http-chunked")
def bodies_may_come_in_chunks(catalog: Any, case: Sent) -> None:
    """{} takes a body that comes in chunks, without a length."""
    catalog.control(lambda: case.send(catalog, {}))
    case.send(catalog, {"Transfer-Encoding": "chunked"})


@template("http.encoding.{}", should, clause="http-encoding")
def answers_are_encoded_for_who_asks(catalog: Any, case: Sent) -> None:
    """The answer of {} is compressed only for who has said that it may be."""
    answer = case.send(catalog, {"Accept-Encoding": "identity"})
    one_of(answer.header("Content-Encoding").lower(), PLAIN, "the Content-Encoding")


@template("http.challenge.{}", should, clause="http-challenge", kind="auth")
def refusals_say_how_to_authenticate(suite: Suite, catalog: Any, case: Operation) -> None:
    """The answer 401 of {} says in WWW-Authenticate how a client authenticates."""
    require_token(suite)
    answer = ask_as(catalog, case, None, (401, 403))
    if answer.status == 403:
        raise Unoffered("who has no token is refused with 403")
    challenge = text(answer.header("WWW-Authenticate"), "WWW-Authenticate")
    holds(challenge.split(" ")[0].isalpha(), "WWW-Authenticate begins with the name of a scheme")


@template("http.retry_after.{}", must, clause="http-retry-after", kind="wire")
def retry_after_can_be_read(suite: Suite, catalog: Any, case: Sent) -> None:
    """Any answer, also one of many to {}, that says when to come back says it in whole seconds or as a date of HTTP."""
    client = suite.client
    with suppress(Violation):  # what is refused is looked at with the others
        for _ in range(MANY):
            case.send(catalog, {})
    raise_first(suite, [found for name in client.document.operations for found in client.wire.extra(RETRY_AFTER, name)])
    if not client.traffic.waits:
        raise Unoffered("no answer says when to come back")
