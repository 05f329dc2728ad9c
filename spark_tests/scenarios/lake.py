"""Catalog in Spark SQL: statements in, rows out.

Every scenario has its own namespace, which is dropped afterwards with all its objects. `lake.name("t")` is the quoted
identifier of an object in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conformance.author.checks import holds
from conformance.values.outcomes import Violation
from spark_tests.scenarios.statements import Console, Statement, names

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from conformance.http.client import Client
    from spark_tests.scenarios.starting import AttachedCatalog

EXPRESSION = re.compile(r"TIMESTAMP'|map\(|true$|false$|current_timestamp\(\)$")
Row = tuple[Any, ...]


def quoted(*levels: str) -> str:
    """Return a quoted identifier for SQL."""
    return ".".join("`" + level.replace("`", "``") + "`" for level in levels)


def _argument(value: Any) -> str:
    """Return an argument of a procedure for SQL."""
    if not isinstance(value, str) or EXPRESSION.match(value):
        return str(value)
    return "'" + value.replace("'", "\\'") + "'"


def _temporary(row: Row) -> bool:
    return row[-1] is True


def has_property(described: Mapping[str, str], pair: str) -> None:
    """Check that the description of a namespace contains a property: "(name,value)"."""
    listed = described.get("Properties", "").replace(" ", "")
    holds(pair in listed, f"the Properties of the namespace, {listed or 'nothing'}, hold {pair}")


class Lake:
    """Catalog in Spark SQL with the scenario's namespace. `catalog` is its name in SQL."""

    def __init__(self, attached: AttachedCatalog, home: Callable[[], Sequence[str]], client: Client) -> None:
        self.spark = attached.session
        self.catalog = attached.catalog.name
        self._attached = attached
        self.console = Console(client, interrupt_deadlocks=attached.interrupt_deadlocks)
        self._home = home

    # Names

    @property
    def home(self) -> tuple[str, ...]:
        """Levels of the scenario's namespace, which is created on first use."""
        return tuple(self._home())

    def name(self, *levels: str) -> str:
        """Return the quoted name of an object in the scenario's namespace."""
        return quoted(self.catalog, *self.home, *levels)

    def at(self, *levels: str) -> str:
        """Return the quoted name of an object anywhere in the catalog."""
        return quoted(self.catalog, *levels)

    @property
    def namespace(self) -> str:
        """Quoted name of the scenario's namespace."""
        return self.name()

    # Statements

    def run(self, sql: str) -> list[Row]:
        """Run a statement and return its rows. Raises Violation if Spark rejects it or it does not end."""
        step = self._statement(sql)
        if step.error is not None:
            raise Violation(f"{step.failure}\n{sql}")
        return step.rows

    def value(self, sql: str) -> Any:
        """Return the first value of the only row. Raises Violation for any other number of rows."""
        rows = self.run(sql)
        if len(rows) != 1:
            raise Violation(f"one row was expected, there are {len(rows)}\n{sql}")
        return rows[0][0]

    def refused(self, sql: str, *expected: str) -> str:
        """Run a statement that must be rejected with one of these conditions or exceptions; return the reason.

        Raises Violation if it is accepted, or rejected with another one.
        """
        step = self._statement(sql)
        if step.error is None:
            raise Violation(f"{' or '.join(expected)} was expected, it was accepted\n{sql}")
        called = names(step.error)
        if not set(expected) & set(called):
            raise Violation(f"{' or '.join(expected)} was expected, not {step.failure}\n{sql}")
        return step.failure

    def attempt(self, sql: str) -> list[str]:
        """Run a statement and return the names of its error, none if it is accepted."""
        step = self._statement(sql)
        return names(step.error) if step.error is not None else []

    def _statement(self, sql: str) -> Statement:
        return self.console.run(sql, lambda: [tuple(row) for row in self.spark.sql(sql).collect()])

    def frame(self, sql: str) -> DataFrame:
        """Return the data frame of a statement, for jobs."""
        return self.spark.sql(sql)

    def job(self, text: str, action: Any) -> list[Any]:
        """Run a step of a PySpark job, shown as `text`. Raises Violation if Spark rejects it or it does not end."""
        step = self.console.run(text, lambda: list(action() or ()), kind="JOB")
        if step.error is not None:
            raise Violation(f"{step.failure}\n{text}")
        return step.rows

    def plain(self, *levels: str) -> str:
        """Return the quoted name of an object without the catalog, for procedures."""
        return quoted(*self.home, *levels)

    def calling(self, procedure: str, **arguments: Any) -> str:
        """Return the statement that calls a procedure of the connector; SQL expressions are not quoted."""
        argument_list = ", ".join(f"{name} => {_argument(value)}" for name, value in arguments.items())
        return f"CALL {quoted(self.catalog)}.system.{procedure}({argument_list})"

    def call(self, procedure: str, **arguments: Any) -> list[Row]:
        """Call a procedure of the connector and return its rows. Raises Violation like `run`."""
        return self.run(self.calling(procedure, **arguments))

    def another(self) -> Lake:
        """Return the same catalog in another session, which shares only the connector."""
        return Lake(self._attached.another_session(), self._home, self.console.client)

    # What there is

    def shown(self, kind: str, *, where: str = "", column: int = 1) -> list[str]:
        """Return the names that SHOW TABLES, VIEWS or NAMESPACES lists in a namespace, sorted.

        Temporary views belong to the session and are left out.
        """
        rows = self.run(f"SHOW {kind} IN {where or self.namespace}")
        return sorted(str(row[column]) for row in rows if not _temporary(row))

    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types, from DESCRIBE."""
        properties: dict[str, str] = {}
        for row in self.run(f"DESCRIBE {table}"):
            if not row[0] or row[0].startswith("#"):
                break
            properties[row[0]] = row[1]
        return properties

    def described(self, namespace: str) -> dict[str, str]:
        """Return the description of a namespace by DESCRIBE, as values by name."""
        return {str(row[0]): str(row[1] or "") for row in self.run(f"DESCRIBE NAMESPACE EXTENDED {namespace}")}

    def properties(self, table: str) -> dict[str, str]:
        """Return the properties of a table."""
        return {str(row[0]): str(row[1]) for row in self.run(f"SHOW TBLPROPERTIES {table}")}
