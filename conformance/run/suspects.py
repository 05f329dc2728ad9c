"""Requirements during which the server died: suspects, until each was tested alone.

When a server dies, every request in flight loses its connection, in all workers and threads of the run. Where the
server comes back, the run goes on without these requirements and tests them after all others, one at a time: the one
during which the server dies again has killed it. Otherwise the server may have been stopped from outside: no request is
blamed, and suspects that were not tested alone are blocked.

Other requirements under way may have lost what they made, if the server has a memory alone: they are tested again, too.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import msgspec
import pytest

from conformance.author.requirement import requirement_of
from conformance.http.deaths import Break
from conformance.http.recording import Recording
from conformance.http.transport import name_of
from conformance.replay.issued import to_steps
from conformance.run.ledger import Judged
from conformance.run.reporting import Reporter
from conformance.run.session import Session
from conformance.run.verdicts import Facts
from conformance.values.evidence import DIED, SUSPECT, Evidence, completed, sentence
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Stopped
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.verdict import FAILED

WAY_OUT = "to find out whether a request kills the server, run with --wait and restart it, or use lakeproof repro"
INNOCENT = "but not when that was sent alone: no request is known to have caused it"
TESTED = ("pass", "fail", "warn", "known")
MOMENT = 2.0  # seconds within which the connections of one death break
MOST = 8  # deaths: then the rest of the run is not worth the restarts
MOST_DISTURBED = 32  # requirements


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A requirement that may have killed the server: the finding if it has, and its requests that were in flight.

    `at` is the time of the last broken connection, on the monotonic clock of the machine.
    """

    judged: Judged
    at: float
    fatal: Sequence[Exchange]

    @property
    def id(self) -> str:
        """The id of the requirement."""
        return self.judged.result.id


@dataclass
class Suspects:
    """The plugin that tests suspects alone, after all other requirements; see the module.

    `alone` is true while it does. `guilty` are those during which the server died again, `cleared` the others.
    `disturbed` are further requirements that are tested again, and when they met the server's death; `spans` are the
    times of the tests of workers.
    """

    session: Session
    reporter: Reporter
    alone: bool = False
    guilty: set[str] = field(default_factory=set)
    cleared: set[str] = field(default_factory=set)
    disturbed: dict[str, float] = field(default_factory=dict)
    spans: dict[str, tuple[float, float]] = field(default_factory=dict)
    _seen: list[Suspicion] = field(default_factory=list)

    def take(self, suspicion: Suspicion) -> None:
        """Note a suspect; one that is tested alone is guilty."""
        if self.alone:
            self.guilty.add(suspicion.id)
        else:
            self._seen.append(suspicion)

    def drain(self) -> tuple[list[Suspicion], dict[str, float]]:
        """Return the suspects and disturbed requirements so far, and forget them: a worker's belong to its run."""
        seen, self._seen = self._seen, []
        disturbed, self.disturbed = self.disturbed, {}
        return seen, disturbed

    @property
    def end(self) -> str:
        """Why no further requirement is tested, "" while the run goes on."""
        if stopped := self.session.client.traffic.stopped:
            return str(stopped.msg)
        many = len(list(_deaths(self._seen))) >= MOST or len(self.disturbed) >= MOST_DISTURBED
        return "the server died too often" if many and not self.alone else ""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """Test the suspects alone, unless the run is over; then report what they have shown."""
        outcome: object = True
        items = {known.id: item for item in session.items if (known := requirement_of(item))}
        traffic, end = self.session.client.traffic, ""
        try:
            try:
                outcome = yield
            except KeyboardInterrupt:
                end = self.end
                if traffic.stopped or not end:
                    raise
            self._test_alone(items)
            if end and not traffic.stopped:
                traffic.stopped = Stopped(end, "target")
        finally:
            self._conclude(items)
        return outcome

    def _test_alone(self, items: Mapping[str, pytest.Item]) -> None:
        """Test the suspects, one at a time: a blocked one may not have sent the request that killed the server."""
        self.alone = True
        names = list(
            dict.fromkeys([*(suspicion.id for suspicion in self._seen), *self.disturbed, *self._overlapping()])
        )
        for place, name in enumerate(names, 1):
            if self.session.client.traffic.stopped:
                return
            following = items[names[place]] if place < len(names) else None
            items[name].config.hook.pytest_runtest_protocol(item=items[name], nextitem=following)
            tested = self.session.ledger.verdict(name) in TESTED and not self.session.client.traffic.stopped
            if tested and name not in self.guilty:
                self.cleared.add(name)

    def _overlapping(self) -> list[str]:
        """Return the requirements that failed in a worker while the server died, whose requests noticed nothing."""
        times = [*(suspicion.at for suspicion in self._seen), *self.disturbed.values()]
        return [
            name
            for name, (start, end) in self.spans.items()
            if self.session.ledger.verdict(name) in FAILED and any(start <= at <= end for at in times)
        ]

    def _conclude(self, items: Mapping[str, pytest.Item]) -> None:
        """Report the deaths of which nobody was found guilty: suspects that were not tested are blocked."""
        for death in _deaths(self._seen):
            left = [suspicion for suspicion in death if suspicion.id not in self.cleared]
            if self.guilty & {suspicion.id for suspicion in death}:
                continue
            if not left:
                names = " or ".join(_named(exchange for suspicion in death for exchange in suspicion.fatal))
                self.session.note(f"the server went away while it processed {names}, {INNOCENT}")
            for suspicion in left:
                judged = _untested(suspicion, left)
                self.reporter.publish(items[suspicion.id], self.session.ledger.take(judged))
            if left:
                self.session.note(WAY_OUT)
                self._explain_end(left)
        if (self._seen or self.disturbed) and not self.session.client.gone:
            self.session.note("the server stopped accepting connections during the run, and came back")
        self._seen = []

    def _explain_end(self, suspicions: Sequence[Suspicion]) -> None:
        """Name the suspects in the reason why the run ended: a process without one knows its own last request alone."""
        stopped = self.session.client.traffic.stopped
        if stopped and stopped.gone:
            fatal = [exchange for suspicion in suspicions for exchange in suspicion.fatal]
            names = list(dict.fromkeys(map(name_of, fatal)))
            shown = f"{len(names):,} requests: {', '.join(names)}" if len(names) > 1 else names[0]
            message = f"the server is gone: it refuses connections after {shown}"
            self.session.client.traffic.stopped = Stopped(message, "target", gone=True, exchange=fatal[0])


def suspicions(
    session: Session, requirements: Collection[Requirement], suspects: Collection[Break]
) -> Iterator[Suspicion]:
    """Yield the requirements of suspects."""
    breaks: dict[str, list[Break]] = {}
    for broken in suspects:
        breaks.setdefault(broken.subject, []).append(broken)
    for requirement in requirements if breaks else ():
        if own := breaks.get(requirement.id):
            shown, fatal = _shown(session.client.recording, own)
            yield Suspicion(_judged(session, requirement, shown, fatal), own[-1].at, fatal)


def _shown(recording: Recording, breaks: Sequence[Break]) -> tuple[list[Exchange], list[Exchange]]:
    """Return the requests that reached the server up to its death, and among them those in flight: one of each thread.

    They belong to the current example, or to the one before, which broke: a server that dies may break the connections
    of later requests, too, before it refuses them.
    """
    for steps in (recording.previous, recording.steps):
        sent = {id(step) for step in steps}
        first: dict[int, Exchange] = {}
        for broken in breaks:
            if id(broken.exchange) in sent:
                first.setdefault(broken.thread, broken.exchange)
        if fatal := list(first.values()):
            known = {id(exchange) for exchange in fatal}
            last = max(place for place, step in enumerate(steps) if id(step) in known)
            return [step for step in steps[: last + 1] if step.status or id(step) in known], fatal
    return [breaks[0].exchange], [breaks[0].exchange]


def _judged(
    session: Session, requirement: Requirement, shown: Sequence[Exchange], fatal: Collection[Exchange]
) -> Judged:
    """Return the finding that a requirement killed the server."""
    for step in shown:
        step.mark = ""
    for step in fatal:
        step.mark = "status"
    own = {*session.client.headers.values(), *session.target.managing.values()}
    steps = to_steps(shown, session.target.preparation, own)
    stated = Evidence(relation=DIED, aspect="connection", actual=" or ".join(_named(fatal)))
    evidence = completed(stated, steps, requirement.operations)
    result = Result.of(requirement, "fail", sentence(evidence), requests=len(shown), steps=steps, evidence=evidence)
    return Judged(Facts("violated", requirement.level, died=True), result)


def _untested(suspicion: Suspicion, suspicions: Sequence[Suspicion]) -> Judged:
    """Return a suspect that was not tested alone as blocked: the evidence names all requests that were in flight."""
    fatal = [exchange for suspect in suspicions for exchange in suspect.fatal]
    count = f"{len(fatal):,} requests: " if len(fatal) > 1 else ""
    result, shown = suspicion.judged.result, f"{count}{', '.join(_named(fatal))}"
    evidence = msgspec.structs.replace(result.evidence or Evidence(), relation=SUSPECT, actual=shown)
    told = msgspec.structs.replace(result, verdict="blocked", evidence=evidence, message=sentence(evidence))
    return Judged(Facts("blocked", result.level), told)


def _named(exchanges: Collection[Exchange] | Iterator[Exchange]) -> list[str]:
    """Return the operations of requests, each once."""
    return sorted({exchange.operation or name_of(exchange) for exchange in exchanges})


def _deaths(suspicions: Sequence[Suspicion]) -> Iterator[list[Suspicion]]:
    """Yield the suspects of each death: their connections broke at about the same time."""
    death: list[Suspicion] = []
    for suspicion in sorted(suspicions, key=lambda suspicion: suspicion.at):
        if death and suspicion.at - death[-1].at >= MOMENT:
            yield death
            death = []
        death.append(suspicion)
    if death:
        yield death
