"""The findings of a published report in Markdown: the server's behaviour, with notes by people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from conformance.report.headline import sentence
from conformance.report.notes import Notes
from conformance.report.pretty import short_body, shown_steps, step_lines
from conformance.values.resources import summary
from conformance.values.results import Result, Results
from conformance.values.visible import visible
from specs.problems import Problem

FINDINGS = ("fail", "warn", "error")
MOST_NAMES = 25
MOST_STEPS = 4
LINE, FENCE, GAP = "\n", "```", "…"
TAG = re.compile(r"<[^>]*>")


def render_findings(results: Results, notes: Notes, baseline: Results | None = None) -> str:
    """Return the findings of a run, with the notes on them, compared with those of another run.

    Raises Problem for a note on a requirement without a finding, so that no note outlives its finding unnoticed.
    """
    _check(results, notes)
    parts = [
        f"# {notes.title or results.target.name}: findings",
        _facts(results),
        notes.introduction,
        _behind(notes.causes),
        _comparison(results, baseline) if baseline else "",
        *_causes(results, notes),
        _table("Others", [entry for entry in results.requirements if _is_other(results, entry, notes)], notes),
        _left_behind(results),
        notes.closing,
    ]
    return visible("\n\n".join(part.strip() for part in parts if part.strip()) + "\n")


def _check(results: Results, notes: Notes) -> None:
    explained = {entry.id for entry in results.requirements if entry.verdict != "pass"}
    if stale := sorted(notes.why.keys() - explained):
        raise Problem(
            f"The notes explain requirements without a finding in this run: {', '.join(stale)}.",
            "Remove these lines from notes.toml, or correct the ids.",
        )


def _facts(results: Results) -> str:
    totals = ", ".join(f"{count:,} {verdict}" for verdict, count in results.totals.items() if count)
    run, date = results.run, results.run.started.partition("T")[0]
    return f"{sentence(results)}\n\nTested as {results.target.profile} by {run.kit} on {date}: {totals}."


def _behind(sentences: Iterable[str]) -> str:
    lines = [f"- {sentence}" for sentence in sentences]
    return "\n".join(["## Main causes\n", *lines]) if lines else ""


def _causes(results: Results, notes: Notes) -> Iterator[str]:
    """Yield the causes: the sentence, the example, and the requirements."""
    entries = {entry.id: entry for entry in results.requirements}
    for title, causes in groupby(enumerate(results.causes, 1), key=lambda pair: pair[1].title):
        yield f"## {title}"
        for number, cause in causes:
            example = entries[cause.example]
            yield f"### {number}. {cause.weight}: {cause.sentence}"
            yield f"`{example.id}`: {_code(example.message.partition(LINE)[0])}"
            yield _steps(example)
            yield _table(_counted(cause.requirements), [entries[name] for name in cause.requirements], notes)
            yield _table(
                f"What follows from it: {_counted(cause.consequences)}",
                [entries[name] for name in cause.consequences],
                notes,
            )
            yield _names("Blocked by it", cause.blocked)


def _steps(example: Result) -> str:
    """Return the last steps of a requirement: requests and answers."""
    shown = [example.steps[place] for place in shown_steps(example, MOST_STEPS)]
    lines = [f"{sent}{LINE}  -> {came}" for sent, came in map(step_lines, shown)]
    return LINE.join([FENCE, *(line.replace(FENCE, GAP) for line in lines), FENCE]) if lines else ""


def _is_other(results: Results, entry: Result, notes: Notes) -> bool:
    """True for errors of the kit, and for requirements with a note but without a finding."""
    explained = {name for cause in results.causes for name in cause.findings}
    return entry.id not in explained and (entry.verdict in FINDINGS or entry.id in notes.why)


def _counted(names: Sequence[str]) -> str:
    return f"{len(names)} requirement{'s' if len(names) != 1 else ''}"


def _names(title: str, names: Sequence[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in names)
    return f"<details><summary>{title}: {_counted(names)}</summary>\n\n{listed}.\n</details>" if names else ""


def _comparison(results: Results, baseline: Results) -> str:
    here, there = _ids(results), _ids(baseline)
    only = [name for name in here if name not in there]
    name, fewer = baseline.target.name, len(set(there) - set(here))
    names = ", ".join(f"`{name}`" for name in only[:MOST_NAMES])
    more = f" and {len(only) - MOST_NAMES} more" if len(only) > MOST_NAMES else ""
    counts = f"{len(only)} findings are missing from the report of {name}; {fewer} of its findings are missing here."
    return counts + (f"\n\nOnly here: {names}{more}." if only else "")


def _ids(results: Results) -> list[str]:
    return [entry.id for entry in results.requirements if entry.verdict in FINDINGS]


def _table(title: str, entries: Sequence[Result], notes: Notes) -> str:
    why = any(entry.id in notes.why for entry in entries)
    rows = [
        f"| {entry.level if entry.verdict in FINDINGS else entry.verdict} "
        f"| `{entry.id}`<br>{_cell(entry.statement)} | {_cell(_seen(entry))} |"
        + (f" {_cell(notes.why.get(entry.id, ''))} |" if why else "")
        for entry in entries
    ]
    head = ["| | requirement | observed |" + (" why |" if why else ""), "|---|---|---|" + ("---|" if why else "")]
    table = "\n".join([*head, *rows])
    return f"<details><summary>{title}</summary>\n\n{table}\n</details>" if rows else ""


def _seen(entry: Result) -> str:
    """Return the marked answer of a requirement, or its message if no answer came."""
    marked = [step for step in entry.steps if step.mark]
    if not marked or not marked[-1].response.status:
        return _code(entry.message.partition("\n")[0])
    response = marked[-1].response
    body = response.body
    text = short_body({"text": TAG.sub(" ", body["text"])} if body and "text" in body else body, marked[-1].mark)
    return f"{marked[-1].operation or 'the server'} returns {response.status} {_code(text)}".rstrip()


def _code(text: str) -> str:
    return f"`{' '.join(text.replace('`', chr(39)).split())}`" if text.strip() else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _left_behind(results: Results) -> str:
    lines = summary(results.run.left_behind)
    return "\n".join(["Left behind on the server:\n", *(f"- {line}" for line in lines)]) if lines else ""
