"""Output of a run in a terminal: tables, and findings as cards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from rich.console import Group
from rich.table import Table
from rich.text import Text

from conformance.replay.commands import repro, retest
from conformance.report.expected import expected, not_as_expected
from conformance.report.gaps import gaps
from conformance.report.headline import sentence
from conformance.report.matrix import ALL, GLYPHS, WORST_FIRST, build_matrix, subjects
from conformance.report.moving import moving
from conformance.report.pretty import left_out, more_steps, shown_steps, step_lines
from conformance.report.untested import why_untested
from conformance.values.causes import Cause
from conformance.values.exchange import Step
from conformance.values.exit_codes import EXIT_CONFORMS
from conformance.values.resources import LeftBehind, summary
from conformance.values.results import Result, Results
from lakeproof.console import out, table_of

COLOURS = {
    "pass": "green",
    "fail": "red",
    "warn": "yellow",
    "known": "cyan",
    "unoffered": "dim",
    "skipped": "dim",
    "blocked": "magenta",
    "error": "bold red",
}
MOST_CARDS = 5
MOST_LINES = 40


def mark(verdict: str, text: str = "") -> Text:
    """Return a verdict's sign and a text in its color."""
    return Text(f"{GLYPHS[verdict]} {text}".rstrip(), COLOURS[verdict])


def print_results(results: Results) -> None:
    """Print a run: failures as cards, a table by resource, and the verdict in one sentence."""
    if results.read_only:
        out.print(
            Text(f"Read-only: nothing was written ({results.run.requests:,} requests, all of them reads).", "bold")
        )
    if stopped := results.run.stopped:
        out.print(Text(f"The run was stopped: {stopped.message}", "bold red"), soft_wrap=True)
        if stopped.step:
            out.print(_step(1, stopped.step))
        out.print()
    if found := gaps(results):
        for gap in found:
            out.print(mark("unoffered", gap), style="bold", soft_wrap=True)
        out.print()
    errors = [entry for entry in results.requirements if entry.verdict == "error"]
    for entry in errors[:MOST_CARDS]:
        out.print(
            _card(entry, mark(entry.verdict, f"{entry.level}  {entry.id}"), entry.statement, _commands(results, entry)),
            soft_wrap=True,
        )
    if len(errors) > MOST_CARDS:
        out.print(f"… and {len(errors) - MOST_CARDS:,} more errors of the kit: see the report.\n", soft_wrap=True)
    _print_causes(results)
    if results.requirements:
        out.print(_table(results))
    for line in (*why_untested(results), *moving(results), *traits(results)):
        out.print(Text(line, "dim"), soft_wrap=True)
    for line in not_as_expected(results):
        out.print(Text(line, "red"), soft_wrap=True)
    if results.expectations:
        out.print(Text(expected(results), "dim"))
    style = "bold green" if results.exit_code() == EXIT_CONFORMS else "bold red"
    out.print(Text(sentence(results), style))
    print_end(results.run.notes, results.run.left_behind)


def _print_causes(results: Results) -> None:
    """Print the worst causes as cards, and the others as lines."""
    entries = {entry.id: entry for entry in results.requirements}
    for cause in results.causes[:MOST_CARDS]:
        title = mark(cause.verdict, f"{cause.weight}  {cause.sentence}")
        entry = entries[cause.example]
        out.print(_card(entry, title, f"{cause.title} · {cause.size}", _commands(results, entry)), soft_wrap=True)
    if len(results.causes) > MOST_CARDS:
        out.print(_lines(results.causes[MOST_CARDS:MOST_LINES]))
        more = len(results.causes) - MOST_LINES
        out.print(f"… and {more:,} more causes: see the report.\n" if more > 0 else "")


def traits(results: Results) -> Iterator[str]:
    """Yield the server's traits in a line; none if the run has recognized none. The page has the rejected ways."""
    shown = [
        f"{trait.name}: {trait.value}" + " (not the first way)" * bool(trait.refused) for trait in results.target.traits
    ]
    if shown:
        yield f"profile: {'; '.join(shown)}"


def print_end(notes: Iterable[str], left_behind: LeftBehind) -> None:
    """Print the notes of a run, such as lost connections, and the objects that it left behind."""
    for note in notes:
        out.print(Text(note, "yellow"))
    for line in summary(left_behind):
        out.print(Text(f"left behind: {line}", "yellow"))


def _table(results: Results) -> Table:
    shown = [verdict for verdict in WORST_FIRST if results.totals[verdict]]
    table = table_of("resource", "operations")
    for verdict in shown:
        table.add_column(mark(verdict, verdict), justify="right")
    for resource, rows in build_matrix(results).resources.items():
        names = {row.operation.id for row in rows}
        about = [entry.verdict for entry in results.requirements if names & set(subjects(entry, results))]
        size = "" if resource == ALL else f"{len(rows):,}"
        table.add_row(resource, size, *(_count(about.count(verdict), verdict) for verdict in shown))
    totals = [_count(results.totals[verdict], verdict) for verdict in shown]
    table.add_section()
    table.add_row("requirements", f"{len(results.target.operations):,}", *totals, style="bold")
    return table


def _count(count: int, verdict: str) -> Text:
    return Text(f"{count:,}", COLOURS[verdict]) if count else Text("·", "dim")


def _lines(causes: Iterable[Cause]) -> Table:
    """Return a table of causes, each on a line with the number of its requirements."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1)
    table.add_column(justify="right", style="dim")
    for title, group in groupby(causes, key=lambda cause: cause.title):
        table.add_section()
        table.add_row("", Text(title, "dim"), "")
        for cause in group:
            size = len(cause.findings) or len(cause.blocked)
            table.add_row(mark(cause.verdict, cause.weight), Text(cause.sentence), str(size))
    return table


def _commands(results: Results, entry: Result) -> str:
    """Return the commands that reproduce a finding."""
    again = results.run.again or f"lakeproof check {results.target.url}"
    return f"  again: {retest(again, entry)}\n  steps: {repro(entry.id, results.target.settings)}\n"


def _card(entry: Result, title: Text, about: str, commands: str) -> Group:
    """Return a finding as a card: its message, its last steps, and the commands that reproduce it."""
    lines = [
        Text.assemble(title, style="bold"),
        Text(f"  {about}", "dim"),
        *(Text(f"  {line}", COLOURS[entry.verdict]) for line in [entry.message.partition("\n")[0], *entry.notes]),
    ]
    for missing, place in left_out(shown_steps(entry), len(entry.steps)):
        lines += [Text(f"  {more_steps(missing)}", "dim")] if missing else []
        lines += [_step(place + 1, entry.steps[place])] if place is not None else []
    lines.append(Text(commands, "cyan"))
    return Group(*lines)


def _step(number: int, step: Step) -> Text:
    sent, came = step_lines(step)
    text = Text(f"  {number}. {sent}\n", "default" if step.mark else "dim")
    return text.append(f"     → {came}", "bold" if step.mark else "dim")
