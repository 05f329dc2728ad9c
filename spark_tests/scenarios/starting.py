"""Spark session of a run of scenarios: one for all, opened by the first scenario."""

from __future__ import annotations

import contextlib
import itertools
import traceback
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import pytest

from conformance.values.outcomes import Blocked, Violation
from conformance.values.settings import Settings
from spark_tests.connectors import SparkCatalog, catalog_for, connector
from spark_tests.deadlock_watchdog import interrupt_deadlocked_tasks
from spark_tests.scenarios.statements import failure_reason
from spark_tests.session import SparkSettings, alive, attach, line_of, open_session
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NAME = "lakeproof-spark"
OURS = ("conformance", "spark_tests", "specs")
_NUMBERS = itertools.count(1)


@dataclass(frozen=True, slots=True)
class AttachedCatalog:
    """Session with the target's catalog attached."""

    session: SparkSession
    catalog: SparkCatalog
    connectors: tuple[str, ...] = ()

    def interrupt_deadlocks(self) -> int:
        """Interrupt deadlocked tasks, and return their number."""
        connector_row = connector(self.catalog.api, line_of(self.session.version), self.connectors)
        return interrupt_deadlocked_tasks(self.session, connector_row.waits)

    def another_session(self) -> AttachedCatalog:
        """Return another session of the same Spark, with the same catalog attached."""
        session = self.session.newSession()
        attach(session, self.catalog, self.connectors)
        return AttachedCatalog(session, self.catalog, self.connectors)


class Starter:
    """Plugin of pytest that provides the session of a run: a given one, or one that it opens and closes."""

    def __init__(self, spark: SparkSettings, session: SparkSession | None = None) -> None:
        self.__name__ = NAME  # name of the plugin in pytest
        self.settings = spark
        self._session = session
        self._problem: Problem | None = None
        self._stack = contextlib.ExitStack()
        self._attached: dict[Settings, AttachedCatalog] = {}

    def session(self, api: str) -> SparkSession:
        """Return the session, a new one if its process has died. Raises Blocked if Spark cannot start."""
        if self._session is not None and not alive(self._session):
            self._stack.close()
            self._session = None
            self._attached.clear()
        if self._problem is None and self._session is None:
            try:
                self._session = self._stack.enter_context(open_session(self.settings, apis=(api,)))
            except Problem as problem:
                self._problem = problem
        if self._session is None:
            raise Blocked(f"Spark cannot run here: {self._problem}", "spark")
        return self._session

    def attach(self, settings: Settings) -> AttachedCatalog:
        """Attach the target of a run to the session, under a new name. Raises Blocked like `session`."""
        session = self.session(settings.api)
        if settings in self._attached:
            return self._attached[settings]
        name = f"{settings.api}{next(_NUMBERS)}"  # a session caches the tables of a name
        attached = AttachedCatalog(session, catalog_for(name, settings), self.settings.connectors)
        attach(session, attached.catalog, attached.connectors)
        self._attached[settings] = attached
        return attached

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Generator[None, object, object]:
        """Convert an error of another client to a Violation, as for Spark: the client failed with this server."""
        try:
            return (yield)
        except Exception as error:
            if is_ours(error):
                raise
            raise Violation(failure_reason(error)) from error

    def pytest_unconfigure(self) -> None:
        """Stop the session, if the plugin has opened it."""
        self._stack.close()


def is_ours(error: BaseException) -> bool:
    """True if code of the kit raised an error, and not a client that it uses."""
    frames = list(traceback.walk_tb(error.__traceback__))
    return not frames or frames[-1][0].f_globals.get("__name__", "").partition(".")[0] in OURS


def with_settings(settings: Settings, **other: str) -> Settings:
    """Return the settings of a run with changes."""
    return replace(settings, **other)  # type: ignore[arg-type]
