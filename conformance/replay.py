"""Sending recorded steps again, under names of the present run, and comparing the answers with the recorded ones.

What the server made up in a recorded answer (an id, a place, a tag) and a later request names is replaced by what
stands in the same place of the new answer.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, Literal
from urllib.parse import quote

import orjson

from conformance.client import Client
from conformance.evidence import STATUSES, shown_step
from conformance.exchange import MADE_UP, REDACTED, Exchange, Step
from conformance.json_values import read_json
from conformance.results import Result, Results

State = Literal["same", "mended", "changed", "impossible"]
CANARY = "-canary-"
SHORTEST = 6  # what is shorter is a word, and no id that a server made up
SMALLEST = 10**6  # and a smaller number is a count
VOLATILE = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{6,}|[0-9a-f]{16,}")
NUMBERS = count(1)


@dataclass(frozen=True)
class Finding:
    """What is needed to see a finding again: its recorded steps, what the kit said, and the names of its run.

    `base` is the URL of the server that was asked, `prefix` what the names of the run began with.
    """

    id: str
    kind: str
    message: str
    steps: Sequence[Step]
    base: str
    prefix: str

    @classmethod
    def of(cls, result: Result, results: Results) -> Finding:
        """Return a finding of a run."""
        base = results.target.url.rstrip("/")
        return cls(result.id, result.kind, result.message, result.steps, base, results.run.prefix)


@dataclass(frozen=True)
class Replayed:
    """How the steps of a finding were answered now.

    same         as recorded: it still fails
    mended       with a status that was due
    changed      in another way, about which the steps alone do not decide
    impossible   the steps cannot be sent again as they were: `why`
    """

    state: State
    why: str
    exchanges: list[Exchange] = field(default_factory=list)


def replay(finding: Finding, client: Client, prefix: str) -> Replayed:
    """Send the steps of a finding again and compare. `prefix` begins the names of the run that sends them.

    Raises Stopped when the run is over.
    """
    if why := obstacle(finding, client.headers):
        return Replayed("impossible", why)
    names = Renaming({finding.prefix: f"{prefix}r{next(NUMBERS)}x"})
    shown, exchanges = shown_step(finding.steps), []
    for step in finding.steps:
        exchanges.append(client.send(_request(step, finding.base, client.base, names, client.headers)))
        if step is shown:
            break
        names.learn(step, exchanges[-1])
    return Replayed(*_compared(finding, exchanges, names), exchanges)


def obstacle(finding: Finding, own: Mapping[str, str] | None) -> str:
    """Return why the steps of a finding cannot be sent again as they were, "" where they can.

    `own` are the headers of who sends them, None where that is not known yet.
    """
    mine = set(map(str.lower, own or ()))
    if not finding.steps:
        return "no steps were recorded"
    if not finding.prefix:
        return "the results are of an older kit, which did not note the names of the run"
    if finding.kind in ("race", "scenario"):
        return "its requests were sent at the same time, or by another client"
    for step in finding.steps:
        sent = f"{step.request.url} {step.request.headers} {step.request.body}"
        if not step.request.url.startswith(finding.base):
            return "a request went elsewhere"
        secrets = [name for name, value in step.request.headers.items() if value == REDACTED]
        if own is not None and (lacking := [name for name in secrets if name.lower() not in mine]):
            return f"the recorded run sent the header {lacking[0]}, and this one does not"
        if MADE_UP in sent:
            return "a request carries a secret that the run made"
        if f"{finding.prefix}{CANARY}" in sent:
            return "a request names a file that the run made"
        if is_cut(step.request.body):
            return "a request was too large to be kept"
    return ""


def is_cut(body: Mapping[str, Any] | None) -> bool:
    """True for a body in results that is not whole."""
    if not body or "json" in body:
        return False
    kept = len(body["text"].encode()) if "text" in body else len(base64.b64decode(body["base64"]))
    return kept < int(body["size"])


@dataclass
class Renaming:
    """Texts of the recorded run, and what they are called now."""

    names: dict[str, str]

    def text(self, text: str) -> str:
        """Return a text with the names of now, also where they are percent-encoded."""
        found = {old: new for old, new in self.names.items() if old in text}
        found |= {quote(old, safe=""): quote(new, safe="") for old, new in self.names.items()}
        words = sorted(filter(text.__contains__, found), key=len, reverse=True)
        if not words:
            return text
        pattern = re.compile("|".join(_bounded(word) for word in words))
        return pattern.sub(lambda match: found[match[0]], text)

    def value(self, value: Any) -> Any:
        """Return a JSON value with the names of now."""
        if isinstance(value, dict):
            return {self.text(key): self.value(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, int) and not isinstance(value, bool) and str(value) in self.names:
            return int(self.names[str(value)])
        return value

    def body(self, body: Mapping[str, Any] | None) -> bytes:
        """Return the bytes of a recorded body; what is neither JSON nor text is sent as it was."""
        if not body:
            return b""
        if "json" in body:
            return orjson.dumps(self.value(body["json"]))
        return self.text(body["text"]).encode() if "text" in body else base64.b64decode(body["base64"])

    def learn(self, step: Step, exchange: Exchange) -> None:
        """Note what the server calls now what it made up in a recorded answer."""
        recorded = (step.response.body or {}).get("json")
        pairs = [*_pairs(recorded, read_json(exchange.response_body))]
        headers = {name.lower(): value for name, value in exchange.response_headers.items()}
        pairs += [(old, headers.get(name.lower())) for name, old in step.response.headers.items()]
        for old, new in pairs:
            if _is_made_up(old) and isinstance(new, type(old)) and self.value(old) != new:
                self.names[str(old)] = str(new)


def _bounded(word: str) -> str:
    """Return the expression for a name; a number is no part of a longer one."""
    return rf"(?<!\d){word}(?!\d)" if word.isdecimal() else re.escape(word)


def _is_made_up(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) >= SHORTEST and " " not in value and REDACTED not in value and any(map(str.isdigit, value))
    return isinstance(value, int) and value >= SMALLEST


def _pairs(old: Any, new: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what stands at the same places of two JSON values."""
    if isinstance(old, dict) and isinstance(new, dict):
        for name in old.keys() & new.keys():
            yield from _pairs(old[name], new[name])
    elif isinstance(old, list) and isinstance(new, list):
        for one, other in zip(old, new, strict=False):
            yield from _pairs(one, other)
    else:
        yield old, new


def _request(step: Step, old: str, new: str, names: Renaming, own: Mapping[str, str]) -> Exchange:
    """Return a recorded request as it is sent now; what every request carries is that of this run."""
    sent, mine = step.request, {name.lower(): value for name, value in own.items()}
    headers = {name: mine.get(name.lower(), names.text(value)) for name, value in sent.headers.items()}
    url = new + names.text(sent.url.removeprefix(old))
    return Exchange(step.operation, sent.method, url, headers, names.body(sent.body))


def _compared(finding: Finding, exchanges: Sequence[Exchange], names: Renaming) -> tuple[State, str]:
    """Return how answers compare with the recorded ones: by the last status where a finding is about that.

    Else all of them have to be as recorded: which of their fields a finding is about, only its requirement knows.
    """
    step, now = finding.steps[len(exchanges) - 1], exchanges[-1].to_step().response
    said, due = f"{step.operation or 'the server'} answers {now.status or now.failure}", STATUSES.match(finding.message)
    if step.response.status != now.status:
        mended = due and str(now.status) in due[1].split(" or ")
        return "mended" if mended else "changed", f"{said}, not {step.response.status or 'nothing'} as recorded"
    if due or step.mark == "status":
        return "same", f"{said}, as recorded"
    for number, (one, exchange) in enumerate(zip(finding.steps, exchanges, strict=False), 1):
        other = exchange.to_step().response
        if one.response.status != other.status or not _alike(names.value(one.response.body), other.body):
            return "changed", f"the answer to step {number}, {one.operation}, is another one than recorded"
    return "same", "all answers are as recorded"


def _alike(one: Any, other: Any) -> bool:
    """True for JSON values that are equal but for ids, times and the like."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, str) and isinstance(other, str):
        return VOLATILE.sub("", one) == VOLATILE.sub("", other)
    if isinstance(one, int) and isinstance(other, int):
        return one == other or min(one, other) >= SMALLEST
    return bool(one == other)
