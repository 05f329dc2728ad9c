"""What clients of a run note together: the exchanges of a requirement, and what is known of the server."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from conformance.http.wire import WireLog
from conformance.values.cells import CellLog
from conformance.values.exchange import Exchange

Listener = Callable[[Exchange], None]


@dataclass
class Recording:
    """The exchanges of one thread of a run, whoever sent them.

    `subjects` are the operations that the requirement is about, `steps` the exchanges of its present example, `reached`
    the statuses of subjects that it asked for and got. While it is `preparing`, no call is one of its subjects', and
    while its requests are `unusual`, what a server makes of them is its own affair.
    `requests` counts over the whole run, `sent` in the present example, `sent_subject` tells whether one was of a
    subject, also while it prepared; `cells` is what the run has done. `at_once` are the requests that other threads
    have sent in the present example.
    """

    wire: WireLog
    steps: list[Exchange] = field(default_factory=list)
    subjects: frozenset[str] = frozenset()
    reached: set[str] = field(default_factory=set)
    reached_subject: bool = False
    preparing: bool = False
    unusual: bool = False
    requests: int = 0
    sent: int = 0
    sent_subject: bool = False
    listener: Listener | None = None
    cells: CellLog | None = None
    at_once: set[tuple[str, str, bytes]] = field(default_factory=set)

    def begin(self, subjects: Collection[str]) -> None:
        """Start a requirement."""
        self.subjects = frozenset(subjects)
        self.reached = set()
        self.begin_example()

    def begin_example(self) -> None:
        """Start an example: its steps are told from here."""
        self.steps = []
        self.sent, self.sent_subject = 0, False
        self.at_once = set()
        self.reached_subject = self.preparing = self.unusual = False

    @property
    def only_prepared(self) -> bool:
        """True when requests were sent, but none of a subject: what they show says nothing about it."""
        return bool(self.subjects and self.sent) and not (self.reached_subject or self.sent_subject)

    @property
    def checking(self) -> bool:
        """True from the first call of a subject on, but for what prepares."""
        return self.reached_subject and not self.preparing

    def fork(self) -> Recording:
        """Return the recording of another thread, which is past the preparations."""
        wire = WireLog(self.wire.document, self.wire.validators, extra_checks=self.wire.extra_checks)
        return Recording(wire, subjects=self.subjects, reached_subject=True, cells=self.cells)

    def join(self, other: Recording) -> None:
        """Take over what another thread has seen."""
        self.requests += other.requests
        self.steps += other.steps
        self.sent_subject |= other.sent_subject or other.reached_subject
        self.wire.absorb(other.wire)
        sent = {(exchange.operation, exchange.url, exchange.request_body) for exchange in other.steps}
        for operation, *_ in sent & self.at_once:
            if self.cells:
                self.cells.at_once(operation)
        self.at_once |= sent
        for exchange in other.steps:
            self.hear(exchange)

    def add(self, exchange: Exchange) -> None:
        """Note an exchange before it is sent; one that is of no operation is what the requirement is about."""
        if not exchange.operation or exchange.operation in self.subjects:
            self.sent_subject = True
        self.steps.append(exchange)
        self.sent += 1
        self.requests += 1

    def hear(self, exchange: Exchange) -> None:
        """Pass an exchange on to who listens."""
        if self.listener:
            self.listener(exchange)

    def look(self, exchange: Exchange, path: str) -> None:
        """Note that the requirement looked at a field of an answer."""
        if self.cells:
            self.cells.look(exchange, path)

    def touch(self, exchange: Exchange, mark: str) -> None:
        """Remember the field that the requirement looked at last; it is what a failure is about."""
        for step in self.steps:
            step.mark = ""
        exchange.mark = mark


@dataclass
class ServerKnowledge:
    """What the run found out about the server, most of it before its first requirement; all clients share it.

    `missing` maps operations that the server lacks, without saying so properly, to the requirement that tests this:
    what needs them is blocked by it. `refused` are those that it lacks and says so beforehand. `done` are those that
    have succeeded: whatever it says later, it has them. `locate` spells a path of the document for this server.
    """

    missing: Mapping[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    locate: Callable[[str], str] = str
