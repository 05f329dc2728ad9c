"""Branches of tables: requests on a branch, and a table whose branch differs from the main one."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import BRANCH, branch_in_query
from conformance.lance.support.arrow import stream
from conformance.lance.support.ordinary import LanceRequest
from specs.openapi import Operation

NO_BRANCH = (4, 22)  # codes for a branch that does not exist
ROWS, MORE = 3, 2  # of a new table, and those that its branch has besides


def on_branch(operation: Operation, request: LanceRequest, branch: str) -> LanceRequest:
    """Return a request on a branch."""
    if branch_in_query(operation):
        return replace(request, query={**request.query, BRANCH: branch})
    return request.with_body(branch=branch)


def new_branched(catalog: LanceCatalog, branch: str = "dev") -> Names:
    """Create a table with ROWS rows and a branch with MORE rows besides."""
    id = catalog.new_table(rows=ROWS)
    catalog.create_table_branch(id, name=branch)
    catalog.insert_into_table(id, stream(tables(MORE, first=ROWS)), _query={BRANCH: branch})
    return id


def branch_version(catalog: LanceCatalog, id: Names, branch: str) -> int:
    """Return the latest version of a branch."""
    version: int = catalog.describe_table(id, branch=branch, _query={"load_detailed_metadata": True})["version"]
    return version


def picture(catalog: LanceCatalog, id: Names, **query: Any) -> Any:
    """Return version, columns and rows of a table, whose rows have no order."""
    described = catalog.describe_table(id, **query, _query={"load_detailed_metadata": True})
    columns = [field["name"] for field in described["schema"]["fields"]]
    return described["version"], columns, sorted(catalog.rows(id, **query), key=repr)
