"""The suite's client: sends exact bytes, records every exchange, checks every answer.

An answer that does not match its schema does not stop the requirement that happened to cause it:
it is noted in the wire log and judged there, once, by the wire requirement of its operation.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NoReturn
from urllib.parse import quote, urlencode

import orjson

from conformance.exchange import Exchange, hide_fields
from conformance.json_values import shown, strict
from conformance.outcomes import Blocked, Unoffered, Violation
from conformance.transport import Connection, Traffic, Transport
from conformance.wire import WireLog
from specs.identifiers import encode_segment
from specs.openapi import JSON_TYPE, Document, Operation
from specs.validation import Validators

Expected = int | Collection[int] | None


class Encoded(str):
    """A path segment that is percent-encoded already."""

    __slots__ = ()


class Answer:
    """An answer. Looking at a field of it remembers the field: a failing assertion marks it."""

    def __init__(self, exchange: Exchange, touch: Callable[[Exchange, str], None]) -> None:
        self._exchange = exchange
        self._touch = touch

    @property
    def status(self) -> int:
        """The HTTP status."""
        self._touch(self._exchange, "status")
        return self._exchange.status

    @property
    def body(self) -> bytes:
        """The body as it came."""
        self._touch(self._exchange, "body:")
        return self._exchange.response_body

    @property
    def json(self) -> Any:
        """The body as JSON. Raises Violation when it is none."""
        self._touch(self._exchange, "body:")
        try:
            return strict(orjson.loads(self._exchange.response_body))
        except orjson.JSONDecodeError as error:
            raise Violation(f"the body is not JSON: {error}", "body:") from None

    def header(self, name: str) -> str:
        """Return a header, "" when it is absent."""
        self._touch(self._exchange, f"header:{name}")
        return self._exchange.response_headers.get(name, "")

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field of a JSON object, or the default when it is absent."""
        value = self.json
        self._touch(self._exchange, f"body:/{name}")
        if not isinstance(value, dict):
            raise Violation(f"the body is no JSON object but {shown(value)}", "body:")
        return value.get(name, default)

    def __getitem__(self, name: str) -> Any:
        """Return a field of a JSON object. Raises Violation when it is absent."""
        value = self.get(name, self)
        if value is self:
            raise Violation(f"the answer has no field {shown(name)}", f"body:/{name}")
        return value

    @property
    def code(self) -> Any:
        """The number of a Lance error, None when there is none."""
        return self.get("code")

    @property
    def type(self) -> Any:
        """The exception type of an Iceberg error, None when there is none."""
        error = self.get("error")
        self._touch(self._exchange, "body:/error/type")
        return error.get("type") if isinstance(error, dict) else None

    def __repr__(self) -> str:
        body = hide_fields(self._exchange.response_body)[:200].decode("utf-8", "replace")
        return f"<{self._exchange.status} {body}>"


class Client:
    """Sends the operations of one document to one target. Not for use by several threads at once.

    `missing` maps operations that the target lacks, without saying so properly, to the requirement
    that judges this: what needs them is blocked by it. `refused` are those that it lacks and says so
    beforehand, `says_unsupported` tells when an answer does. `locate` spells a path of the document
    for this target. `traffic` is what all clients of a run have seen of the server.
    """

    def __init__(self, connection: Connection, document: Document, traffic: Traffic | None = None) -> None:
        self.document = document
        self.traffic = traffic or Traffic()
        self.wire = WireLog(document, Validators(document))
        self.steps: list[Exchange] = []
        self._reached_subject = False
        self.requests = 0
        self.subjects: frozenset[str] = frozenset()
        self.reached: set[str] = set()
        self.missing: Mapping[str, str] = {}
        self.refused: Collection[str] = ()
        self.says_unsupported: Callable[[Exchange], bool] = is_unsupported
        self.locate: Callable[[str], str] = str
        self.exchange_listener: Callable[[Exchange], None] | None = None
        self._connection = connection
        self._ends: float | None = None
        self._transport = Transport(connection, self.traffic)

    def begin(self, subjects: Collection[str]) -> None:
        """Start a requirement: everything but its subjects is a prerequisite from now on.

        `reached` collects which statuses of the subjects the requirement asked for and got.
        """
        self.subjects = frozenset(subjects)
        self.reached = set()
        self.begin_example()

    def begin_example(self) -> None:
        """Start one example of a requirement: its steps are told from here."""
        self.steps = []
        self._reached_subject = False

    def reach_subject(self) -> None:
        """Note that a subject was called in another way than through this client."""
        self._reached_subject = True

    def call(
        self,
        operation_id: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        body: bytes | None = None,
        content_type: str | None = JSON_TYPE,
        headers: Mapping[str, str | None] | None = None,
        expect: Expected = 200,
    ) -> Answer:
        """Send one operation and return the answer.

        `path` values are percent-encoded here unless they are Encoded, `json` is serialised, `body` is sent as it is; a
        header of None takes a default header away. `expect` is the status or statuses that the
        requirement allows, None for any. An unexpected status raises Violation, but Blocked while no
        subject of the requirement was called yet: then a prerequisite failed. 406 with the code for
        an unsupported operation raises Unoffered for a subject and Blocked otherwise, unless expected.
        """
        operation = self.document.operation(operation_id)
        content = orjson.dumps(json) if json is not None else body or b""
        exchange = Exchange(
            operation_id,
            operation.method,
            self._transport.origin + self._target(operation, path or {}, query or {}),
            self._headers(content_type if content or json is not None else None, headers or {}),
            content,
        )
        self._reached_subject = self._reached_subject or operation_id in self.subjects
        self.send(exchange)
        self.judge_status(exchange, expect)
        return Answer(exchange, self.touch)

    def get_raw(self, path: str) -> Exchange:
        """Send a GET to a path that belongs to no operation."""
        url = self._transport.origin + self._transport.base + path
        return self.send(Exchange("", "GET", url, self._headers(None, {})))

    def send(self, exchange: Exchange) -> Exchange:
        """Send a prepared request, record it and check the answer against the document.

        What prepares or cleans up is sent again when its connection breaks; what a requirement is about is not.
        Raises Stopped when the run is over, and Blocked when the time of a forked client is.
        """
        if self._ends is not None and time.monotonic() > self._ends:
            raise Blocked("the clients did not come to an end in time", exchange.operation)
        self.steps.append(exchange)
        self.requests += 1
        self._transport.send(exchange, again=self.traffic.cleaning or not self._reached_subject)
        if exchange.operation in self.document.operations:
            self.wire.check(exchange, self.steps)
        if self.exchange_listener:
            self.exchange_listener(exchange)
        return exchange

    @contextmanager
    def cleaning(self) -> Iterator[None]:
        """Clean up: it may go on for a while when the run's time is over, and what breaks is sent again."""
        before, self.traffic.cleaning = self.traffic.cleaning, True
        try:
            yield
        finally:
            self.traffic.cleaning = before

    @property
    def gone(self) -> bool:
        """True when the server answers no more."""
        return bool(self.traffic.stopped and self.traffic.stopped.gone)

    @property
    def broken(self) -> tuple[int, str] | None:
        """The last step of this example whose connection broke: its place and operation, None without one."""
        places = [(place, step.operation) for place, step in enumerate(self.steps) if step.broken or step.resent]
        return places[-1] if places else None

    def reject_malformed(self, error: Exception) -> NoReturn:
        """Explain an error by the first answer of this example that does not have the form of the document.

        Raises Violation or, where the answer only prepared, Blocked; the error itself when all have it.
        """
        for step in self.steps:
            if step.defect:
                mark, message = step.defect
                self.touch(step, mark)
                message = f"the answer of {step.operation} cannot be used: {message}"
                if self._reached_subject:
                    raise Violation(message, mark) from error
                raise Blocked(message, step.operation) from error
        raise error

    def touch(self, exchange: Exchange, mark: str) -> None:
        """Remember the field that the requirement looked at last; it is what a failure is about."""
        for step in self.steps:
            step.mark = ""
        exchange.mark = mark

    def _target(self, operation: Operation, path: Mapping[str, str], query: Mapping[str, Any]) -> str:
        target = self.locate(operation.path)
        for name, value in path.items():
            target = target.replace("{" + name + "}", value if isinstance(value, Encoded) else encode_segment(value))
        pairs = {name: _query_text(value) for name, value in query.items() if value is not None}
        return self._transport.base + target + ("?" + urlencode(pairs, doseq=True, quote_via=quote) if pairs else "")

    def _headers(self, content_type: str | None, extra: Mapping[str, str | None]) -> dict[str, str]:
        merged: dict[str, str | None] = {"Accept": "*/*", **self._connection.headers}
        if content_type:
            merged["Content-Type"] = content_type
        merged.update(extra)
        return {name: value for name, value in merged.items() if value is not None}

    def judge_status(self, exchange: Exchange, expect: Expected) -> None:
        """Raise what `call` raises when the status of an exchange is not an expected one."""
        if exchange.operation in self.missing and expect is not None:
            raise Blocked(f"the server does not have {exchange.operation}", self.missing[exchange.operation])
        if exchange.operation in self.refused and expect is not None:
            self._refuse(exchange.operation)
        wanted = None if expect is None else {expect} if isinstance(expect, int) else set(expect)
        if exchange.status and (wanted is None or exchange.status in wanted):
            if wanted is not None and exchange.operation in self.subjects:
                self.reached.add(f"{exchange.operation} {exchange.status}")
            return
        self.touch(exchange, "status")
        if self.says_unsupported(exchange):
            self._refuse(exchange.operation)
        found = f"got {exchange.status}" if exchange.status else f"got no answer ({exchange.failure})"
        names = " or ".join(map(str, sorted(wanted))) if wanted else "an answer"
        message = f"{exchange.operation}: expected {names}, {found}"
        if self._reached_subject:
            raise Violation(message, "status")
        raise Blocked(message, exchange.operation)

    def _refuse(self, operation: str) -> NoReturn:
        if operation in self.subjects:
            raise Unoffered(f"the server does not have {operation}")
        raise Blocked(f"the server does not have {operation}", operation)

    @property
    def headers(self) -> Mapping[str, str]:
        """What every request carries."""
        return self._connection.headers

    def use_token(self, token: str) -> None:
        """Send this bearer token with every request from now on."""
        self._connection = self._connection.with_token(token)

    def fork(self, seconds: float) -> Client:
        """Return a client for another thread and for so long; `join` takes over what it has seen."""
        other = Client(self._connection, self.document, self.traffic)
        other._ends = time.monotonic() + seconds
        other.wire = WireLog(self.document, self.wire.validators, extra_checks=self.wire.extra_checks)
        other.subjects, other._reached_subject = self.subjects, True
        other.missing, other.refused, other.locate = self.missing, self.refused, self.locate
        other.says_unsupported = self.says_unsupported
        return other

    def join(self, other: Client) -> None:
        """Take over what a forked client has seen, and close it."""
        self.requests += other.requests
        self.steps += other.steps
        self.wire.absorb(other.wire)
        for exchange in other.steps:
            if self.exchange_listener:
                self.exchange_listener(exchange)
        other.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()


def is_unsupported(exchange: Exchange) -> bool:
    """True when an answer says, as the document wants, that the server lacks the operation."""
    if exchange.status != 406:
        return False
    try:
        return bool(orjson.loads(exchange.response_body).get("code") == 0)
    except (orjson.JSONDecodeError, AttributeError):
        return False


def _query_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
