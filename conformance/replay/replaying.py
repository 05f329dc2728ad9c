"""Sending recorded steps again, under names of the present run, and comparing the answers with the recorded ones.

What the server chose in a recorded answer (an id, a place, a tag) and a later request names is replaced by what
stands in the same place of the new answer.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from types import MappingProxyType
from typing import Any, Literal

from conformance.replay.answers import alike
from conformance.replay.chosen import names_files, own_names, rests_on
from conformance.replay.evidence import STATUSES, shown_step
from conformance.replay.renaming import Renaming
from conformance.target.hostile import CANARY, LAKE
from conformance.target.target import Target
from conformance.values.exchange import Exchange, Step
from conformance.values.redaction import MADE_UP, REDACTED, hidden_fields
from conformance.values.results import Result, Results

State = Literal["same", "fixed", "changed", "impossible"]
NUMBERS = count(1)
UNPREPARED = "its steps rest on what the recorded run had made before, and this one has not"


@dataclass(frozen=True)
class Finding:
    """What is needed to see a finding again: its recorded steps, what the kit said, and the names of its run.

    `base` is the URL of the server that was asked, `prefix` what the names of the run began with. `prepared` are names
    of what its steps rest on and the run had made before them: those in each request, by its operation.
    """

    id: str
    kind: str
    message: str
    steps: Sequence[Step]
    base: str
    prefix: str
    prepared: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, result: Result, results: Results) -> Finding:
        """Return a finding of a run."""
        return cls.seen(result, results.target.url, results.run.prefix, results.run.preparation)

    @classmethod
    def seen(cls, result: Result, url: str, prefix: str, preparation: Sequence[Step]) -> Finding:
        """Return a finding of a run on the server at a URL."""
        steps = rests_on(result.steps, preparation, prefix)
        prepared = {step.operation: own_names(step, prefix) for step in steps}
        return cls(result.id, result.kind, result.message, result.steps, url.rstrip("/"), prefix, prepared)


@dataclass(frozen=True)
class Replayed:
    """How the steps of a finding were answered now.

    same         as recorded: it still fails
    fixed       with a status that was due
    changed      in another way, about which the steps alone do not decide
    impossible   the steps cannot be sent again as they were: `why`
    """

    state: State
    why: str
    exchanges: list[Exchange] = field(default_factory=list)


def replay(finding: Finding, target: Target, between: Mapping[str, str] = MappingProxyType({})) -> Replayed:
    """Send the steps of a finding to a target, under names of its run, and compare. What they may make is noted.

    `between` is what else this server calls otherwise than that of the finding (mirror.names_between). Who manages the
    server sends what was not sent with a token that an answer gave. Raises Stopped when the run is over.
    """
    client = target.client
    if why := obstacle(finding, client.headers):
        return Replayed("impossible", why)
    prepared = _prepared_now(finding, target)
    if prepared is None:
        return Replayed("impossible", UNPREPARED)
    names = Renaming({**prepared, **between, finding.prefix: f"{target.prefix}r{next(NUMBERS)}x"})
    shown, exchanges = shown_step(finding.steps), []
    for step in finding.steps:
        own = client.headers if step.borne else target.managing or client.headers
        request = _request(step, finding.base, client.base, names, own)
        target.sandbox.note_request(request)
        exchanges.append(client.send(request))
        if step is shown:
            break
        names.learn((step.response.body or {}).get("json"), step.response.headers, exchanges[-1])
    last = exchanges[-1]
    wrong = client.wire.defects(last) if finding.kind == "wire" and last.defect else {}
    return Replayed(*_compared(finding, exchanges, names, wrong), exchanges)


def _prepared_now(finding: Finding, target: Target) -> dict[str, str] | None:
    """Return what the things that a finding rests on are called now, None where this run has made no such things."""
    now = {exchange.operation: own_names(exchange.to_step(), target.prefix) for exchange in target.preparation}
    if not finding.prepared.keys() <= now.keys():
        return None
    pairs = (zip(names, now[operation], strict=False) for operation, names in finding.prepared.items())
    return {old: new for names in pairs for old, new in names}


def obstacle(finding: Finding, own: Mapping[str, str] | None) -> str:
    """Return why the steps of a finding cannot be sent again as they were, "" where they can.

    `own` are the headers of who sends them, None where that is not known yet.
    """
    if why := lack(finding):
        return why
    mine = set(map(str.lower, own or ()))
    issued = {variable for step in finding.steps for variable in step.issued}
    for step in finding.steps:
        secrets = [name for name, value in step.request.headers.items() if value == REDACTED]
        if own is not None and (lacking := [name for name in secrets if name.lower() not in mine]):
            return f"the recorded run sent the header {lacking[0]}, and this one does not"
        if step.bears(issued):
            return "a request carries a secret that an answer to an earlier one gave"
        if f"{finding.prefix}{CANARY}" in f"{step.request.url} {step.request.body}":
            return "a request names a folder that the run made"
    return ""


def lack(finding: Finding) -> str:
    """Return what is not in the steps of a finding and would be needed to send them, "" for nothing."""
    if not finding.steps:
        return "no steps were recorded"
    if not finding.prefix:
        return "the results are of an older kit, which did not note the names of the run"
    if finding.kind in ("race", "scenario"):
        return "its requests were sent at the same time, or by another client"
    canary = re.compile(rf"{re.escape(finding.prefix)}{CANARY}\w+(?!\w|/{LAKE}/)")
    for step in finding.steps:
        if not step.request.url.startswith(finding.base):
            return "a request went elsewhere"
        if MADE_UP in step.request.headers.values() or _hidden(step) - step.borne.keys():
            return "a request carries a secret that the run made"
        if canary.search(f"{step.request.url} {step.request.headers} {step.request.body}"):
            return "a request names a file that the run made"
        if is_cut(step.request.body):
            return "a request was too large to be kept"
    return ""


def _hidden(step: Step) -> set[str]:
    """Return the fields of a form whose values are not in the results."""
    return hidden_fields((step.request.body or {}).get("text", ""))


def is_cut(body: Mapping[str, Any] | None) -> bool:
    """True for a body in results that is not whole."""
    if not body or "json" in body:
        return False
    kept = len(body["text"].encode()) if "text" in body else len(base64.b64decode(body["base64"]))
    return kept < int(body["size"])


def _request(step: Step, old: str, new: str, names: Renaming, own: Mapping[str, str]) -> Exchange:
    """Return a recorded request as it is sent now; what every request carries is that of this run."""
    sent, mine = step.request, {name.lower(): value for name, value in own.items()}
    headers = {name: mine.get(name.lower(), names.text(value)) for name, value in sent.headers.items()}
    url = new + names.text(sent.url.removeprefix(old))
    return Exchange(step.operation, sent.method, url, headers, names.body(sent.body))


def _compared(
    finding: Finding, exchanges: Sequence[Exchange], names: Renaming, wrong: Mapping[str, str]
) -> tuple[State, str]:
    """Return how answers compare with the recorded ones: by the last status where a finding is about that.

    An answer that breaks the document where the recorded one does is the same one. Else all of them have to be as
    recorded: which of their fields a finding is about, only its requirement knows. `wrong` are the defects of the last
    answer, for a finding about such.
    """
    step, now = finding.steps[len(exchanges) - 1], exchanges[-1].to_step().response
    said, due = f"{step.operation or 'the server'} answers {now.status or now.failure}", STATUSES.match(finding.message)
    if step.response.status != now.status:
        # A server that misses files that only the run wrote refuses for this reason, which is not the one that is due.
        fixed = due and str(now.status) in due[1].split(" or ") and not names_files(finding.steps)
        return "fixed" if fixed else "changed", f"{said}, not {step.response.status or 'nothing'} as recorded"
    if due or step.mark == "status":
        return "same", f"{said}, as recorded"
    if step.mark in wrong:
        return "same", f"{said} in a form that breaks the document in the same place: {wrong[step.mark]}"
    for number, (recorded, exchange) in enumerate(zip(finding.steps, exchanges, strict=False), 1):
        other = exchange.to_step().response
        if recorded.response.status != other.status or not _alike(names.value(recorded.response.body), other.body):
            return "changed", f"the answer to step {number}, {recorded.operation}, is another one than recorded"
    return "same", "all answers are as recorded"


def _alike(value: Any, other: Any) -> bool:
    """True for JSON values that are equal but for ids, times and the like."""
    if isinstance(value, dict) and isinstance(other, dict):
        return value.keys() == other.keys() and all(_alike(value[name], other[name]) for name in value)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(_alike, value, other))
    return alike(value, other)
