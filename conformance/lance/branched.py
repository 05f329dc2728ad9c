"""Tables with a branch, for worlds in which requests are on one or beside one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.lance.operations import BRANCH, ON_BRANCHES, branch_in_query
from conformance.values.resources import Names
from specs.openapi import Operation

NAME = "lakeproof-branch"
ENDS = ("DropTable", "DeregisterTable", "CreateTable", "RegisterTable")  # what has the name then has no such branch


class Branched:
    """The tables of an example whose requests go to their branch."""

    def __init__(self) -> None:
        self._tables: set[Names] = set()

    def add(self, id: Names) -> None:
        """Send later requests on a table to its branch."""
        self._tables.add(id)

    def note(self, operation: str, id: Names, renamed: Names) -> None:
        """Follow a table to its new name, and forget one that is gone."""
        if id in self._tables and (operation in ENDS or renamed):
            self._tables.discard(id)
            self._tables.update([renamed] if renamed else ())

    def on_branch(
        self, operation: Operation, id: Any, body: Any, options: dict[str, Any]
    ) -> tuple[Any, dict[str, Any]] | None:
        """Return the body and the options of a request, on the branch of its table; None for what stays as it is."""
        query: Mapping[str, Any] = options.get("query") or {}
        if operation.id not in ON_BRANCHES or not isinstance(id, list | tuple) or tuple(id) not in self._tables:
            return None
        if branch_in_query(operation):
            return None if BRANCH in query else (body, {**options, "query": {**query, BRANCH: NAME}})
        at_tag = operation.id == "DescribeTable" and "tag" in (body or {})
        if not isinstance(body, dict) or BRANCH in body or at_tag:
            return None
        return {**body, BRANCH: NAME}, options
