"""Options and progress of the commands that run on Spark."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

import click

from conformance.values.activity import doing
from conformance.values.settings import Settings, load_settings
from lakeproof.answering_api import load_before_api, names_an_api, shown_api
from lakeproof.options import OneOf, check_may_write
from spark_tests.connectors import default_connector
from spark_tests.session import LOCAL, SparkSettings
from specs.apis import find_api
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from rich.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])
NAMES = ("master", "jars", "py_files", "conf", "connectors")


def api_option(names: list[str]) -> Callable[[F], F]:
    """Return the option --api for these APIs; see `settings_with_api`."""
    default = f"[default: the one that answers at URL, without URL {default_connector()}]"
    return click.option(
        "--api", type=OneOf(names), metavar="API", help=f"API of the server: {', '.join(names)}.  {default}"
    )


def settings_with_api(given: dict[str, Any], url: str | None, testable: list[str], subject: str) -> Settings:
    """Return the settings of a run; if no API is named, add to `given` the one at URL, or the first with a connector.

    Raises Problem if the API is none of the `testable` ones, or the settings are read-only: the `subject` writes.
    """
    asked = {**given, "server": url}
    check_may_write(load_before_api(asked), subject)
    given |= shown_api(asked) or ({} if names_an_api(asked) else {"api": default_connector()})
    settings = load_settings(asked | given)
    if settings.api not in testable:
        raise Problem(
            f"This command has no tests for {find_api(settings.api).title}.",
            f"Give the URL of another API, or name it with --api: {', '.join(testable)}.",
        )
    return settings


def spark_options(command: F) -> F:
    """Add the options that configure Spark to a command."""
    for option in reversed(
        (
            click.option(
                "--master",
                metavar="URL",
                default=LOCAL,
                show_default=True,
                help="Spark master, such as spark://HOST:7077.",
            ),
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


def announce(spark: SparkSettings) -> None:
    """Print the first line of a command to standard error: Spark and its imports take some seconds."""
    click.echo(f"Spark starts on {spark.master}, in about ten seconds.", err=True)


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
    from lakeproof.progress import every_second  # noqa: PLC0415 - slow to import, and the first line comes before it

    with doing(text) as tell:

        def look() -> None:
            tracker = spark.sparkContext.statusTracker()
            stages = [stage for id in tracker.getActiveStageIds() if (stage := tracker.getStageInfo(id))]
            done, total = (sum(getattr(stage, name) for stage in stages) for name in ("numCompletedTasks", "numTasks"))
            tell(f"{text}: {done:,} of {total:,} tasks" if total else text)

        with every_second(look):
            yield
