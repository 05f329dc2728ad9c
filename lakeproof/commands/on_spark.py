"""Options and progress of the commands that run on Spark."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click
from rich.progress import Progress

from conformance.values.activity import doing
from conformance.values.settings import given_elsewhere
from lakeproof.options import OneOf
from lakeproof.progress import every_second
from spark_tests.connectors import default_connector
from spark_tests.session import LOCAL, SparkSettings
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

F = TypeVar("F", bound=Callable[..., Any])
NAMES = ("master", "jars", "py_files", "conf", "connectors")


def api_option(names: list[str], help: str) -> Callable[[F], F]:
    """Return the option --api; its default is the API in environment or file, else the first API with a connector."""
    usual = default_connector()
    return click.option(
        "--api",
        type=OneOf(names),
        default=lambda: given_elsewhere().get("api", usual),
        help=f"{help}  [default: {usual}]",
    )


def spark_options(command: F) -> F:
    """Add the options that configure Spark to a command."""
    for option in reversed(
        (
            click.option("--master", default=LOCAL, show_default=True, help="Spark master, such as spark://HOST:7077."),
            click.option(
                "--jars",
                multiple=True,
                metavar="FILE",
                help="Jar of the connector, instead of the kit's choice; repeatable.",
            ),
            click.option(
                "--connector",
                "connectors",
                multiple=True,
                metavar="COORDINATES",
                help="Connector, instead of the kit's choice: GROUP:ARTIFACT:VERSION.",
            ),
            click.option(
                "--py-files",
                multiple=True,
                metavar="FILE",
                help="Python files for executors on other machines: the wheel of lakeproof.",
            ),
            click.option(
                "--conf", multiple=True, metavar="NAME=VALUE", help="Configuration property of Spark; repeatable."
            ),
        )
    ):
        command = option(command)
    return command


def spark_settings_of(given: dict[str, Any]) -> SparkSettings:
    """Remove the options of Spark from `given` and return them. Raises Problem for --conf without a value."""
    values = {name: given.pop(name) for name in NAMES}
    pairs = {}
    for text in values["conf"]:
        name, equals, value = text.partition("=")
        if not equals:
            raise Problem(f"--conf {text!r} has no value.", "Write it as --conf NAME=VALUE.")
        pairs[name] = value
    jars, py_files, connectors = (tuple(values[name]) for name in ("jars", "py_files", "connectors"))
    return SparkSettings(values["master"], jars, py_files, pairs, connectors)


@contextlib.contextmanager
def counting(progress: Progress, text: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """Show the number of completed operations; yield the function that takes a part's number and its count so far."""
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
    """Show the number of completed tasks of Spark's active stages."""
    with doing(text) as tell:

        def look() -> None:
            tracker = spark.sparkContext.statusTracker()
            stages = [stage for id in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(id))]
            done, total = (sum(getattr(stage, name) for stage in stages) for name in ("numCompletedTasks", "numTasks"))
            tell(f"{text}: {done:,} of {total:,} tasks" if total else text)

        with every_second(look):
            yield
