"""What people see in a terminal: a progress bar, tables, and failures as short cards."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from itertools import groupby
from typing import Any

from rich.console import Console, ConsoleDimensions, ConsoleOptions, Group, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.segment import Segment
from rich.table import Column, Table
from rich.text import Text

from conformance.exit_codes import EXIT_CONFORMS
from conformance.findings.again import repro
from conformance.http.exchange import Step
from conformance.report.expected import expected, not_as_expected
from conformance.report.headline import sentence
from conformance.report.matrix import ALL, GLYPHS, WORST_FIRST, build_matrix, subjects
from conformance.report.pretty import step_lines
from conformance.requirement import Requirement
from conformance.results import Cause, Result, Results
from conformance.targets.sandbox import Leftover, summary
from conformance.visible import visible

COLOURS = {
    "pass": "green",
    "fail": "red",
    "warn": "yellow",
    "known": "cyan",
    "unoffered": "dim",
    "blocked": "magenta",
    "error": "bold red",
}
MOST_CARDS = 5
WIDEST = 1 << 20
LINE_SECONDS = 10.0
MOST_LINES = 40
MOST_STEPS = 6


class SafeConsole(Console):
    """A console that nobody's text controls: only its own styles and movements reach the terminal as they are.

    What is no screen has no width: in a file or a pipe nothing is cut or wrapped, whatever its colors.
    """

    @property
    def is_screen(self) -> bool:
        """True when somebody sees what is printed, line by line, in some width."""
        try:
            return self.file.isatty()
        except ValueError:  # it is closed
            return False

    @property  # type: ignore[misc]  # nobody sets it
    def size(self) -> ConsoleDimensions:
        """See Console.size."""
        size = super().size
        return size if self.is_screen else ConsoleDimensions(WIDEST, size.height)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterator[Segment]:
        """See Console.render. Outside of a screen the spaces that fill a line are left out."""
        segments = (
            segment if segment.control else Segment(visible(segment.text), segment.style)
            for segment in super().render(renderable, options)
        )
        return iter(segments) if self.is_screen else _without_filling(segments)


def _without_filling(segments: Iterable[Segment]) -> Iterator[Segment]:
    """Yield segments without the spaces before the end of a line."""
    held: list[Segment] = []
    for segment in segments:
        if segment.text == "\n":
            held.clear()
        text = segment.text.rstrip(" ")
        if segment.control or text:
            yield from held
            yield segment if segment.control else Segment(text, segment.style)
            held.clear()
        if not segment.control and len(text) < len(segment.text):
            held.append(Segment(segment.text[len(text) :], segment.style))
    yield from held


out = SafeConsole(highlight=False)
err = SafeConsole(stderr=True, highlight=False)


def table_of(*headers: RenderableType, **options: Any) -> Table:
    """Return a table as all commands print them; a long word goes on in the next line, and none is cut."""
    columns = [Column(header, overflow="fold") for header in headers]
    return Table(*columns, box=None, header_style="dim", pad_edge=False, **options)


def mark(verdict: str, text: str = "") -> Text:
    """Return a verdict's sign, and text, in its colour."""
    return Text(f"{GLYPHS[verdict]} {text}".rstrip(), COLOURS[verdict])


class ProgressListener:
    """A progress bar with counts and the time left; where there is no terminal, a line now and then."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._verdicts: dict[tuple[str, str], str] = {}  # a requirement may be tested twice
        self._total = 0
        self._started = self._told = time.monotonic()
        self._progress = Progress(
            TextColumn("[progress.description]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[counts]}"),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._progress.add_task("testing", total=None, counts="")

    def __enter__(self) -> ProgressListener:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def selected(self, requirements: list[Requirement]) -> None:
        """See Listener."""
        self.expect(len(requirements))

    def expect(self, count: int) -> None:
        """Hear how many requirements a run will test; several runs may be under way."""
        if not self._total:
            self._started = self._told = time.monotonic()
        self._total += count
        self._progress.update(self._task, total=self._total)

    def tested(self, result: Result) -> None:
        """See Listener."""
        self.note(result.id, result.verdict)

    def note(self, id: str, verdict: str, run: str = "") -> None:
        """Hear of a verdict of one of several runs."""
        self._verdicts[run, id] = verdict
        self._counts = Counter(self._verdicts.values())
        counts = " ".join(
            f"[{COLOURS[verdict]}]{GLYPHS[verdict]} {self._counts[verdict]}[/]"
            for verdict in WORST_FIRST
            if self._counts[verdict]
        )
        where, tested = id.split(".")[1], len(self._verdicts)
        self._progress.update(self._task, completed=tested, counts=counts, description=where)
        self._tell(self._line)

    def sent_again(self, number: int, of: int) -> None:
        """See Listener."""
        what = "findings sent again"
        self._progress.update(self._task, completed=number, total=of, counts="", description=what)
        self._tell(lambda: f"{number:,} of {of:,} {what}")

    def _tell(self, line: Callable[[], str]) -> None:
        """Print a line where there is no terminal, if the last one was some time ago."""
        if not err.is_terminal and time.monotonic() - self._told > LINE_SECONDS:
            self._told = time.monotonic()
            err.print(Text(line()), soft_wrap=True)

    def _line(self) -> str:
        """Return how far the run is, and how long the rest takes at this pace."""
        tested = self._counts.total()
        left = (time.monotonic() - self._started) / tested * max(self._total - tested, 0)
        counts = ", ".join(f"{self._counts[verdict]:,} {verdict}" for verdict in WORST_FIRST if self._counts[verdict])
        return f"{tested:,} of {self._total:,} requirements, about {left:.0f} s left: {counts}"


def print_results(results: Results) -> None:
    """Print a run: failures as cards, a table by resource, the verdict in one sentence."""
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
        out.print(f"… and {len(errors) - MOST_CARDS:,} more errors of the kit: see the report page.\n", soft_wrap=True)
    for cause in results.causes[:MOST_CARDS]:
        title = mark(cause.verdict, f"{cause.level}  {cause.sentence}")
        entry = entries[cause.example]
        out.print(_card(entry, title, f"{cause.title} · {cause.size}", commands(entry)), soft_wrap=True)
    if len(results.causes) > MOST_CARDS:
        out.print(_lines(results.causes[MOST_CARDS:MOST_LINES]))
        more = len(results.causes) - MOST_LINES
        out.print(f"… and {more:,} more causes: see the report page.\n" if more > 0 else "")
    if results.requirements:
        out.print(_table(results))
    for line in not_as_expected(results):
        out.print(Text(line, "red"), soft_wrap=True)
    if results.expectations:
        out.print(Text(expected(results), "dim"))
    style = "bold green" if results.exit_code() == EXIT_CONFORMS else "bold red"
    out.print(Text(sentence(results), style))
    print_end(results.run.notes, results.run.left_behind)


def traits(results: Results) -> Iterator[str]:
    """Return the server's profile as lines, empty where nothing was found out."""
    if results.target.traits:
        yield "The server's profile:"
    for trait in results.target.traits:
        yield f"  {trait.name}: {trait.value}"
        yield from (f"    not with {way}: {why.splitlines()[0]}" for way, why in trait.refused.items())
    if results.target.traits:
        yield ""


def print_end(notes: Iterable[str], left_behind: Collection[Leftover | str]) -> None:
    """Print what a run says about itself: its connections, and what it left behind."""
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
    """Return causes on a line each, with the number of their requirements."""
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
    """Return the commands that show a finding again."""
    again = results.run.again or f"lakeproof check {results.target.url}"
    return f"  again: {again} -k {entry.id}\n  steps: {repro(entry.id, results.target.settings)}\n"


def _card(entry: Result, title: Text, about: str, commands: str) -> Group:
    """Return a finding: what was seen, how it came about, and the commands that show it again."""
    steps = entry.steps
    shown = steps[-MOST_STEPS:]
    lines = [
        Text.assemble(title, style="bold"),
        Text(f"  {about}", "dim"),
        Text(f"  {entry.message.splitlines()[0]}" if entry.message else "", COLOURS[entry.verdict]),
    ]
    if len(steps) > len(shown):
        lines.append(Text(f"  … {len(steps) - len(shown)} steps before these", "dim"))
    lines += [_step(number, step) for number, step in enumerate(shown, len(steps) - len(shown) + 1)]
    lines.append(Text(commands, "cyan"))
    return Group(*lines)


def _step(number: int, step: Step) -> Text:
    sent, came = step_lines(step)
    text = Text(f"  {number}. {sent}\n", "default" if step.mark else "dim")
    return text.append(f"     → {came}", "bold" if step.mark else "dim")
