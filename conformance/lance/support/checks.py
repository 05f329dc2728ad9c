"""Checks of Lance responses beyond the schema: error codes, and paths with slashes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from conformance.author.checks import one_of
from conformance.http.answers import Answer
from conformance.http.routers import is_split
from conformance.http.wire import ExtraCheck, Found
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Unoffered
from specs.lance.errors import codes_of, error_codes
from specs.openapi import JSON_TYPE
from specs.profiles import Profile

CODE_STATUS = "code-status"
CODE_LIST = "code-list"
NO_NAMESPACE, NO_TABLE = 1, 4
STATED = {("DropNamespace", NO_NAMESPACE): 400}  # statuses that the document states, unlike the error list


def code_matches_status(exchange: Exchange, value: Any) -> Found | None:
    """Check that an error has the HTTP status of its code, or the one that the document states for the operation."""
    code = _code(exchange, value)
    statuses = {error.code: error for error in error_codes().values()}
    known = statuses.get(code) if code is not None else None
    if known is None:
        return None
    if exchange.status in (known.status, STATED.get((exchange.operation, known.code))):
        return []
    return [("body:/code", f"code {code} ({known.name}) stands for status {known.status}, not {exchange.status}")]


def code_is_listed(exchange: Exchange, value: Any, profile: Profile) -> Found | None:
    """Check that the code of an error is in the profile's error list of the operation."""
    code = _code(exchange, value)
    if code is None:
        return None
    if code in codes_of(exchange.operation, profile):
        return []
    return [("body:/code", f"code {code} is not among those of {exchange.operation}")]


def _code(exchange: Exchange, value: Any) -> int | None:
    code = value.get("code") if exchange.status >= 400 and isinstance(value, dict) else None
    return code if isinstance(code, int) and not isinstance(code, bool) else None


def extra_checks(profile: Profile) -> dict[str, ExtraCheck]:
    """Return the checks of responses for a profile."""
    return {CODE_STATUS: code_matches_status, CODE_LIST: partial(code_is_listed, profile=profile)}


# Codes for the tag, version, index or column that a request names beside the table, by operation.
NAMED_PARTS = {
    "CreateTableTag": (11,),
    "GetTableTagVersion": (8,),
    "UpdateTableTag": (8, 11),
    "DeleteTableTag": (8,),
    "RestoreTable": (11,),
    "DescribeTableIndexStats": (6,),
    "DropTableIndex": (6,),
    "AlterTableAlterColumns": (12,),
    "AlterTableDropColumns": (12,),
    "CreateTableBranch": (11, 22),
    "DeleteTableBranch": (22,),
    "UpdateFieldMetadata": (12,),
    "AlterTableBackfillColumns": (11, 12),
}


def table_is_missing(refused: Answer, operation: str, *also: int) -> None:
    """Check the code of an error about a missing table, or `also` about its namespace.

    What the request names in the table is missing too, and no norm says which of them the error is about.
    """
    one_of(refused.code, (*also, NO_TABLE, *NAMED_PARTS.get(operation, ())), "the code of the error")


SPLITS = "the server's router refuses %2F and %5C, or takes them for the / between two parts of a path, as many do"


def routed(part: str, statuses: tuple[int, ...], send: Callable[..., Answer]) -> Answer:
    """Send a request with a path parameter. Raises Unoffered where the router splits the path at a slash in it."""
    if not is_split(part):
        return send(expect=statuses)
    answer = send(expect=(*statuses, 400, 404))
    if answer.status == 404 or (answer.status == 400 and not answer.header("Content-Type").startswith(JSON_TYPE)):
        raise Unoffered(SPLITS)
    one_of(answer.status, statuses, "the status")
    return answer
