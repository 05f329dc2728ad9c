"""Shared notes of the clients of a run: the exchanges of a requirement, and knowledge about the server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from conformance.http.refusals import Refusals
from conformance.http.wire import WireLog
from conformance.values.cells import CellLog
from conformance.values.exchange import Action, Exchange
from conformance.values.purposes import Purpose

Listener = Callable[[Exchange], None]


@dataclass
class Recording:
    """The exchanges of one thread of a run, from all its clients.

    `subjects` are the operations that the requirement tests, `steps` the exchanges of its current example, `reached`
    the expected statuses of subjects that occurred. `left_out` are operations that it called or asked for, and that the
    server does not offer. While it is `preparing`, a call of a subject counts as a prerequisite; answers to `unusual`
    requests, and all answers of a replay, while it is `repeating` them, are not checked against the document.
    `looking` is true for requests that only show what became of others.
    `requests` counts over the whole run, `sent` in the current example, and `purposes` what they were sent for;
    `sent_subject` is true when a request called a subject, also while preparing; `listener` receives each exchange
    after its answer, `unsent` each request that the client prepared and did not send.
    `cells` are the covered cells of the run. `at_once` are the requests that other threads sent in the current example,
    `previous` the exchanges of the last example before it that sent any.
    """

    wire: WireLog
    steps: list[Exchange] = field(default_factory=list)
    subjects: frozenset[str] = frozenset()
    reached: set[str] = field(default_factory=set)
    left_out: set[str] = field(default_factory=set)
    reached_subject: bool = False
    preparing: bool = False
    looking: bool = False
    unusual: bool = False
    repeating: bool = False
    requests: int = 0
    purposes: Counter[Purpose] = field(default_factory=Counter)
    sent: int = 0
    sent_subject: bool = False
    listener: Listener | None = None
    unsent: Listener | None = None
    cells: CellLog | None = None
    at_once: set[tuple[str, str, bytes]] = field(default_factory=set)
    _actions: list[Action] = field(default_factory=list)  # beside HTTP, since the last request
    previous: list[Exchange] = field(default_factory=list)

    def begin(self, subjects: Collection[str]) -> None:
        """Start a requirement."""
        self.subjects = frozenset(subjects)
        self.reached, self.left_out = set(), set()
        self.begin_example()

    def begin_example(self) -> None:
        """Start an example: its steps begin here."""
        self.previous = self.steps or self.previous
        self.steps, self._actions = [], []
        self.sent, self.sent_subject = 0, False
        self.at_once = set()
        self.reached_subject = self.preparing = self.unusual = False

    @property
    def only_prepared(self) -> bool:
        """True when requests were sent, but none to a subject: they give no evidence about it."""
        return bool(self.subjects and self.sent) and not (self.reached_subject or self.sent_subject)

    @property
    def checking(self) -> bool:
        """True from the first call of a subject on, except while preparing."""
        return self.reached_subject and not self.preparing

    def fork(self) -> Recording:
        """Return a recording for another thread, whose preparations are done."""
        wire = WireLog(self.wire.document, self.wire.validators, extra_checks=self.wire.extra_checks)
        return Recording(wire, subjects=self.subjects, reached_subject=True, cells=self.cells)

    def join(self, other: Recording) -> None:
        """Merge the recording of another thread."""
        self.requests += other.requests
        self.purposes += other.purposes
        self.left_out |= other.left_out
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

    def add(self, exchange: Exchange, *, cleaning: bool = False) -> None:
        """Note an exchange before it is sent; a request outside the document counts as a subject."""
        self.purposes["clean-up" if cleaning else self._purpose(exchange)] += 1
        if not exchange.operation or exchange.operation in self.subjects:
            self.sent_subject = True
        exchange.before, self._actions = tuple(self._actions), []
        self.steps.append(exchange)
        self.sent += 1
        self.requests += 1

    def _purpose(self, exchange: Exchange) -> Purpose:
        """Return the purpose of a request that drops nothing."""
        if self.preparing:
            return "fixture"
        if self.looking:
            return "look"
        if not exchange.operation or exchange.operation in self.subjects:
            return "subject"
        return "look" if self.reached_subject else "fixture"

    def act(self, action: Action) -> None:
        """Note an action beside HTTP: it becomes a step before the next request."""
        self._actions.append(action)

    def hear(self, exchange: Exchange) -> None:
        """Pass an exchange to the listener."""
        if self.listener:
            self.listener(exchange)

    @contextmanager
    def overheard(self) -> Iterator[list[Exchange]]:
        """Yield a list that receives the exchanges within the block; the listener receives them, too."""
        heard: list[Exchange] = []
        listener = self.listener

        def hear(exchange: Exchange) -> None:
            heard.append(exchange)
            if listener:
                listener(exchange)

        self.listener = hear
        try:
            yield heard
        finally:
            self.listener = listener

    def withhold(self, exchange: Exchange) -> None:
        """Pass a request that is not sent to its listener."""
        if self.unsent:
            self.unsent(exchange)

    def look(self, exchange: Exchange, path: str) -> None:
        """Note that the requirement read a field of an answer."""
        if self.cells:
            self.cells.look(exchange, path)

    def touch(self, exchange: Exchange, mark: str) -> None:
        """Remember the field that the requirement read last: a failure marks it."""
        for step in self.steps:
            step.mark = ""
        exchange.mark = mark


@dataclass
class ServerKnowledge:
    """Knowledge of a run about the server, mostly from before its first requirement; all clients share it.

    `unoffered` are operations that the server does not offer, by its own words or by its answers; `tries` counts the
    requests to them. `done` are operations that have succeeded: they count as offered whatever the server says later.
    `refusals` are the refused prerequisites of operations that have not. `locate` spells a path of the document for
    this server.
    """

    unoffered: set[str] = field(default_factory=set)
    tries: Counter[str] = field(default_factory=Counter)
    done: set[str] = field(default_factory=set)
    refusals: Refusals = field(default_factory=Refusals)
    locate: Callable[[str], str] = str

    def lacks(self, operation: str) -> bool:
        """True for an operation that the server does not offer and that never succeeded."""
        return operation in self.unoffered and operation not in self.done
