"""Replay of recorded steps under names of the current run, and comparison of the answers with the recorded ones.

A server-chosen value of a recorded answer (an id, a location, a tag) that a later request uses is replaced by the value
at the same place of the new answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Literal

from conformance.replay.answers import all_alike
from conformance.replay.beside import FileActions, is_canary, unrepeatable
from conformance.replay.chosen import chosen, names_files, own_names, rests_on
from conformance.replay.older import evidence_of
from conformance.replay.renaming import Renaming
from conformance.target.hostile import CANARY, LAKE
from conformance.target.target import Target
from conformance.values.evidence import Evidence, shown_step
from conformance.values.exchange import Exchange, Step, is_cut
from conformance.values.outcomes import Skipped, Stopped
from conformance.values.redaction import MADE_UP, REDACTED, hidden_fields
from conformance.values.results import Result, Results

State = Literal["same", "fixed", "changed", "impossible"]
NUMBERS = count(1)
UNPREPARED = "its steps depend on objects that the recorded run created before, and this run did not"


@dataclass(frozen=True)
class Finding:
    """A finding that can be replayed: its recorded steps, its message, and the names of its run.

    `base` is the URL of the recorded server, `prefix` the prefix of the run. `prepared` are the names of objects that
    the run created before its steps and that these depend on: the names in each request, by operation.
    """

    id: str
    kind: str
    message: str
    steps: Sequence[Step]
    base: str
    prefix: str
    prepared: dict[str, list[str]] = field(default_factory=dict)
    evidence: Evidence | None = None  # none in files of older kits

    @property
    def sent(self) -> list[Step]:
        """The requests among the steps: all but the actions beside HTTP."""
        return [step for step in self.steps if not step.beside]

    @property
    def seen_as(self) -> Evidence:
        """The evidence; of an older kit's finding, the evidence parsed from its sentence."""
        return self.evidence or evidence_of(self.message, self.steps, ())

    @classmethod
    def of(cls, result: Result, results: Results) -> Finding:
        """Return a finding of a run."""
        return cls.seen(result, results.target.url, results.run.prefix, results.run.preparation)

    @classmethod
    def seen(cls, result: Result, url: str, prefix: str, preparation: Sequence[Step]) -> Finding:
        """Return a finding of a run on the server at a URL."""
        steps = rests_on(result.steps, preparation, prefix)
        prepared = {step.operation: own_names(step, prefix) for step in steps}
        return cls(
            result.id, result.kind, result.message, result.steps, url.rstrip("/"), prefix, prepared, result.evidence
        )


@dataclass(frozen=True)
class Replayed:
    """The outcome of a replay.

    same         answers as recorded: it still fails
    fixed        an expected status
    changed      other answers; the steps alone cannot decide
    impossible   the steps cannot be replayed: `why`
    """

    state: State
    why: str
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def status(self) -> int:
        """The status of the last answer, 0 for none."""
        return self.exchanges[-1].status if self.exchanges else 0


def replay(finding: Finding, target: Target, between: Mapping[str, str] = MappingProxyType({})) -> Replayed:
    """Send the steps of a finding to a target, under names of its run, and compare; created objects are noted.

    `between` maps further names of the finding's server to those of this one (mirror.names_between). The server's
    manager sends every request that was not sent with a token from an answer. Raises Stopped when the run is over.
    """
    client = target.client
    if why := obstacle(finding, client.headers):
        return Replayed("impossible", why)
    prepared = _prepared_now(finding, target)
    if prepared is None:
        return Replayed("impossible", UNPREPARED)
    issued = {value.value for value in chosen(finding.steps) if value.everywhere}
    names = Renaming({**prepared, **between, finding.prefix: f"{target.prefix}r{next(NUMBERS)}x"}, issued)
    actions = FileActions(target.prefix)
    with actions.restored(), client.repeating():
        why, exchanges = _sent(finding, target, names, actions)
    if why:
        return Replayed("impossible", why, exchanges)
    last = exchanges[-1]
    wrong = client.wire.defects(last) if finding.kind == "wire" else {}
    return Replayed(*_compared(finding, exchanges, names, wrong), exchanges)


def _sent(finding: Finding, target: Target, names: Renaming, actions: FileActions) -> tuple[str, list[Exchange]]:
    """Do the steps up to the one that shows the finding.

    Returns the reason why an action cannot be repeated, "" if all were, and the exchanges so far.
    """
    client, shown = target.client, shown_step(finding.steps)
    exchanges: list[Exchange] = []
    for step in finding.steps:
        if step.beside:
            if not is_canary(step) and (why := actions.repeat(step, names, exchanges)):
                return why, exchanges
            continue
        own = client.headers if step.borne else target.managing or client.headers
        request = _request(step, finding.base, client.base, names, own)
        target.sandbox.note_request(request)
        exchanges.append(request)
        try:
            client.send(request)
        except Skipped as error:  # of a step that this run does not send
            return error.msg, exchanges[:-1]
        except Stopped:
            if not client.traffic.deaths.is_suspect(request):  # it killed the server: that is its answer
                raise
        if step is shown:
            break
        names.learn((step.response.body or {}).get("json"), step.response.headers, exchanges[-1])
    return "", exchanges


def _prepared_now(finding: Finding, target: Target) -> dict[str, str] | None:
    """Return the current names of the objects that a finding depends on, None if this run did not create them."""
    now = {exchange.operation: own_names(exchange.to_step(), target.prefix) for exchange in target.preparation}
    if not finding.prepared.keys() <= now.keys():
        return None
    pairs = (zip(names, now[operation], strict=False) for operation, names in finding.prepared.items())
    return {old: new for names in pairs for old, new in names}


def obstacle(finding: Finding, own: Mapping[str, str] | None) -> str:
    """Return why the steps of a finding cannot be replayed, "" if they can.

    `own` are the headers of the sender, None if unknown.
    """
    if why := lack(finding):
        return why
    mine = set(map(str.lower, own or ()))
    issued = {variable for step in finding.steps for variable in step.issued}
    for step in finding.sent:
        secrets = [name for name, value in step.request.headers.items() if value == REDACTED]
        if own is not None and (lacking := [name for name in secrets if name.lower() not in mine]):
            return f"the recorded run sent the header {lacking[0]}, and this one does not"
        if step.bears(issued):
            return "a request carries a secret from an earlier answer"
        if f"{finding.prefix}{CANARY}" in f"{step.request.url} {step.request.body}":
            return "a request names a folder that the run created"
    return ""


def lack(finding: Finding) -> str:
    """Return the reason why a finding's steps are incomplete, "" if they can be sent."""
    if not finding.sent:
        return "no steps were recorded"
    if not finding.prefix:
        return "the results are from an older kit, which did not record the prefix of the run"
    if finding.kind in ("race", "scenario"):
        return "its requests were concurrent, or sent by another client"
    canary = re.compile(rf"{re.escape(finding.prefix)}{CANARY}\w+(?!\w|/{LAKE}/)")
    for number, step in enumerate(finding.steps, 1):
        if step.beside:
            if why := unrepeatable(step, finding.prefix):
                return f"step {number}: {why}"
            continue
        if not step.request.url.startswith(finding.base):
            return "a request went to another server"
        if MADE_UP in step.request.headers.values() or _hidden(step) - step.borne.keys():
            return "a request carries a secret that the run invented"
        if canary.search(f"{step.request.url} {step.request.headers} {step.request.body}"):
            return "a request names a file that the run created"
        if is_cut(step.request.body):
            return "a request was too large to store"
    return ""


def _hidden(step: Step) -> set[str]:
    """Return the form fields whose values are not in the results."""
    return hidden_fields((step.request.body or {}).get("text", ""))


def _request(step: Step, old: str, new: str, names: Renaming, own: Mapping[str, str]) -> Exchange:
    """Return a recorded request under the current names, with the headers of this run."""
    sent, mine = step.request, {name.lower(): value for name, value in own.items()}
    headers = {name: mine.get(name.lower(), names.text(value)) for name, value in sent.headers.items()}
    url = new + names.text(sent.url.removeprefix(old))
    return Exchange(step.operation, sent.method, url, headers, names.body(sent.body))


def _compared(
    finding: Finding, exchanges: Sequence[Exchange], names: Renaming, wrong: Mapping[str, str]
) -> tuple[State, str]:
    """Compare answers with the recorded ones: only the last status for a finding about a status.

    An answer that violates the document at the recorded place is the same. Otherwise all answers must equal the
    recorded ones: only the requirement knows which fields matter. `wrong` are the schema violations of the last answer,
    for a wire finding.
    """
    step, now = finding.sent[len(exchanges) - 1], exchanges[-1].to_step().response
    said, due = f"{step.operation or 'the server'} returns {now.status or now.failure}", finding.seen_as.statuses
    pairs = list(enumerate(zip(finding.sent, exchanges, strict=False), 1))
    # A server may return the expected answer only because an earlier step failed, or files are missing.
    prepared = all(recorded.response.status == exchange.status for _, (recorded, exchange) in pairs[:-1])
    if _keeps_rule(finding, step, now.status, wrong):
        return "fixed" if prepared else "changed", f"{said}, and keeps to the document at the same place"
    if step.response.status != now.status:
        fixed = prepared and now.status in due and not names_files(finding.steps)
        return "fixed" if fixed else "changed", f"{said}, not {step.response.status or 'nothing'} as recorded"
    if finding.seen_as.about_status:
        return "same", f"{said}, as recorded"
    if step.mark in wrong:
        return "same", f"{said} and violates the document at the same place: {wrong[step.mark]}"
    for number, (recorded, exchange) in pairs:
        other = exchange.to_step().response
        if recorded.response.status != other.status or not all_alike(names.value(recorded.response.body), other.body):
            return "changed", f"the answer to step {number}, {recorded.operation}, differs from the recorded one"
    return "same", "all answers are as recorded"


def _keeps_rule(finding: Finding, step: Step, status: int, wrong: Mapping[str, str]) -> bool:
    """True when the answer to the last step of a wire finding no longer breaks the rule that the finding names."""
    seen = finding.seen_as
    comparable = bool(status) and (status == step.response.status or seen.about_status)
    return finding.kind == "wire" and bool(seen.expected) and comparable and step.mark not in wrong
