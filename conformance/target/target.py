"""The server under test: connection, recognition, and the operations that it offers."""

from __future__ import annotations

import itertools
import secrets
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol
from urllib.parse import urlsplit

from conformance.http.client import Client
from conformance.http.gate import Gate
from conformance.http.recording import ServerKnowledge
from conformance.http.transport import NOT_UP, Connection, Tls, Traffic
from conformance.target.documents import document_of, has_prefixes, profile_of
from conformance.target.fallbacks import PLACES, SERVERS_PLACE, Ways
from conformance.target.given import Given
from conformance.target.hostile import Canaries
from conformance.target.offers import Router
from conformance.target.pace import Pace
from conformance.target.sandbox import Sandbox
from conformance.target.signs import Shown
from conformance.target.surroundings import Surroundings
from conformance.target.unrecognised import problem_of, situation_of
from conformance.values.activity import doing
from conformance.values.exchange import Exchange
from conformance.values.settings import Settings
from specs.openapi import Document
from specs.problems import Problem
from specs.profiles import Profile

OFFERED, REFUSED, MISSING, UNASKED = "offered", "refused", "missing", "unasked"
WAIT_PAUSE = 0.5
DEFAULT_PREFIX = "lp"


@dataclass(frozen=True, slots=True)
class Probe:
    """The answer of an operation to its first request, and what follows from it and from the server's own words.

    `state` is offered; refused: rejected as unsupported, in any form; or missing: the answer of a router that does not
    know the operation. `why` is the evidence for the state, in words.
    """

    operation: str
    state: str
    why: str
    exchange: Exchange


@dataclass(frozen=True, slots=True)
class Found:
    """The detected properties of a target, for other processes of the same run.

    The fields are those of Target and of its client; `names` is the number of the next name.
    """

    prefix: str
    names: int
    server: str
    probes: dict[str, Probe]
    capabilities: dict[str, str]
    table_folder: str
    ways: Ways
    known: ServerKnowledge
    headers: Mapping[str, str]
    settings: Settings
    managing: Mapping[str, str]
    preparation: Sequence[Exchange]
    given: Given


class Prober(Protocol):
    """Probes of one API before the run."""

    def first_request(self) -> Exchange:
        """Send the request that every server of the API must answer."""

    def recognises(self, first_answer: Exchange) -> bool:
        """True when only a server of the API returns this answer."""

    def nowhere(self) -> Exchange:
        """Request a path that no revision of the API has."""

    def probes(self, among: Collection[str]) -> Iterator[Exchange]:
        """Send each of these operations once, in a form that should change nothing.

        A read-only run sends those that read.
        """

    def explore(self) -> Iterator[None]:
        """Create objects to detect how they can be created, and whether namespaces nest; pause after each."""

    def browse(self) -> None:
        """Find objects that exist by requests that read, and whether namespaces nest."""

    def state(self, probe: Exchange, router: Router) -> tuple[str, str]:
        """Return offered, refused or missing for an operation, and why; `router` tells the answers of a router."""


@dataclass
class Target:
    """A server, its profile and the client that talks to it.

    `probes` and `capabilities` were detected before the run: the operations that it offers, and its abilities. `notes`
    are notes on the document for readers of the results. `prefix` starts every name of this run; ordinary names are
    letters and digits, which all servers accept. `table_folder` is the folder in which the server placed a table of the
    run. `ways` are the chosen ways to create objects that requirements start from. `managing` are the headers of the
    server's manager, when requirements on tables run as another caller. `preparation` are the exchanges that created
    this caller and its catalog. `surroundings` are the world of the current example. `given` are objects that existed
    before, if the run is read-only. `paces` are those of the server by the kind of work that it does in the background.
    `shown` is the revision of which the server showed signs, None where the settings name one.
    """

    settings: Settings
    profile: Profile
    document: Document
    client: Client
    notes: Sequence[str] = ()
    server: str = ""
    probes: dict[str, Probe] = field(default_factory=dict)
    capabilities: dict[str, str] = field(default_factory=dict)
    table_folder: str = ""
    ways: Ways = field(default_factory=Ways)
    managing: Mapping[str, str] = field(default_factory=dict)
    preparation: Sequence[Exchange] = ()
    given: Given = field(default_factory=Given)
    surroundings: Surroundings = field(default_factory=Surroundings)
    paces: defaultdict[str, Pace] = field(default_factory=lambda: defaultdict(Pace))
    shown: Shown | None = None
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    prefix: str = field(init=False)
    sandbox: Sandbox = field(init=False)
    canaries: Canaries = field(init=False)

    def __post_init__(self) -> None:
        """Set up the prefix of the run, the sandbox and the canaries."""
        self.prefix = f"{self.settings.prefix or DEFAULT_PREFIX}{secrets.token_hex(3)}"
        self.sandbox = Sandbox(self.client)
        self.client.recording.listener = self.sandbox.note_answer
        self.client.recording.unsent = self.sandbox.note_unsent
        self.canaries = self._new_canaries()

    def _new_canaries(self) -> Canaries:
        return Canaries(self.prefix, partial(self.client.note_beside, "wrote"))

    def found(self) -> Found:
        """Return the detected properties."""
        client = self.client
        names = next(self.numbers)
        self.numbers = itertools.count(names)
        return Found(
            self.prefix,
            names,
            self.server,
            self.probes,
            self.capabilities,
            self.table_folder,
            self.ways,
            client.known,
            client.headers,
            self.settings,
            self.managing,
            self.preparation,
            self.given,
        )

    def take(self, state: Found) -> None:
        """Adopt the properties that another process of the run detected."""
        self.prefix, self.server = state.prefix, state.server
        self.probes, self.capabilities = state.probes, state.capabilities
        self.table_folder, self.ways = state.table_folder, state.ways
        self.canaries = self._new_canaries()
        self.numbers = itertools.count(state.names)
        self.settings, self.managing, self.preparation = state.settings, state.managing, state.preparation
        self.given = state.given
        self.client.known = state.known
        self.log_in(state.headers)

    def share_names(self, number: int, of: int) -> None:
        """Become one of several processes: each uses names that no other has."""
        self.numbers = itertools.count(next(self.numbers) + number, of)

    @property
    def missing_name(self) -> str:
        """A name without an object, in this run and in others."""
        return f"{self.prefix}missing"

    def new_name(self) -> str:
        """Return a name that this run has not used yet."""
        return f"{self.prefix}n{next(self.numbers)}"

    @property
    def location(self) -> str:
        """The given location, "" if none is given or the server rejects tables below it."""
        return "" if self.ways.chosen.get(PLACES) == SERVERS_PLACE else self.settings.location.rstrip("/")

    def new_place(self) -> str:
        """Return a location for a table: below the given one, or beside an earlier table; "" for none."""
        base = self.location
        base = f"{base}/{self.prefix}" if base else self.table_folder
        return f"{base}/{self.new_name()}" if base else ""

    def offered(self) -> list[str]:
        """Return the operations that the target offers, sorted."""
        return sorted(self.names(OFFERED))

    def close(self) -> None:
        """Close the connections, and remove the canaries."""
        self.client.close()
        self.canaries.remove()

    def names(self, *states: str) -> set[str]:
        """Return the operations in one of these states."""
        return {name for name in self.probes if self.state(name) in states}

    def state(self, operation: str) -> str | None:
        """Return offered for an operation that has succeeded, else the state of its probe; None without a probe."""
        if operation in self.client.known.done:
            return OFFERED
        return self.probes[operation].state if operation in self.probes else None

    @property
    def read_only(self) -> bool:
        """True when the run sends nothing that could change anything."""
        return self.client.traffic.gate is not None

    def sends(self, operation: str) -> bool:
        """True unless the run is read-only and the operation writes."""
        gate = self.client.traffic.gate
        return gate is None or operation in gate.reads

    def why(self, operation: str) -> str:
        """Return the evidence for the state of an operation, "" without any."""
        probe = self.probes.get(operation)
        if operation in self.client.known.done and (probe is None or probe.state != OFFERED):
            return "succeeded in this run"
        return probe.why if probe else ""

    def note_offer(self, probe: Probe) -> None:
        """Store whether an operation is offered."""
        self.probes[probe.operation] = probe
        unoffered = self.client.known.unoffered
        unoffered.add(probe.operation) if probe.state == REFUSED else unoffered.discard(probe.operation)

    def handshake(self, prober: Prober) -> None:
        """Recognise the server and detect the operations that it offers.

        Raises Problem when it cannot be reached, rejects the credentials, or speaks another protocol, and Stopped when
        the run ends before that is known.
        """
        first_answer = self.first_request(prober)
        if (stopped := self.client.traffic.stopped) and not stopped.gone:
            raise stopped
        self.server = first_answer.response_headers.get("Server", "")
        self._check_first(first_answer, recognised=prober.recognises(first_answer))
        self.probe(prober, self.document.operations)

    def probe(self, prober: Prober, operations: Collection[str]) -> None:
        """Detect which of these operations the server offers, once it is recognised."""
        router = Router(self.client, prober.nowhere(), self.missing_name)
        for exchange in prober.probes(operations):
            self.note_offer(Probe(exchange.operation, *prober.state(exchange, router), exchange))

    def _check_first(self, first_answer: Exchange, *, recognised: bool) -> None:
        """Raise Problem for a first answer with which no run can start, with the reason and the way out."""
        situation = situation_of(first_answer)
        if not recognised or situation is None or situation.always:
            answers = [first_answer, *self.client.steps]
            raise problem_of(self.settings.server, answers, self.profile.name, prefixed=has_prefixes(self.document))

    def log_in(self, credentials: Mapping[str, str | None]) -> None:
        """Use these credentials for the whole run: headers, as for Client.as_."""
        self.client = self.sandbox.client = self.client.as_(credentials)

    def explore(self, prober: Prober, after_each: Callable[[], None]) -> None:
        """Detect more by creating objects, and drop them, together with those that probes created on a careless server.

        `after_each` is called after each object, and may end this by a Problem. An operation that seemed to be missing
        is tried, too; one that does not succeed counts as not offered from then on. A read-only run looks for existing
        objects instead.
        """
        try:
            if self.read_only:
                prober.browse()
            else:
                for _ in prober.explore():
                    after_each()
        finally:
            self.sandbox.clean_up()
        self.client.known.unoffered |= self.names(MISSING)

    def first_request(self, prober: Prober) -> Exchange:
        """Send the first request; repeat it while the settings allow to wait for a starting server."""
        ends = time.monotonic() + self.settings.wait
        while True:
            first_answer = prober.first_request()
            down = not first_answer.status or first_answer.status in NOT_UP
            if not down or self.client.traffic.stopped or time.monotonic() > ends:
                return first_answer
            with doing(f"waiting for {self.client.base}"):
                time.sleep(WAIT_PAUSE)


def connect(settings: Settings) -> Target:
    """Return the target of the settings, without sending a request.

    Raises Problem for an invalid URL, an unknown profile and an unreadable document.
    """
    split = urlsplit(settings.server)
    if split.scheme not in ("http", "https") or not split.netloc or split.query or split.fragment:
        raise Problem(f"{settings.server!r} is not an http or https URL.", "Example: http://127.0.0.1:2333")
    profile = profile_of(settings)
    document, notes = document_of(settings, profile)
    headers = dict(settings.pairs("header"))
    if settings.token:
        headers["Authorization"] = f"Bearer {settings.token}"
    tls = Tls(settings.ca, settings.insecure, settings.cert, settings.key)
    connection = Connection(settings.server.rstrip("/"), headers, settings.timeout, tls)
    traffic = Traffic(gate=Gate(document, profile.reading()) if settings.read_only else None)
    traffic.patience = settings.wait
    return Target(settings, profile, document, Client(connection, document, traffic), notes)
