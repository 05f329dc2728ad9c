"""The options of every command that runs on Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from conformance.values.settings import given_elsewhere
from lakeproof.closed_sets import OneOf
from spark_tests.connectors import default_connector
from spark_tests.session import LOCAL, SparkSettings
from specs.problems import Problem

F = TypeVar("F", bound=Callable[..., Any])
NAMES = ("master", "jars", "py_files", "conf", "connectors")


def api_option(names: list[str], help: str) -> Callable[[F], F]:
    """Return the option for an API of these; without it, the one of environment or file, else Spark's own."""
    usual = default_connector()
    return click.option(
        "--api",
        type=OneOf(names),
        default=lambda: given_elsewhere().get("api", usual),
        help=f"{help}  [default: {usual}]",
    )


def spark_options(command: F) -> F:
    """Give a command the options that say how Spark is started."""
    for option in reversed(
        (
            click.option("--master", default=LOCAL, show_default=True, help="The Spark master: spark://HOST:7077."),
            click.option(
                "--jars", multiple=True, metavar="FILE", help="A connector's jar, instead of the kit's choice."
            ),
            click.option(
                "--connector",
                "connectors",
                multiple=True,
                metavar="COORDINATES",
                help="A connector instead of the kit's choice: GROUP:ARTIFACT:VERSION.",
            ),
            click.option("--py-files", multiple=True, metavar="FILE", help="What executors elsewhere need: a wheel."),
            click.option("--conf", multiple=True, metavar="NAME=VALUE", help="A further setting of Spark's."),
        )
    ):
        command = option(command)
    return command


def spark_settings_of(given: dict[str, Any]) -> SparkSettings:
    """Take the options of Spark out of what a command was given. Raises Problem for a setting without a value."""
    values = {name: given.pop(name) for name in NAMES}
    pairs = {}
    for text in values["conf"]:
        name, equals, value = text.partition("=")
        if not equals:
            raise Problem(f"The setting {text!r} has no value.", "Write it as --conf NAME=VALUE.")
        pairs[name] = value
    jars, py_files, connectors = (tuple(values[name]) for name in ("jars", "py_files", "connectors"))
    return SparkSettings(values["master"], jars, py_files, pairs, connectors)
