"""Updates of expectations from the results of a run: new findings are added, and stale ones removed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

import msgspec

from conformance.replay.expectations import seen
from conformance.replay.expectations_file import RUN, Entry, ExpectationFile, stored
from conformance.replay.replaying import Finding, obstacle
from conformance.values.causes import Cause
from conformance.values.results import Result, Results


def updated(
    file: ExpectationFile, results: Results, *, reason: str = "", link: str = "", expires: date | None = None
) -> ExpectationFile:
    """Return expectations with all findings and blocked requirements of a run, an entry for each cause.

    Other entries stay; changed and expired ones are replaced. Without a new reason, link or date, an entry keeps its
    old one, except for a date that has passed.
    """
    by_id = {result.id: result for result in results.requirements}
    named = {name: entry for entry in file.known for name in entry.findings}
    entries = []
    for cause in results.causes:
        ids = cause.members
        before = next((named[name] for name in ids if name in named), None)
        entry = _entry(cause, ids, by_id, results)
        entry.reason = reason or (before.reason if before else "")
        entry.link = link or (before.link if before else "")
        entry.expires = expires or (_valid_until(before) if before else None)
        entries.append(entry)
    new = {name for entry in entries for name in entry.findings}
    kept = [rest for entry in file.known if (rest := without(entry, new)).findings]
    profile, depth = results.target.profile, results.run.depth
    unsteady = file.unsteady or any(result.flaky for result in results.requirements)
    return ExpectationFile(
        profile=profile, depth=depth if entries else file.depth, unsteady=unsteady, known=[*kept, *entries]
    )


def pruned(file: ExpectationFile, results: Results) -> ExpectationFile:
    """Return expectations without those that the run found stale or orphan."""
    gone = {record.requirement for record in results.expectations if record.state in ("stale", "orphan")}
    kept = [rest for entry in file.known if (rest := without(entry, gone)).findings]
    return msgspec.structs.replace(file, known=kept)


def without(entry: Entry, gone: Collection[str]) -> Entry:
    """Return an entry without some of its findings; its steps are removed with their finding."""
    findings, evidence = (
        {name: seen for name, seen in kept.items() if name not in gone} for kept in (entry.findings, entry.evidence)
    )
    example = {} if entry.example in findings else {"example": "", "due": [], "prepared": {}, "steps": []}
    flaky, blocked = ([name for name in names if name not in gone] for names in (entry.flaky, entry.blocked))
    return msgspec.structs.replace(entry, findings=findings, evidence=evidence, flaky=flaky, blocked=blocked, **example)


def _valid_until(entry: Entry) -> date | None:
    """Return the date of an entry, None if it has passed."""
    return entry.expires if entry.expires and entry.expires >= date.today() else None


def _entry(cause: Cause, ids: Collection[str], by_id: Mapping[str, Result], results: Results) -> Entry:
    """Return the entry of a cause, with the shortest steps that can be replayed."""
    examples = [
        by_id[cause.example],
        *sorted((by_id[name] for name in ids), key=lambda result: (len(result.steps), result.id)),
    ]
    example = next((result for result in examples if not _obstacle(result, results)), None)
    base, prefix = results.target.url.rstrip("/"), results.run.prefix
    prepared = Finding.of(example, results).prepared if example else {}
    return Entry(
        cause=cause.sentence,
        reason="",
        example=example.id if example else "",
        due=[*example.evidence.statuses] if example and example.evidence else [],
        flaky=sorted(name for name in ids if by_id[name].flaky),
        blocked=sorted(name for name in ids if by_id[name].verdict == "blocked"),
        findings={name: seen(by_id[name].message, prefix) for name in ids},
        evidence={
            name: evidence.signature for name in ids if (evidence := by_id[name].evidence) and not evidence.worded
        },
        prepared={name: [made.replace(prefix, RUN) for made in names] for name, names in prepared.items()},
        steps=[stored(step, base, prefix) for step in example.steps] if example else [],
    )


def _obstacle(result: Result, results: Results) -> str:
    """Return why steps are not worth storing. Secrets are no obstacle: the sender of a replay supplies them."""
    if result.verdict == "blocked":
        return "a blocked result shows no violation"
    return obstacle(Finding.of(result, results), own=None)
