"""Reproduction of a finding: by its recorded steps, or by its requirement if the steps do not decide."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import msgspec

from conformance.after.runner import run
from conformance.replay.chosen import names_files, rests_on
from conformance.replay.commands import LEFT_OUT
from conformance.replay.expectations import same_evidence
from conformance.replay.replaying import Finding, Replayed
from conformance.replay.script import doubt, missing_body, script_of
from conformance.run.session import met, replay_and_drop
from conformance.values.activity import doing
from conformance.values.evidence import shown_step
from conformance.values.exchange import Exchange, Step
from conformance.values.outcomes import Stopped
from conformance.values.redaction import REDACTED
from conformance.values.results import Results
from conformance.values.settings import SETTINGS, Settings, load_settings, variable
from conformance.values.verdict import FAILED, FINDINGS, Result
from conformance.values.visible import visible
from specs.problems import Problem, did_you_mean

NOT_KEPT = "is missing: the results contain only the beginning of this body"
# Settings that kits have noted in results under another name.
FORMER = {"headers": "header", "storage_options": "storage_option", "operations": "operation", "clauses": "clause"}
State = Literal["fails", "fixed", "unknown"]
OTHER = "it fails in another way"
NEW_LINE = "\n"
UNSEEN = "pass, over the few answers of this requirement alone; a run of all requirements decides"
RACES = 3  # one pass of a race is no evidence
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
    """The outcome of a reproduction and the reason `why`, with the exchanges if the steps were sent.

    fails     it still fails: the steps have the recorded answers, or the requirement fails
    fixed     the requirement passes
    unknown   neither was seen: the requirement could not be tested, or its pass is no evidence
    """

    state: State
    why: str
    exchanges: list[Exchange] = field(default_factory=list)

    @property
    def fails(self) -> bool:
        """True unless the finding is fixed."""
        return self.state != "fixed"


def recorded(results: Results, requirement_id: str) -> Recorded:
    """Return a finding of a run. Raises Problem for an unknown id, with near matches."""
    noted = {FORMER.get(name, name): value for name, value in results.target.settings.items()}
    findings = {entry.id: entry for entry in results.requirements if entry.verdict in (*FAILED, "known")}
    if requirement_id not in findings:
        hint = did_you_mean(requirement_id, findings, f"It has {len(findings)}: see its report.")
        raise Problem(f"The run has no finding {requirement_id!r}.", hint)
    result = findings[requirement_id]
    noted["profile"] = "" if noted.get("spec") else results.target.profile
    kept = {*noted} - {*LEFT_OUT} | ({"seed"} if noted.get("depth") == "deep" else set())
    return Recorded(
        finding=Finding.of(result, results),
        statement=result.statement,
        kit=results.run.kit,
        seen=results.run.started,
        settings={name: value for name, value in noted.items() if name in kept and value != REDACTED and value},
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
    """Reproduce a finding. Raises Problem when the target cannot be tested."""
    return reproduce_all([record], settings)[record.finding.id]


def reproduce_all(records: Collection[Recorded], settings: Settings) -> dict[str, Reproduced]:
    """Replay the steps of findings; test the requirements of those whose answers differ, or whose steps are incomplete.

    All names belong to this run, and the created objects are dropped. Raises Problem when the target cannot be tested,
    and when it survives a request that was only one of several suspects.
    """
    try:
        replays = _replayed(records, settings)
    except Stopped as stopped:
        raise Problem(f"Nothing was decided: {stopped.msg}.", "Start the server, and try again.") from None
    undecided = [record.finding for record in records if replays[record.finding.id].state != "same"]
    tested = _tested(undecided, settings) if undecided else {}
    return {
        record.finding.id: _outcome(record.finding, replays[record.finding.id], tested.get(record.finding.id))
        for record in records
    }


def _replayed(records: Collection[Recorded], settings: Settings) -> dict[str, Replayed]:
    """Replay the steps of findings one after the other. Raises Stopped when the server is gone."""
    replays: dict[str, Replayed] = {}
    with met(settings) as target, doing("sending the steps again") as tell:
        for number, record in enumerate(records, 1):
            tell(f"sending the steps again, {number:,} of {len(records):,}")
            replays[record.finding.id] = replay_and_drop(record.finding, target)
    return replays


def _outcome(finding: Finding, replayed: Replayed, result: Result | None) -> Reproduced:
    """Return the outcome of a reproduction from the replay, and from the test of the requirement after it.

    A failure begins with the sentence of the finding, as reports have it.
    """
    if replayed.state == "same":
        return Reproduced("fails", f"{finding.message.partition(NEW_LINE)[0]} ({replayed.why})", replayed.exchanges)
    why = f"{replayed.why}; so the requirement was tested: "
    if result is None:
        return Reproduced("unknown", f"{why}it could not be tested", replayed.exchanges)
    same = same_evidence(result, finding)
    line = result.message.partition(NEW_LINE)[0] or result.verdict
    if result.verdict in FINDINGS or (result.verdict == "blocked" and same):
        tested = f" (the requirement was tested: {replayed.why})" if finding.steps else ""
        return Reproduced("fails", (line if same else f"{OTHER}: {line}") + tested, replayed.exchanges)
    if finding.seen_as.suspected:
        raise Problem(
            f"{finding.id} alone does not kill the server: it was stopped, or another request killed it.",
            "Reproduce the other requirements that were blocked when the server went away.",
        )
    if result.verdict != "pass":
        return Reproduced("unknown", f"{why}{result.verdict}, {line}", replayed.exchanges)
    if finding.kind == "wire" and not _same_way(finding, replayed):
        return Reproduced("unknown", f"{why}{UNSEEN}", replayed.exchanges)
    return Reproduced("fixed", f"{why}{result.verdict}", replayed.exchanges)


def _same_way(finding: Finding, replayed: Replayed) -> bool:
    """True when a replay got the recorded statuses up to the step that shows the finding, with all files in place."""
    if names_files(finding.steps):
        return False
    shown = shown_step(finding.steps)
    pairs = zip(finding.sent, replayed.exchanges, strict=False)
    alike = [step for step, exchange in pairs if step.response.status == exchange.status]
    return any(step is shown for step in alike) and len(alike) == len(replayed.exchanges)


def _tested(findings: Sequence[Finding], settings: Settings) -> dict[str, Result]:
    """Test the requirements of findings, those of races several times until one fails, and return the results."""
    results: dict[str, Result] = {}
    kinds = {finding.id: finding.kind for finding in findings}
    names = set(kinds)
    for _ in range(RACES):
        with tempfile.TemporaryDirectory() as folder:
            tested, _ = run(replace(settings, select="", report=folder, expect=""), ids=names)
        results |= {result.id: result for result in tested.requirements}
        names = {
            name for name in names if kinds[name] == "race" and name in results and results[name].verdict == "pass"
        }
        if not names:
            break
    return results


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
        lines += [_comment(f"{place} {_words(step)}")]
        lines += [*_file(step), *sent, "echo", ""]
    return "\n".join(lines)


def _words(step: Step) -> str:
    """Return a step in words: the operation and its outcome, or the action beside HTTP."""
    response = step.response
    if step.beside:
        return f"The run {step.beside.verb} {step.beside.thing} itself; do the same here."
    answer = f"returned {response.status}" if response.status else f"got no answer ({response.failure})"
    return f"{step.operation or step.request.method} {answer}"


def _file(step: Step) -> list[str]:
    """Return a line that stops a script if the file of a body that was too large for the results is missing."""
    name = missing_body(step)
    return [f"test -f {name} || {{ echo '{name} {NOT_KEPT}' >&2; exit 1; }}"] if name else []


def _comment(text: str) -> str:
    """Return a text as a one-line comment of a shell script: no word of it is executed."""
    return f"# {visible(' '.join(text.split()))}"
