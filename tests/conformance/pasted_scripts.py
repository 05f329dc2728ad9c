"""Scripts of findings, pasted into a shell: whether their commands get the answers that show the finding."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import orjson
from jsonpointer import JsonPointerException, resolve_pointer

from conformance.after.reproduction import Recorded, as_shell
from conformance.apis import suite_part
from conformance.replay.answers import Reader
from conformance.replay.chosen import rests_on
from conformance.replay.pasted import OWN
from conformance.replay.renaming import Renaming
from conformance.replay.replaying import Finding
from conformance.target.target import Target
from conformance.values.evidence import shown_step
from conformance.values.exchange import ERROR_STATUS, Exchange, Step
from conformance.values.redaction import hide_fields
from conformance.values.results import RunRecord
from conformance.values.verdict import Result

HEAD = re.compile(rb"^HTTP/\S+ (\d+).*?\r\n((?:\S+:.*\r\n)*)\r?\n?", re.MULTILINE)
INTERIM = re.compile(rb"^HTTP/\S+ 1\d\d.*\r\n\r\n", re.MULTILINE)
CLOCK, NOW = "$(date +%s)", "1000000000"
SECONDS = 60
ABSENT = "(absent)"


def record_of(result: Result, url: str, run: RunRecord) -> Recorded:
    """A finding of a run on the server at a URL, as `repro` reads it from the results."""
    return Recorded(
        finding=Finding.seen(result, url, run.prefix, run.preparation),
        statement=result.statement,
        kit="0",
        seen="now",
        settings={},
        preparation=rests_on(result.steps, run.preparation, run.prefix),
    )


@dataclass(frozen=True)
class Shell:
    """A shell into which scripts are pasted, for servers like a target."""

    target: Target

    def differs(self, record: Recorded, url: str, secrets: Mapping[str, str]) -> str:
        """Return the difference between a finding and what its script shows on the server at a URL, "" for none.

        `secrets` are the variables that it wants.
        """
        done = subprocess.run(
            ["sh"],
            input=as_shell(record, url).replace(CLOCK, NOW).encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
            env={**os.environ, **secrets},
        )
        if done.stderr:
            return f"the shell says {done.stderr.decode(errors='replace').splitlines()[0]!r}"
        finding, before = record.finding, [step for step in record.preparation if not step.beside]
        steps = [*before, *finding.sent]
        answers = answers_of(done.stdout, steps)
        place = len(before) + finding.sent.index(shown_step(finding.steps) or finding.sent[-1])
        for step, answer in zip(steps[: place + 1], answers, strict=False):
            if step.response.status != answer.status:
                return f"{step.operation} returns {answer.status}, not {step.response.status}"
        if len(answers) <= place:
            return f"{len(answers)} answers, and step {place + 1} is to show it"
        names = Renaming({finding.prefix: f"{finding.prefix[:-OWN]}{NOW}"})
        for step, answer in zip(steps[:place], answers, strict=False):
            names.learn((step.response.body or {}).get("json"), step.response.headers, answer)
        return self._at_mark(finding, steps[place], answers[place], names)

    def _at_mark(self, finding: Finding, step: Step, answer: Exchange, names: Renaming) -> str:
        """Return the difference between an answer and the recorded one at the place that the finding marks."""
        if not step.mark or step.mark == "status":
            return ""
        if finding.kind == "wire":
            return "" if step.mark in self.target.client.wire.defects(answer) else f"no defect at {step.mark}"
        parts = [suite_part(suite) for suite in self.target.profile.suites]
        chosen = {name for part in parts for name in part.chosen}
        reader = Reader(self.target.document.errors, {name for part in parts for name in part.ordered}, chosen)
        seen, got = _recorded(step), replace(answer, response_body=hide_fields(answer.response_body))
        if answer.status < ERROR_STATUS:
            seen, got = _part(step.mark, seen), _part(step.mark, got)
        spots = reader.spots(seen, got, names)
        return ", ".join(f"{spot.one!r:.200} is {spot.other!r:.200} at {step.mark}" for spot in spots)


def _recorded(step: Step) -> Exchange:
    body = (step.response.body or {}).get("json")
    return Exchange(step.operation, "", "", {}, b"", step.response.status, step.response.headers, orjson.dumps(body))


def _part(mark: str, answer: Exchange) -> Exchange:
    """A marked part of an answer, as an answer of its own."""
    value: object = ABSENT
    if mark.startswith("header:"):
        value = {name.lower(): text for name, text in answer.response_headers.items()}.get(mark[7:].lower(), ABSENT)
    else:
        with suppress(JsonPointerException):
            value = resolve_pointer(answer.json(), mark.removeprefix("body:"), ABSENT)
    return Exchange("", "", "", {}, b"", 200, {}, orjson.dumps({mark.rpartition("/")[2]: value}))


def answers_of(printed: bytes, steps: Sequence[Step]) -> list[Exchange]:
    """The answers that a script prints, each as one to the request of its step."""
    parts = HEAD.split(INTERIM.sub(b"", printed))[1:]
    answers = []
    for step, status, headers, body in zip(steps, parts[::3], parts[1::3], parts[2::3], strict=False):
        pairs = (line.partition(":") for line in headers.decode("latin-1").splitlines())
        answer = Exchange(step.operation, step.request.method, step.request.url, step.request.headers, b"", int(status))
        answer.response_headers = {name: value.strip() for name, _, value in pairs}
        answer.response_body = body.rstrip(b"\n")
        answers.append(answer)
    return answers
