"""Runs of scenarios from Python, the same as `pytest --pyargs spark_tests --lakeproof-server URL`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.after.runner import run
from conformance.apis import import_requirements
from conformance.author.requirement import REQUIREMENTS
from conformance.run.reporting import Listener
from conformance.values.requirement import Requirement
from conformance.values.results import Results
from conformance.values.settings import Settings
from spark_tests.scenarios import PACKAGE, SUITE
from spark_tests.scenarios.starting import Starter
from spark_tests.session import SparkSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOG = "spark.log"


def run_scenarios(
    settings: Settings,
    listener: Listener | None = None,
    *,
    command: str = "",
    ids: Collection[str] | None = None,
    spark: SparkSettings | None = None,
    session: SparkSession | None = None,
    keep: Callable[[Results], object] | None = None,
) -> tuple[Results, int]:
    """Run the scenarios of an API against a target and return the results and the exit code.

    `session` is a running session with the connectors, `keep` receives the results before the clean-up. Raises Problem
    if the target cannot be tested; if Spark cannot start, the scenarios are blocked, with the reason.
    """
    spark = spark or SparkSettings()
    starter = Starter(replace(spark, log=spark.log or Path(settings.report) / LOG), session)
    package = f"{PACKAGE}.{settings.api}"
    return run(settings, listener, command=command, ids=ids, package=package, plugins=[starter], keep=keep)


def scenarios(api: str) -> dict[str, Requirement]:
    """Return the scenarios of an API by id."""
    import_requirements(f"{PACKAGE}.{api}")
    return {
        name: requirement
        for name, requirement in REQUIREMENTS.items()
        if requirement.suite == SUITE and requirement.api == api
    }
