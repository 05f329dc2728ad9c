"""Progress, present activity and first causes of a run: a bar in a terminal, lines elsewhere."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from rich.console import RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Column, Table
from rich.text import Text

from conformance.report.matrix import GLYPHS, WORST_FIRST
from conformance.values.activity import present, present_step
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from conformance.values.verdict import UNTESTED
from lakeproof.console import err
from lakeproof.first_causes import FirstCauses
from lakeproof.terminal import COLOURS
from lakeproof.time_left import TimeLeft

LINE_SECONDS = 10.0
LOOK_SECONDS = 1.0
BAR = 30  # columns at most: in a narrow terminal the bar shrinks, the numbers do not


@contextmanager
def every_second(action: Callable[[], None]) -> Iterator[None]:
    """Call a function every second during a `with` block, in another thread."""
    over = threading.Event()

    def run() -> None:
        while not over.wait(LOOK_SECONDS):
            action()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(LOOK_SECONDS)


class Heartbeat:
    """Printer of a progress line at most every ten seconds; `line` returns the text, "" for none."""

    def __init__(self, line: Callable[[], str], clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = line, clock
        self._told = clock()

    def beat(self) -> None:
        """Print the line if the last one is ten seconds old."""
        if self._clock() - self._told >= LINE_SECONDS and (line := self._line()):
            self._told = self._clock()
            err.print(Text(line), soft_wrap=True)


class ActivityProgress(Progress):
    """Progress bar with the present activity below it, beside a spinner and the bar of its steps, and further lines."""

    _spinner = Spinner("dots")
    below: Callable[[], Iterable[Text]] = staticmethod(tuple)

    def get_renderables(self) -> Iterator[RenderableType]:
        """Yield the bar, if the total is known, the present activity, and the further lines, cut to the width."""
        if any(task.total for task in self.tasks):
            yield self.make_tasks_table(self.tasks)
        frame, step = self._spinner.render(time.monotonic()), present_step()
        parts = [ProgressBar(step.total, step.done, BAR // 2)] if step else []
        activity = Table.grid(*(Column(no_wrap=True) for _ in range(2 + len(parts))), padding=(0, 1, 0, 0))
        activity.add_row(frame, *parts, Text(present(), "dim", overflow="ellipsis"))
        yield activity
        for line in self.below():
            line.no_wrap, line.overflow = True, "ellipsis"
            yield line


class TimeLeftColumn(ProgressColumn):
    """Column of the estimated time left until the last requirement; empty if unknown or over.

    The field `left` of a task is its estimate, without which the pace of the last seconds counts.
    """

    max_refresh = TimeRemainingColumn.max_refresh

    def __init__(self) -> None:
        super().__init__(Column(no_wrap=True))
        self._left = TimeRemainingColumn()

    def render(self, task: Task) -> Text:
        """Return the time left of a task."""
        if "left" not in task.fields:
            return self._left.render(task) if task.time_remaining else Text("")
        left = None if task.finished else task.fields["left"]()
        return Text(str(timedelta(seconds=round(left))), "progress.remaining") if left else Text("")


@contextmanager
def showing(line: Callable[[], str] = present, causes: FirstCauses | None = None) -> Iterator[Progress]:
    """Show the present activity during a `with` block, and yield the progress bar, to which tasks can be added.

    The strongest `causes` are below it. Without a terminal, `line` is printed every ten seconds instead, and a cause
    when it is found.
    """
    causes = causes or FirstCauses()
    columns = (
        BarColumn(None, table_column=Column(max_width=BAR)),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TimeLeftColumn(),
        TextColumn("{task.fields[counts]}", table_column=Column(no_wrap=True)),
    )
    if err.is_terminal:
        with ActivityProgress(*columns, console=err, transient=True) as progress:
            progress.below = causes.lines
            yield progress
    else:
        heartbeat = Heartbeat(line)

        def look() -> None:
            for cause in causes.new_lines():
                err.print(cause, soft_wrap=True)
            heartbeat.beat()

        with every_second(look):
            yield ActivityProgress(*columns, console=err, disable=True)


class ProgressListener:
    """Listener that shows the number of tested requirements, their verdicts, the present activity and first causes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._counts: Counter[str] = Counter()
        self._verdicts: dict[tuple[str, str], str] = {}  # a requirement may be tested twice
        self._total = 0
        self._left = TimeLeft(clock)
        self._causes = FirstCauses()
        self._shown = showing(self.line, self._causes)
        self._progress: Progress | None = None

    def __enter__(self) -> ProgressListener:
        self._progress = self._shown.__enter__()
        self._task = self._progress.add_task("", total=None, counts="", left=self._left.seconds)
        return self

    def __exit__(self, *_: object) -> None:
        self._shown.__exit__(None, None, None)

    def selected(self, requirements: list[Requirement]) -> None:
        """Add the selected requirements to the total."""
        self.expect([requirement.kind for requirement in requirements])

    def expect(self, kinds: Sequence[str]) -> None:
        """Add the requirements of a run to the total; several runs may be active."""
        self._left.expect(kinds)
        self._total += len(kinds)
        self._update(total=self._total)

    def tested(self, result: Result) -> None:
        """Count a verdict of the only run, and add its findings to the causes."""
        self._causes.add(result)
        self.note(result.id, result.verdict, result.kind, result.seconds)

    def note(self, id: str, verdict: str, kind: str, seconds: float, run: str = "") -> None:
        """Count a verdict of one of several runs."""
        self._left.note(f"{run} {id}", kind, seconds, tested=verdict not in UNTESTED)
        self._verdicts[run, id] = verdict
        self._counts = Counter(self._verdicts.values())
        counts = " ".join(
            f"[{COLOURS[verdict]}]{GLYPHS[verdict]} {self._counts[verdict]}[/]"
            for verdict in WORST_FIRST
            if self._counts[verdict]
        )
        self._update(completed=len(self._verdicts), counts=counts)

    def line(self) -> str:
        """Return the progress of the run, the time left at this pace, and the present activity."""
        tested = self._counts.total()
        if not tested:
            return present()
        counts = ", ".join(f"{self._counts[verdict]:,} {verdict}" for verdict in WORST_FIRST if self._counts[verdict])
        left = self._left.seconds() if tested < self._total else None
        about = f", about {left:.0f} s left" if left else ""
        now = f"; {text}" if (text := present()) else ""
        return f"{tested:,} of {self._total:,} requirements{about}: {counts}{now}"

    def _update(self, **changes: Any) -> None:
        if self._progress:
            self._progress.update(self._task, **changes)
