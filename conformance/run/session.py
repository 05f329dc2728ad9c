"""One run against one target, from the handshake to the results."""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from typing import cast

from conformance.apis import dimensions_of, requirements, suite_part
from conformance.author.requirement import REQUIREMENTS
from conformance.author.suite import Suite
from conformance.http.client import Client
from conformance.http.exchange_log import ExchangeBuffer, ExchangeLog
from conformance.http.gate import NEEDS_OWN, NO_WRITES
from conformance.replay.commands import again
from conformance.replay.expectations import Expectations
from conformance.replay.expectations_file import load_expectations
from conformance.replay.issued import to_steps
from conformance.replay.replaying import Finding, Replayed, replay
from conformance.run.crowding import told
from conformance.run.drawn_worlds import drawn_worlds, given_world, is_given
from conformance.run.dropping import check_dropped, check_refused
from conformance.run.frozen import is_newer
from conformance.run.ledger import Ledger
from conformance.run.selection import Scope, Selection, narrows, required_operations, selection_of
from conformance.target.server_profile import server_profile
from conformance.target.signs import shown_revision
from conformance.target.target import OFFERED, UNASKED, Target, connect
from conformance.values.activity import doing
from conformance.values.cells import CellLog
from conformance.values.exchange import Exchange, Step
from conformance.values.outcomes import Stopped
from conformance.values.purposes import PURPOSES
from conformance.values.requirement import VIEWS, Requirement
from conformance.values.resources import NAMESPACE, Resource, grouped
from conformance.values.results import (
    Depth,
    OperationRecord,
    Result,
    Results,
    RunRecord,
    State,
    StopRecord,
    TargetRecord,
    kit_name,
    new_run_id,
)
from conformance.values.settings import Settings
from conformance.values.worlds import World
from specs.apis import apis
from specs.problems import Problem
from specs.writing import NotWritten

CREATES_NOTHING = (
    "The server offers no operation that creates an object: add --read-only to test it on objects that exist."
)
UNFINISHED = "The run ended before its clean-up did: the server may still have objects whose names contain {prefix}."


class Session:
    """Connects to the target, and collects and writes the results of a run.

    `keep` is called with the results so far, before the clean-up begins: it writes them.
    """

    keep: Callable[[Results], object] = staticmethod(lambda _: None)
    _saved: Sequence[Result] = ()

    def __init__(
        self,
        settings: Settings,
        command: str = "",
        ids: Collection[str] | None = None,
        known: Target | None = None,
        log: ExchangeLog | ExchangeBuffer | None = None,
        *,
        own: bool = False,
    ) -> None:
        """Probe the target, unless it is `known`. Raises Problem when it cannot be tested, and for an unknown world.

        The listener of a known target receives the exchanges of the run, too. `ids` limits the selection, if given;
        `log` stores the exchanges, by default in the report's folder. `own` means that the run uses only the suites of
        the target: if it selects none of their requirements, it sends nothing.
        """
        self.settings = settings
        self.command = command or " ".join(sys.argv[:1])
        self.started = datetime.now(UTC)
        self.interrupted = False
        self.selected = self.available = 0
        self.kit_errors: list[str] = []
        self._id = new_run_id(self.started)
        self._clock = time.perf_counter()
        self._order: dict[str, int] = {}
        self._notes: list[str] = []
        self.target: Target = known or connect(settings)
        self.target.sandbox.jobs = settings.jobs
        self.suite = Suite(settings, self.target)
        parts = [suite_part(profile.api) for profile in self.target.profile.tested_by()]
        self.suite.wandering.dimensions = dimensions_of(parts, self.target.document)
        given_world(settings.world, self.suite.wandering.dimensions)
        self._scope = Scope.of(self.target.profile, self.target.document)
        self._selection = _selection(self.target, ids)
        self._required = required_operations(settings, self.target.document)
        _add_checks(self.target)
        self._expectations = Expectations(
            load_expectations(settings.expect, self.target.profile.name),
            settings.depth,
            date.today(),
            narrows(settings),
        )
        self.ledger = Ledger(self._expectations, lambda: self.client.known.done)
        self._own_suites = set(self.target.profile.suites) if own else set()
        self._tested_suites: set[str] = set()
        self.log = log or ExchangeLog(Path(settings.report))
        levels = {scale for part in parts for scale in part.levels}
        self.cells = CellLog(self.target.document, tuple(levels), self.suite.wandering.dimensions)
        self._also = self.client.recording.listener
        self.client.recording.listener = self._hear
        self.client.recording.cells = self.cells
        if settings.max_time:
            self.client.traffic.ends = time.monotonic() + settings.max_time
        if own and not self.wanted:
            self._notes = (
                [f"All tested requirements passed in the run in {settings.report}."] if settings.last_failed else []
            )
        elif not known:
            self._meet()

    def _meet(self) -> None:
        """Recognise and probe the target.

        Raises Problem when it cannot be tested: then the folder stays empty, and objects on the server are dropped if
        possible.
        """
        sandbox = self.target.sandbox
        try:
            with suppress(Stopped):  # the run ends at its first requirement then, and says why
                handshake(self.target)
                if sandbox.inventory and not self.target.read_only and sandbox.inventory.only_shows():
                    self.note(CREATES_NOTHING)
        except (Problem, KeyboardInterrupt):
            with suppress(Stopped):
                if sandbox.noted or sandbox.kept:
                    sandbox.sweep()
            self.finish()
            raise

    @cached_property
    def wanted(self) -> set[str]:
        """The ids of the requirements that the run selects from the target's suites."""
        suites = map(requirements, self.target.profile.suites)
        return {name for suite in suites for name, requirement in suite.items() if self.wants(requirement)}

    @property
    def client(self) -> Client:
        """The client of the run."""
        return self.target.client

    def wants(self, requirement: Requirement | None) -> bool:
        """True when the run selects this requirement."""
        return requirement is not None and self._scope.has(requirement) and self._selection.takes(requirement)

    def unread(self, requirement: Requirement) -> str:
        """Return why a read-only run does not test a requirement, "" if it does, and in other runs."""
        if (gate := self.client.traffic.gate) is None:
            return ""
        reads = [name in gate.reads for name in requirement.operations]
        if requirement.reads and any(reads):
            return ""
        return NEEDS_OWN if all(reads) else NO_WRITES

    def begin(self, selected: Sequence[str], collected: Iterable[Requirement]) -> None:
        """Store the requirements of the run, in the order of the results, and count the available ones.

        Without any selected one, the report of an earlier run is kept.
        """
        self._tested_suites = self._own_suites | {requirement.suite for requirement in collected}
        suites = self._own_suites | {entry.suite for entry in collected if entry.suite == entry.api}
        known = {requirement.id: requirement for requirement in collected} | {
            name: requirement for api in suites for name, requirement in requirements(api).items()
        }
        self.selected, self.available = len(selected), sum(map(self._scope.has, known.values()))
        self.suite.wandering.drawn = self._worlds(known)
        self._order = {name: place for place, name in enumerate(selected)}
        if newer := sum(is_newer(known[name], self.settings) for name in selected):
            self.note(
                f"Requirements that only warn, as they are newer than the suite {self.settings.suite}: {newer:,}."
            )
        if selected:
            self.log.keep()

    def _worlds(self, known: Mapping[str, Requirement]) -> dict[str, list[World]]:
        """Return the worlds of requirements: those of expected findings, and drawn ones for all that an API has."""
        drawn: dict[str, list[World]] = {}
        for profile in self.target.profile.tested_by():
            own = [entry for entry in known.values() if entry.suite == profile.api and self._scope.has(entry)]
            document = profile.document()
            own_worlds = dimensions_of([suite_part(profile.api)], document)
            every = self.suite.wandering.dimensions if is_given(self.settings) else own_worlds
            tested = [name for name in document.operations if profile.suite_of(name) == profile.api]
            drawn |= drawn_worlds(self.settings, own, every, tested)
        for name, world in self._expectations.worlds():
            drawn[name] = [world, *drawn.get(name, ())]
        return drawn

    def place(self, requirement_id: str) -> int:
        """Return the index of a requirement in the results; an unknown one comes last."""
        return self._order.get(requirement_id, len(self._order))

    @property
    def replayed(self) -> set[str]:
        """The requirements with a stored counterexample."""
        return self._expectations.replayed

    def replay_known(self, requirement: Requirement) -> None:
        """Replay the stored counterexample of a requirement, if there is one, and drop the created objects."""
        if finding := self._expectations.example(requirement):
            with suppress(Stopped):  # the run is over
                self._expectations.replays[requirement.id] = replay_and_drop(finding, self.target)

    def look_again(self) -> None:
        """Replay the steps of all findings, and drop the created objects: a finding that passes on replay is flaky."""
        preparation = self._preparation()
        found, sent = self.ledger.to_replay(), 0
        try:
            with suppress(Stopped), doing("sending findings again") as tell:
                for number, result in enumerate(found, 1):
                    tell(f"sending findings again, {number:,} of {len(found):,}")
                    finding = Finding.seen(result, self.settings.server, self.target.prefix, preparation)
                    self.ledger.note_sent_again(result.id, replay_and_drop(finding, self.target))
                    sent = number
        except KeyboardInterrupt:
            self.note(f"The run was interrupted before {len(found) - sent:,} of {len(found):,} findings were replayed.")
            raise

    def note(self, text: str) -> None:
        """Add a note to the report."""
        self._notes.append(text)

    def save(self) -> None:
        """Pass the results so far to `keep`, if they changed, with the note that the clean-up has not ended."""
        self.ledger.reconsider()
        tested = self.ledger.results()
        known = len(tested) == len(self._saved) and all(map(operator.is_, tested, self._saved))
        if tested and not known:
            results = self.results()
            results.run.notes.append(UNFINISHED.format(prefix=self.target.prefix))
            with suppress(NotWritten):  # the report at the end of the run says so
                self.keep(results)
            self._saved = tested

    def results(self) -> Results:
        """Return the results so far."""
        others = {*apis(), *VIEWS} - self._tested_suites
        expected = self._expectations.records(REQUIREMENTS, others) if self.selected else ()
        tested = sorted(self.ledger.results(), key=lambda result: self.place(result.id))
        return Results.of(self._run(), self._target(), tested, self.cells.records(), expected)

    def log_lines(self, lines: bytes) -> None:
        """Log exchanges of another process; end the run if they cannot be written."""
        self.log.add_lines(lines)
        self._check_log()

    def _check_log(self) -> None:
        """End the run if its exchanges can no longer be written, after its clean-up."""
        if self.log.problem and not self.client.traffic.stopped:
            self.client.traffic.stopped = Stopped(self.log.problem.message.rstrip("."), "report")

    def _hear(self, exchange: Exchange) -> None:
        self.log.add(exchange)
        self._check_log()
        self.cells.note(exchange)
        if self._also:
            self._also(exchange)

    def finish(self) -> None:
        """Close the log and the connections, and remove the canaries."""
        self.log.close()
        self.target.close()

    def _run(self) -> RunRecord:
        traffic = self.client.traffic
        return RunRecord(
            id=self._id,
            started=self.started.isoformat(timespec="seconds"),
            seconds=round(time.perf_counter() - self._clock, 3),
            seed=self.settings.seed,
            depth=cast(Depth, self.settings.depth),
            command=self.command,
            again=again(self.settings),
            prefix=self.target.prefix,
            kit=kit_name(),
            interrupted=self.interrupted,
            requests=self.client.requests,
            purposes={name: self.client.recording.purposes[name] for name in PURPOSES},
            selected=self.selected,
            available=self.available,
            left_behind=[*grouped(self.target.sandbox.left_behind)],
            preparation=self._preparation(),
            notes=[*self._notes, *self.target.notes, *told(self.ledger.only_in_a_crowd()), *traffic.notes()],
            not_reached=[name for name in self._order if name not in self.ledger],
            stopped=_stopped(traffic.stopped) if traffic.stopped else None,
        )

    def _preparation(self) -> list[Step]:
        return to_steps(self.target.preparation, own=self.target.managing.values())

    def _target(self) -> TargetRecord:
        target = self.target
        states = {name: target.state(name) for name in target.probes}
        unknown = UNASKED if target.read_only else OFFERED
        return TargetRecord(
            url=self.settings.server,
            name=self.settings.name or self.settings.server,
            api=self.settings.api,
            profile=target.profile.name,
            document=target.document.title,
            server=target.server,
            facts=target.capabilities,
            operations=[
                OperationRecord(
                    id=operation.id,
                    resource=operation.resource,
                    summary=operation.summary,
                    state=cast(State, states.get(operation.id, unknown)),
                    why=target.why(operation.id),
                    required=operation.id in self._required,
                )
                for operation in target.document.operations.values()
            ],
            settings=self.settings.shown(),
            traits=server_profile(target, self.ledger.findings()),
        )


def replay_and_drop(finding: Finding, target: Target) -> Replayed:
    """Replay the steps of a finding, and drop the created objects. Raises Stopped when the run is over.

    Remaining objects are not listed after each finding if the server cannot drop everything, or refused all creations.
    """
    sandbox = target.sandbox
    replayed = replay(finding, target)
    if sandbox.may_have_made(replayed.exchanges) and sandbox.inventory and not sandbox.inventory.undroppable():
        sandbox.sweep(end=False)
    else:
        sandbox.clean_up()
    return replayed


@contextmanager
def met(settings: Settings) -> Iterator[Target]:
    """Yield a probed target, and drop the objects created on it. Raises Problem when it cannot be tested."""
    target = connect(settings)
    _add_checks(target)
    try:
        handshake(target)
        yield target
    finally:
        target.sandbox.sweep()
        target.close()


def _add_checks(target: Target) -> None:
    """Check every answer as the suites of a target do, beyond its schema."""
    for profile in target.profile.tested_by():
        target.client.wire.extra_checks.update(suite_part(profile.api).extra_checks(profile))


def handshake(target: Target) -> None:
    """Recognise and probe a target, and note of which revision it shows signs, where the settings name none.

    Raises Problem when it cannot be tested, or cannot drop a run's objects.
    """
    with doing(f"finding out what {target.client.base} offers"), target.client.recording.overheard() as heard:
        _handshake(target)
    settings = target.settings
    if not (settings.profile or settings.spec or target.client.traffic.stopped):
        named = (*settings.operation, *settings.require)
        target.shown = shown_revision(settings.api, named, target.offered(), heard)


def _handshake(target: Target) -> None:
    prober = suite_part(target.settings.api).prober(target)
    target.handshake(prober)
    if not target.client.traffic.stopped:
        _check_namespace(target)
        check_refused(target)
    target.explore(prober, lambda: check_dropped(target))


def _selection(target: Target, ids: Collection[str] | None = None) -> Selection:
    return selection_of(target.settings, target.document, target.profile.tested_by(), ids)


def _stopped(stopped: Stopped) -> StopRecord:
    """Return the reason why a run stopped early, with the request that shows it."""
    step = stopped.exchange.to_step() if stopped.exchange else None
    return StopRecord(message=str(stopped.msg), gone=stopped.gone, step=step)


def _check_namespace(target: Target) -> None:
    """Raise Problem when the server reports that the given namespace does not exist."""
    inventory = target.sandbox.inventory
    operation = next(filter(inventory.offers, inventory.looks[NAMESPACE]), None) if inventory else None
    if inventory and inventory.base and operation:
        answer = inventory.look(operation, Resource(NAMESPACE, inventory.base))
        if answer and answer.status == 404:
            raise Problem(
                f"{answer.url}: the namespace {target.settings.namespace} does not exist.",
                "Name an existing one with --namespace.",
            )
