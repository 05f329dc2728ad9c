"""The findings of a published report in Markdown: what the server did, and what people know about it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from conformance.report.notes import Notes
from conformance.report.pretty import short_body
from conformance.results import Result, Results
from conformance.sandbox import summary
from specs.problems import Problem

FINDINGS = ("fail", "warn", "error")
MOST_NAMES = 25
TAG = re.compile(r"<[^>]*>")


def render_findings(results: Results, notes: Notes, baseline: Results | None = None) -> str:
    """Return the findings of a run, with the notes on them, compared with those of another run.

    Raises Problem for a note that explains what is no finding, so that none outlives its finding unnoticed.
    """
    _check(results, notes)
    parts = [
        f"# {notes.title or results.target.name}: findings",
        _facts(results),
        notes.introduction,
        _causes(notes.causes),
        _comparison(results, baseline) if baseline else "",
        _table(results, notes),
        _blocked(results),
        _left_behind(results),
        notes.closing,
    ]
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _check(results: Results, notes: Notes) -> None:
    explained = {entry.id for entry in results.requirements if entry.verdict != "pass"}
    if stale := sorted(notes.why.keys() - explained):
        raise Problem(
            f"The notes explain what is no finding of this run: {', '.join(stale)}.",
            "Remove these lines from notes.toml, or correct the ids.",
        )


def _facts(results: Results) -> str:
    totals = ", ".join(f"{count} {verdict}" for verdict, count in results.totals.items() if count)
    run, date = results.run, results.run.started.partition("T")[0]
    return f"Tested as {results.target.profile} by {run.kit} on {date}: {totals}."


def _causes(causes: Iterable[str]) -> str:
    lines = [f"- {cause}" for cause in causes]
    return "\n".join(["## What stands behind most of them\n", *lines, "\n## All"]) if lines else ""


def _comparison(results: Results, baseline: Results) -> str:
    here, there = _ids(results), _ids(baseline)
    only = [name for name in here if name not in there]
    counts = f"{len(only)} of them are not in the report of {baseline.target.name}, and {len(set(there) - set(here))}"
    names = ", ".join(f"`{name}`" for name in only[:MOST_NAMES])
    more = f" and {len(only) - MOST_NAMES} more" if len(only) > MOST_NAMES else ""
    return f"{counts} of those there are not here." + (f"\n\nOnly here: {names}{more}." if only else "")


def _ids(results: Results) -> list[str]:
    return [entry.id for entry in results.requirements if entry.verdict in FINDINGS]


def _table(results: Results, notes: Notes) -> str:
    explained = " why |" if notes.why else ""
    rows = [
        f"| {entry.level if entry.verdict in FINDINGS else entry.verdict} "
        f"| `{entry.id}`<br>{_cell(entry.statement)} | {_cell(_seen(entry))} |"
        + (f" {_cell(notes.why.get(entry.id, ''))} |" if explained else "")
        for entry in results.requirements
        if entry.verdict in FINDINGS or entry.id in notes.why
    ]
    rule = "|---|---|---|" + ("---|" if explained else "")
    return "\n".join([f"| | requirement | what was seen |{explained}", rule, *rows]) if rows else ""


def _seen(entry: Result) -> str:
    """Return what the marked answer of a requirement was, or what its message says where no answer came."""
    marked = [step for step in entry.steps if step.mark]
    if not marked or not marked[-1].response.status:
        return _code(entry.message.partition("\n")[0])
    response = marked[-1].response
    body = response.body
    text = short_body({"text": TAG.sub(" ", body["text"])} if body and "text" in body else body)
    return f"{marked[-1].operation} answers {response.status} {_code(text)}".rstrip()


def _code(text: str) -> str:
    return f"`{' '.join(text.replace('`', chr(39)).split())}`" if text.strip() else ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _blocked(results: Results) -> str:
    blocked = [entry.blocked_by or entry.message for entry in results.requirements if entry.verdict == "blocked"]
    causes = ", ".join(_code(cause) for cause in sorted(set(blocked)))
    return f"{len(blocked)} requirements could not be tested because of: {causes}." if blocked else ""


def _left_behind(results: Results) -> str:
    lines = summary(results.run.left_behind)
    return "\n".join(["What the server still has of the run:\n", *(f"- {line}" for line in lines)]) if lines else ""
