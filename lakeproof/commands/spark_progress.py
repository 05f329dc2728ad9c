"""Progress of commands that run on Spark."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rich.progress import Progress

from conformance.values.activity import doing
from lakeproof.progress import every_second

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextlib.contextmanager
def counting(progress: Progress, text: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show how many operations are done; yield what has to be told how many each part has done so far."""
    parts: dict[int, int] = {}
    task = progress.add_task("", total=total, counts="")
    with doing(lambda: f"{text}, {sum(parts.values()):,} of {total:,} operations"):

        def on_progress(part: int, count: int) -> None:
            parts[part] = count
            progress.update(task, completed=sum(parts.values()))

        yield on_progress
    progress.remove_task(task)


@contextlib.contextmanager
def working(text: str, spark: SparkSession) -> Iterator[None]:
    """Show how many tasks of the stage that Spark is at are done."""
    with doing(text) as tell:

        def look() -> None:
            tracker = spark.sparkContext.statusTracker()
            stages = [stage for id in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(id))]
            done, total = (sum(getattr(stage, name) for stage in stages) for name in ("numCompletedTasks", "numTasks"))
            tell(f"{text}: {done:,} of {total:,} tasks" if total else text)

        with every_second(look):
            yield
