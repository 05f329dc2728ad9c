"""The suite's client: sends exact bytes, records every exchange, checks every answer.

An answer that violates its schema does not fail the requirement that happened to receive it: it is noted in the wire
log, and the wire requirement of its operation reports it once.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from dataclasses import replace
from typing import Any, NoReturn
from urllib.parse import quote, urlencode

import orjson

from conformance.http.answers import Answer
from conformance.http.recording import Recording, ServerKnowledge
from conformance.http.transport import Connection, Traffic, Transport
from conformance.http.wire import WireLog
from conformance.values.evidence import aspect_of
from conformance.values.exchange import A_FILE, Action, Beside, Exchange, Verb, is_success
from conformance.values.outcomes import UNREADABLE, Blocked, Skipped, Unoffered, Violation, unexpected_status
from conformance.values.redaction import is_secret
from conformance.values.settings import ANOTHER_CALLER
from specs.identifiers import encode_segment
from specs.openapi import JSON_TYPE, Document, Operation
from specs.validation import Validators

Expected = int | Collection[int] | None
FORBIDDEN = 403
BODY = "body:"  # starts the mark of a place in a body
MOST_TRIES = 3  # of an operation that the server does not offer: one wrong answer may have said so


class Successes(frozenset[int]):
    """The declared statuses of success, for a call that states no status: the wire check judges another 2xx."""

    __slots__ = ()


class Encoded(str):
    """A path segment that is percent-encoded already."""

    __slots__ = ()


class Client:
    """Sends the operations of one document to one target. Not thread-safe.

    `traffic` are the observations that all clients of a run share, `known` the knowledge about the server from before
    the run. `as_` returns a client with other credentials, `fork` one for another thread.
    """

    def __init__(self, connection: Connection, document: Document, traffic: Traffic | None = None) -> None:
        self.document = document
        self.traffic = traffic or Traffic()
        self.recording = Recording(WireLog(document, Validators(document)))
        self.known = ServerKnowledge()
        self._connection = connection
        self._ends: float | None = None
        self._transport = Transport(connection, self.traffic)

    def as_(self, credentials: Mapping[str, str | None]) -> Client:
        """Return a client with other credentials for the same requirement: it records into the same recording.

        `credentials` are headers; a header of None is not sent: `as_({"Authorization": None})` is an anonymous caller.
        """
        other = copy(self)
        other._connection = self._connection.with_headers(credentials)
        return other

    def located(self, locate: Callable[[str], str]) -> Client:
        """Return a client for the same requirement that spells the document's paths in another way."""
        other = copy(self)
        other.known = replace(self.known, locate=locate)
        return other

    @property
    def wire(self) -> WireLog:
        """The wire log: deviations of the answers from the document."""
        return self.recording.wire

    @property
    def steps(self) -> list[Exchange]:
        """The exchanges of the current example; set to show others."""
        return self.recording.steps

    @steps.setter
    def steps(self, shown: list[Exchange]) -> None:
        self.recording.steps = shown

    @property
    def requests(self) -> int:
        """The number of requests sent in the run, also past this client."""
        return self.recording.requests

    @requests.setter
    def requests(self, count: int) -> None:
        self.recording.requests = count

    @property
    def reached(self) -> set[str]:
        """The expected statuses of the requirement's subjects that occurred."""
        return self.recording.reached

    @property
    def subjects(self) -> frozenset[str]:
        """The operations that the requirement tests."""
        return self.recording.subjects

    def lacks(self, operation: str) -> bool:
        """True for an operation that the document lacks, or that the server does not offer; see ServerKnowledge.

        A requirement that asks leaves out the operation on purpose.
        """
        lacks = operation not in self.document.operations or self.known.lacks(operation)
        if lacks:
            self.recording.left_out.add(operation)
        return lacks

    def untested(self, operations: Iterable[str]) -> list[str]:
        """Return those of a requirement's operations that the server lacks, and that it neither called nor left out."""
        return [name for name in operations if self.known.lacks(name) and name not in self.recording.left_out]

    def begin(self, subjects: Collection[str]) -> None:
        """Start a requirement: from now on every call of an operation other than its subjects is a prerequisite."""
        self.recording.begin(subjects)

    def begin_example(self) -> None:
        """Start one example of a requirement: its steps begin here."""
        self.recording.begin_example()

    def reach_subject(self) -> None:
        """Note that a subject was called past this client."""
        self.recording.reached_subject = True

    def note_beside(self, verb: Verb, location: str, content: bytes = b"", *, thing: str = A_FILE) -> None:
        """Note an action beside HTTP: it becomes a step of the requirement, in which the location is a plain string."""
        self.recording.act(Action(Beside(verb=verb, thing=thing), str(location), content))

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

        `path` values are percent-encoded here unless they are Encoded, `json` is serialised, `body` is sent unchanged;
        a header of None removes a default header. `expect` is the status or statuses that the requirement allows, None
        for any; see `_counts` for another 2xx. An unexpected status raises Violation, or Blocked before the first call
        of a subject: then a prerequisite failed. An operation that the server does not offer raises Unoffered whatever
        its answer, and without a request after some tries: one wrong answer may have said that it is not offered. A
        prerequisite that is always refused is blocked without a request; see Refusals. An unexpected 403 raises Skipped
        in a read-only run: its caller may have few rights.
        """
        exchange = self.prepare(
            operation_id, path=path, query=query, json=json, body=body, content_type=content_type, headers=headers
        )
        self._spare(exchange)
        if operation_id in self.subjects and not self.recording.preparing:
            self.reach_subject()
        if expect is not None:
            self._check_unrefused(exchange, {expect} if isinstance(expect, int) else expect)
        self.send(exchange)
        self.check_status(exchange, expect)
        return Answer(exchange, self.touch, self.document.errors, self.recording.look)

    def prepare(
        self,
        operation_id: str,
        *,
        path: Mapping[str, str] | None = None,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        body: bytes | None = None,
        content_type: str | None = JSON_TYPE,
        headers: Mapping[str, str | None] | None = None,
    ) -> Exchange:
        """Return the request of a call without sending it."""
        operation = self.document.operation(operation_id)
        content = orjson.dumps(json) if json is not None else body or b""
        return Exchange(
            operation_id,
            operation.method,
            self._transport.origin + self._target(operation, path or {}, query or {}),
            self._headers(content_type if content or json is not None else None, headers or {}),
            content,
            made_up=self._made_up(headers or {}),
        )

    def get_raw(self, path: str) -> Exchange:
        """Send a GET to a path that belongs to no operation."""
        return self.send(Exchange("", "GET", self.base + path, self._headers(None, {})))

    def send(self, exchange: Exchange) -> Exchange:
        """Send a prepared request, record it and check the answer against the document.

        A prerequisite or clean-up request is sent again when its connection breaks; a request of a subject is not.
        Raises Stopped when the run is over, Blocked when the time of a forked client is over, and Skipped for a
        request that a read-only run does not send: it could change something.
        """
        if self.traffic.gate:
            self.traffic.gate.check(exchange)
        if self._ends is not None and time.monotonic() > self._ends:
            raise Blocked("the clients did not finish in time", exchange.operation)
        self.recording.add(exchange, cleaning=self.traffic.cleaning)
        self._transport.send(exchange, again=self.traffic.cleaning or not self.recording.checking)
        if exchange.operation in self.document.operations:
            repeats = self.traffic.cleaning or self.recording.repeating
            if not (repeats or (exchange.succeeded and self.recording.unusual)):
                self.wire.check(exchange, self.steps)
            if exchange.succeeded:
                self.known.done.add(exchange.operation)
        self.recording.hear(exchange)
        return exchange

    def cleaning(self) -> AbstractContextManager[None]:
        """Return a context for clean-up, which may exceed the run's time and repeats broken requests.

        Its answers are not checked against the document: what is left to drop differs between two equal runs.
        """
        return _true_within(self.traffic, "cleaning")

    def repeating(self) -> AbstractContextManager[None]:
        """Return a context for replays, whose answers are not checked against the document.

        The findings of earlier runs decide which requests are sent again, and when.
        """
        return _true_within(self.recording, "repeating")

    def logging_in(self) -> AbstractContextManager[None]:
        """Return a context in which a read-only run may get a token."""
        return self.traffic.gate.logging_in() if self.traffic.gate else nullcontext()

    def unusual(self) -> AbstractContextManager[None]:
        """Return a context for requests that a server may reject: successful answers are not checked."""
        return _true_within(self.recording, "unusual")

    @contextmanager
    def preparing(self) -> Iterator[None]:
        """Prepare within the block, or show that the valid twin of an invalid request is accepted: a failure blocks.

        Raises Blocked for a Violation, also when the called operation is a subject of the requirement.
        """
        before, self.recording.preparing = self.recording.preparing, True
        try:
            yield
        except Violation as error:
            raise Blocked(str(error), self.steps[-1].operation if self.steps else "") from error
        except UNREADABLE:  # the answer of a prerequisite is malformed: the example ends while it prepares
            before = True
            raise
        finally:
            self.recording.preparing = before

    def looking(self) -> AbstractContextManager[None]:
        """Return a context for requests that only show what became of others."""
        return _true_within(self.recording, "looking")

    @contextmanager
    def furnishing(self, *plain: str) -> Iterator[None]:
        """Prepare what the current world has; its requests call no subject, but those that are `plain` ones, too.

        A defect that the requirement meets before it calls a subject blocks it then, as in the plain world.
        """
        recording = self.recording
        before, start = recording.sent_subject, len(self.steps)
        try:
            with self.preparing():
                yield
        finally:
            sent = {step.operation for step in self.steps[start:]}
            recording.sent_subject = before or bool(sent & recording.subjects & set(plain))

    @property
    def gone(self) -> bool:
        """True when the server no longer answers."""
        return bool(self.traffic.stopped and self.traffic.stopped.gone)

    @property
    def broken(self) -> tuple[int, str] | None:
        """The last step of this example whose connection broke: its index and operation; None without one."""
        places = [(place, step.operation) for place, step in enumerate(self.steps) if step.broken or step.resent]
        return places[-1] if places else None

    def reject_malformed(self, error: Exception) -> NoReturn:
        """Explain an error by the first answer of this example whose body violates the document.

        Raises Violation, or Blocked before the first call of a subject; the error itself when all bodies are valid: no
        reader fails at a header.
        """
        for step in filter(lambda step: step.defect, self.steps):
            defects = self.wire.defects(step).items()
            mark, message = next((defect for defect in defects if defect[0].startswith(BODY)), ("", ""))
            if mark:
                self.touch(step, mark)
                violation = Violation(
                    f"the answer of {step.operation} cannot be used: {message}", aspect=aspect_of(mark, "schema")
                )
                if self.recording.checking:
                    raise violation from error
                raise Blocked(str(violation), step.operation) from violation
        raise error

    def touch(self, exchange: Exchange, mark: str) -> None:
        """Remember the field that the requirement read last: a failure marks it."""
        self.recording.touch(exchange, mark)

    def _target(self, operation: Operation, path: Mapping[str, str], query: Mapping[str, Any]) -> str:
        target = self.known.locate(operation.path)
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

    def _made_up(self, extra: Mapping[str, str | None]) -> list[str]:
        """Return the headers with secrets that are not those of the run."""
        own = self._connection.headers
        return [
            name for name, value in extra.items() if is_secret(name) and value is not None and own.get(name) != value
        ]

    def check_status(self, exchange: Exchange, expect: Expected) -> None:
        """Raise the errors of `call` for an unexpected status of an exchange."""
        operation = exchange.operation
        wanted = None if expect is None else {expect} if isinstance(expect, int) else set(expect)
        among = wanted is None or exchange.status in wanted or self._counts(exchange.status, expect)
        fits = bool(exchange.status) and among
        if exchange.status and not fits and not self.recording.checking:
            self.known.refusals.note(exchange)
        self.require(operation)
        if fits:
            if wanted is not None and operation in self.subjects and not self.recording.preparing:
                self.reached.add(f"{operation} {exchange.status}")
            return
        self._reject_status(exchange, wanted or ())

    def _reject_status(self, exchange: Exchange, wanted: Collection[int]) -> NoReturn:
        """Raise the error for an answer whose status is not one of the `wanted`."""
        operation = exchange.operation
        self.touch(exchange, "status")
        violation = unexpected_status(exchange, sorted(wanted))
        if operation not in self.known.done and self.refuses(exchange):
            raise self._unoffered(operation, violation)
        if self.traffic.gate and exchange.status == FORBIDDEN:
            raise Skipped(f"{operation} returns {FORBIDDEN}: the caller of the run may not do this", ANOTHER_CALLER)
        if self.recording.checking:
            raise violation
        raise Blocked(str(violation), operation) from violation

    def _counts(self, status: int, expect: Expected) -> bool:
        """True for a 2xx in place of the expected one, unless the requirement is about the status itself.

        `wire.*` reports the status, once; it says nothing about what the operation did.
        """
        if not is_success(status) or expect is None:
            return False
        statuses = [expect] if isinstance(expect, int) else expect
        stated = self.recording.checking and not isinstance(expect, Successes) and all(map(is_success, statuses))
        return not stated and any(map(is_success, statuses))

    def _check_unrefused(self, exchange: Exchange, wanted: Collection[int]) -> None:
        """Raise the error for a prerequisite that the server always refused; it is not sent.

        The last refusal is a step in its place, with the same evidence.
        """
        operation = exchange.operation
        if self.recording.checking or operation in self.known.done:
            return
        refusal = self.known.refusals.stand_in(operation)
        if refusal is None or refusal.status in wanted:
            return
        self.recording.withhold(exchange)
        self.require(operation)
        shown = replace(refusal, resent=False, before=())
        self.steps.append(shown)
        self._reject_status(shown, wanted)

    def require(self, operation: str) -> None:
        """Raise Unoffered for an operation that the server does not offer."""
        if self.known.lacks(operation):
            raise self._unoffered(operation)

    def require_any(self, operations: Sequence[str]) -> None:
        """Raise Unoffered if the server does not offer any of these operations, and each was tried."""
        if operations and all(map(self._given_up, operations)):
            self.require(operations[0])

    def _spare(self, exchange: Exchange) -> None:
        """Count a request to an operation that the server does not offer. Raises Unoffered after some tries."""
        operation = exchange.operation
        if self._given_up(operation):
            self.recording.withhold(exchange)
            raise self._unoffered(operation)
        if self.known.lacks(operation):
            self.known.tries[operation] += 1

    def _given_up(self, operation: str) -> bool:
        """True for an operation that the server does not offer and that is not tried again."""
        return self.known.lacks(operation) and self.known.tries[operation] >= MOST_TRIES

    def refuses_properly(self, exchange: Exchange) -> bool:
        """True for the document's error for an unsupported operation, or any 4xx if it defines none."""
        return self.document.errors.refuses_properly(exchange.status, exchange.json())

    def refuses(self, exchange: Exchange) -> bool:
        """True when an answer says, in any form, that the server lacks the operation."""
        return self.document.errors.refuses(exchange.status, exchange.json())

    def _unoffered(self, operation: str, otherwise: Violation | None = None) -> Unoffered:
        """Return the outcome of a requirement that needs an operation which the server does not offer."""
        self.recording.left_out.add(operation)
        if operation in self.subjects:
            return Unoffered(f"the server does not offer {operation}", operation, otherwise)
        return Unoffered(f"this needs {operation}, which the server does not offer", operation)

    @property
    def base(self) -> str:
        """The base URL of the document's paths."""
        return self._transport.origin + self._transport.base

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of every request."""
        return self._connection.headers

    def fork(self, seconds: float) -> Client:
        """Return a client for another thread that may send for `seconds`; `join` merges its recording."""
        other = Client(self._connection, self.document, self.traffic)
        other._ends = time.monotonic() + seconds
        other.recording, other.known = self.recording.fork(), self.known
        return other

    def end(self) -> None:
        """Send no further request: the next one raises Blocked, in any thread."""
        self._ends = -math.inf

    def join(self, other: Client) -> None:
        """Merge the recording of a forked client, and close it."""
        self.recording.join(other.recording)
        other.close()

    def close(self) -> None:
        """Close the connections."""
        self._transport.close()

    def reconnect(self) -> None:
        """Close the connections: the next request opens a new one."""
        self._transport.reconnect()


def bearer(token: str) -> dict[str, str | None]:
    """Return the header of a bearer token."""
    return {"Authorization": f"Bearer {token}"}


@contextmanager
def _true_within(flags: Traffic | Recording, name: str) -> Iterator[None]:
    """Set a flag within the block and restore its value afterwards; blocks may be nested."""
    before = getattr(flags, name)
    setattr(flags, name, True)
    try:
        yield
    finally:
        setattr(flags, name, before)


def _query_text(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value
