"""Reproduction of a finding: by its recorded steps, or by its requirement if the steps do not decide."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from conformance.after.runner import run
from conformance.replay.chosen import rests_on
from conformance.replay.commands import LEFT_OUT
from conformance.replay.expectations import same_evidence
from conformance.replay.replaying import Finding, replay
from conformance.replay.script import doubt, missing_body, script_of
from conformance.run.session import met
from conformance.values.activity import doing
from conformance.values.exchange import Exchange, Step
from conformance.values.outcomes import Stopped
from conformance.values.redaction import REDACTED
from conformance.values.results import Results
from conformance.values.settings import SETTINGS, Settings, load_settings, variable
from conformance.values.verdict import FAILED
from conformance.values.visible import visible
from specs.problems import Problem, did_you_mean

NOT_KEPT = "is missing: the results contain only the beginning of this body"
# Settings that kits have noted in results under another name.
FORMER = {"headers": "header", "storage_options": "storage_option", "operations": "operation", "clauses": "clause"}
OTHER = "it fails in another way"
PREPARED = (
    "The commands before step 1 create what the steps depend on, as the run did before its requirements: a catalog,",
    "and a caller with its own token. You need permission to create them; they are not dropped.",
)


class Recorded(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A finding with the data to reproduce it: `settings` are those of its run, without secrets.

    `preparation` are steps of its run before the first requirement that the finding depends on.
    """

    finding: Finding
    statement: str
    kit: str
    seen: str
    settings: dict[str, Any]
    preparation: list[Step] = msgspec.field(default_factory=lambda: [])

    @property
    def due(self) -> str:
        """The message of the finding, on one line."""
        return self.finding.message.partition("\n")[0]


@dataclass(frozen=True)
class Reproduced:
    """The outcome of a reproduction: `fails` and the reason `why`, with the exchanges if the steps were sent."""

    fails: bool
    why: str
    exchanges: list[Exchange] = field(default_factory=list)


def recorded(results: Results, requirement_id: str) -> Recorded:
    """Return a finding of a run. Raises Problem for an unknown id, with near matches."""
    noted = {FORMER.get(name, name): value for name, value in results.target.settings.items()}
    findings = {entry.id: entry for entry in results.requirements if entry.verdict in (*FAILED, "known")}
    if requirement_id not in findings:
        hint = did_you_mean(requirement_id, findings, f"It has {len(findings)}: see its report.")
        raise Problem(f"The run has no finding {requirement_id!r}.", hint)
    result = findings[requirement_id]
    return Recorded(
        finding=Finding.of(result, results),
        statement=result.statement,
        kit=results.run.kit,
        seen=results.run.started,
        settings={name: value for name, value in noted.items() if name not in LEFT_OUT and value != REDACTED and value},
        preparation=rests_on(result.steps, results.run.preparation, results.run.prefix),
    )


def settings_for(
    record: Recorded, url: str, given: Mapping[str, Any], environ: Mapping[str, str] = os.environ
) -> Settings:
    """Return the settings to reproduce a finding at a URL: those of its run, overridden by the given ones.

    The value of a secret header or option is read from the environment, under its name in curl commands.
    """
    kept = {**record.settings, "server": url}
    for name in kept.keys() & SETTINGS.keys():
        if between := SETTINGS[name].between:
            kept[name] = [_filled(pair, between, environ) for pair in kept[name]]
    told = {name: value for name, value in given.items() if value}
    return load_settings({**kept, **told}, environ, told=told)


def reproduce(record: Recorded, settings: Settings) -> Reproduced:
    """Replay the steps of a finding; if they do not decide, test its requirement.

    All names belong to this run, and the created objects are dropped. Raises Problem when the target cannot be tested,
    and when it survives a request that was only one of several suspects.
    """
    try:
        with met(settings) as target, doing("sending the steps again"):
            replayed = replay(record.finding, target)
    except Stopped as stopped:
        raise Problem(f"Nothing was decided: {stopped.msg}.", "Start the server, and try again.") from None
    if replayed.state in ("same", "fixed"):
        return Reproduced(replayed.state == "same", replayed.why, replayed.exchanges)
    fails, why = _tested(record, settings)
    if not fails and record.finding.seen_as.suspected:
        raise Problem(
            f"{record.finding.id} alone does not kill the server: other requests were in flight when it died.",
            "Reproduce the other suspects of the run, or run it again with --jobs 1.",
        )
    return Reproduced(fails, f"{replayed.why}; so the requirement was tested: {why}", replayed.exchanges)


def _tested(record: Recorded, settings: Settings) -> tuple[bool, str]:
    """Return whether a requirement fails, and its verdict or message."""
    finding = record.finding
    with tempfile.TemporaryDirectory() as folder:
        alone = replace(settings, select=finding.id, report=folder, expect="")
        results, _ = run(alone)
    result = next((entry for entry in results.requirements if entry.id == finding.id), None)
    if result is None:
        return True, "it could not be tested"
    if result.verdict not in FAILED:
        return False, f"{result.verdict}"
    line = result.message.partition("\n")[0]
    return True, line if same_evidence(result, finding) else f"{OTHER}: {line}"


def _filled(pair: str, between: str, environ: Mapping[str, str]) -> str:
    name, _, value = pair.partition(between)
    if value != REDACTED:
        return pair
    if variable(name) not in environ:
        raise Problem(f"The recorded run had a secret {name}.", f"Set ${variable(name)} to its value.")
    return f"{name}{between}{environ[variable(name)]}"


def as_shell(record: Recorded, url: str) -> str:
    """Return numbered curl commands for the steps of a finding, after those that create the objects it depends on.

    `$BASE` is the URL of the server, `$RUN` the prefix of names, new each time. Server-chosen values that a later step
    uses are extracted from the new answer. Without the variable of a secret nothing is sent. A comment says if the
    steps are incomplete.
    """
    finding, before = record.finding, record.preparation
    about = [_comment(f"{finding.id}: {record.statement}"), _comment(record.due)]
    if why := doubt(finding):
        about.append(_comment(f"These commands alone may not show it: {why}. lakeproof repro tests the requirement."))
    if before:
        about += map(_comment, PREPARED)
    steps = [*before, *finding.steps]
    script = script_of(finding, before, url)
    lines = ["#!/bin/sh", *about, *script.first, ""]
    for number, (step, sent) in enumerate(zip(steps, script.steps, strict=True), 1):
        place = f"{number - len(before)}." if number > len(before) else "Before:"
        response = step.response
        answer = f"returned {response.status}" if response.status else f"got no answer ({response.failure})"
        lines += [_comment(f"{place} {step.operation or step.request.method} {answer}")]
        lines += [*_file(step), *sent, "echo", ""]
    return "\n".join(lines)


def _file(step: Step) -> list[str]:
    """Return a line that stops a script if the file of a body that was too large for the results is missing."""
    name = missing_body(step)
    return [f"test -f {name} || {{ echo '{name} {NOT_KEPT}' >&2; exit 1; }}"] if name else []


def _comment(text: str) -> str:
    """Return a text as a one-line comment of a shell script: no word of it is executed."""
    return f"# {visible(' '.join(text.split()))}"


def as_pytest(record: Recorded, url: str) -> str:
    """Return a pytest module that asserts that a finding is fixed."""
    name = "".join(sign if sign.isalnum() else "_" for sign in record.finding.id)
    content = msgspec.json.format(msgspec.json.encode(record)).decode()
    return PYTEST.format(
        id=record.finding.id,
        statement=_plain(record.statement),
        due=_plain(record.due),
        kit=record.kit,
        seen=record.seen,
        url=url,
        name=name,
        content=repr(content).replace("\\n", "\\n'\n    '"),
    )


def _plain(text: str) -> str:
    """Return a text in the form of a module's docstring."""
    return visible(text).replace("\\", "\\\\").replace('"""', "'''")


PYTEST = '''\
"""{id}: {statement}

Found by {kit} on {seen}: {due}

    BASE={url} pytest {name}.py
"""

import json
import os

import lakeproof

FOUND = json.loads(
    {content}
)


def test_{name}():
    outcome = lakeproof.reproduce(FOUND, os.environ.get("BASE", {url!r}))
    assert not outcome.fails, outcome.why
'''
