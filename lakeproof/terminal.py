"""Output of a run in a terminal: tables, and findings as cards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from itertools import groupby

from rich.console import Group
from rich.table import Table
from rich.text import Text

from conformance.replay.commands import repro, retest
from conformance.report.expected import expected, not_as_expected
from conformance.report.headline import sentence
from conformance.report.matrix import ALL, GLYPHS, WORST_FIRST, build_matrix, subjects
from conformance.report.moving import moving
from conformance.report.pretty import step_lines
from conformance.report.untested import why_untested
from conformance.values.causes import Cause
from conformance.values.exchange import Step
from conformance.values.exit_codes import EXIT_CONFORMS
from conformance.values.resources import Leftover, summary
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
MOST_STEPS = 6


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
    for line in traits(results):
        out.print(Text(line, "dim"), soft_wrap=True)
    commands = partial(_commands, results)
    entries = {entry.id: entry for entry in results.requirements}
    errors = [entry for entry in results.requirements if entry.verdict == "error"]
    for entry in errors[:MOST_CARDS]:
        out.print(
            _card(entry, mark(entry.verdict, f"{entry.level}  {entry.id}"), entry.statement, commands(entry)),
            soft_wrap=True,
        )
    if len(errors) > MOST_CARDS:
        out.print(f"… and {len(errors) - MOST_CARDS:,} more errors of the kit: see the report.\n", soft_wrap=True)
    for cause in results.causes[:MOST_CARDS]:
        title = mark(cause.verdict, f"{cause.level}  {cause.sentence}")
        entry = entries[cause.example]
        out.print(_card(entry, title, f"{cause.title} · {cause.size}", commands(entry)), soft_wrap=True)
    if len(results.causes) > MOST_CARDS:
        out.print(_lines(results.causes[MOST_CARDS:MOST_LINES]))
        more = len(results.causes) - MOST_LINES
        out.print(f"… and {more:,} more causes: see the report.\n" if more > 0 else "")
    if results.requirements:
        out.print(_table(results))
    for line in (*why_untested(results), *moving(results)):
        out.print(Text(line, "dim"), soft_wrap=True)
    for line in not_as_expected(results):
        out.print(Text(line, "red"), soft_wrap=True)
    if results.expectations:
        out.print(Text(expected(results), "dim"))
    style = "bold green" if results.exit_code() == EXIT_CONFORMS else "bold red"
    out.print(Text(sentence(results), style))
    print_end(results.run.notes, results.run.left_behind)


def traits(results: Results) -> Iterator[str]:
    """Yield the server's traits as lines; none if the run has recognized none."""
    if results.target.traits:
        yield "The server's profile:"
    for trait in results.target.traits:
        yield f"  {trait.name}: {trait.value}"
        yield from (f"    not with {way}: {why.splitlines()[0]}" for way, why in trait.refused.items())
    if results.target.traits:
        yield ""


def print_end(notes: Iterable[str], left_behind: Collection[Leftover | str]) -> None:
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
            size = len(cause.requirements) or len(cause.blocked)
            table.add_row(mark(cause.verdict, cause.level), Text(cause.sentence), str(size))
    return table


def _commands(results: Results, entry: Result) -> str:
    """Return the commands that reproduce a finding."""
    again = results.run.again or f"lakeproof check {results.target.url}"
    return f"  again: {retest(again, entry)}\n  steps: {repro(entry.id, results.target.settings)}\n"


def _card(entry: Result, title: Text, about: str, commands: str) -> Group:
    """Return a finding as a card: its message, its last steps, and the commands that reproduce it."""
    steps = entry.steps
    shown = steps[-MOST_STEPS:]
    lines = [
        Text.assemble(title, style="bold"),
        Text(f"  {about}", "dim"),
        *(Text(f"  {line}", COLOURS[entry.verdict]) for line in [entry.message.partition("\n")[0], *entry.notes]),
    ]
    if len(steps) > len(shown):
        earlier = len(steps) - len(shown)
        lines.append(Text(f"  … {earlier} earlier step{'s' * (earlier > 1)}", "dim"))
    lines += [_step(number, step) for number, step in enumerate(shown, len(steps) - len(shown) + 1)]
    lines.append(Text(commands, "cyan"))
    return Group(*lines)


def _step(number: int, step: Step) -> Text:
    sent, came = step_lines(step)
    text = Text(f"  {number}. {sent}\n", "default" if step.mark else "dim")
    return text.append(f"     → {came}", "bold" if step.mark else "dim")
