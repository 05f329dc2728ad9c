"""Progress of commands that run on Spark: on the error stream, and silent where that is no terminal."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from lakeproof.terminal import err

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SECONDS = 0.5  # between two looks at Spark's tasks
STARTING = "starting Spark; the first time, connectors are fetched"


@contextlib.contextmanager
def starting() -> Iterator[None]:
    """Show that Spark starts."""
    with _progress() as progress:
        progress.add_task(STARTING, total=None)
        yield


@contextlib.contextmanager
def counting(text: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show how much is done; yield what has to be told how much each part has done so far."""
    parts: dict[int, int] = {}
    with _progress(MofNCompleteColumn()) as progress:
        task = progress.add_task(text, total=total)

        def on_progress(part: int, count: int) -> None:
            parts[part] = count
            progress.update(task, completed=sum(parts.values()))

        yield on_progress


@contextlib.contextmanager
def working(text: str, spark: SparkSession) -> Iterator[None]:
    """Show how many tasks of the stage that Spark is at are done."""
    over = threading.Event()
    with _progress(MofNCompleteColumn(), TextColumn("tasks")) as progress:
        task = progress.add_task(text, total=None)

        def look() -> None:
            tracker = spark.sparkContext.statusTracker()
            while not over.wait(SECONDS):
                stages = [stage for id in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(id))]
                done = sum(stage.numCompletedTasks for stage in stages)
                progress.update(task, completed=done, total=sum(stage.numTasks for stage in stages) or None)

        thread = threading.Thread(target=look, daemon=True)
        if not progress.disable:
            thread.start()
        try:
            yield
        finally:
            over.set()
            if thread.is_alive():
                thread.join()


def _progress(*columns: TextColumn | MofNCompleteColumn) -> Progress:
    shown = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), *columns, TimeElapsedColumn())
    return Progress(*shown, console=err, transient=True, disable=not err.is_terminal)
