"""Checks of every Iceberg response beyond its schema."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from conformance.http.wire import ExtraCheck, Found
from conformance.iceberg.support.metadata import TABLE_RULES, VIEW_RULES, Rule
from conformance.iceberg.support.scans.rules import SCAN_RULES
from conformance.values.exchange import Exchange
from conformance.values.json_values import shown
from specs.iceberg.errors import OAUTH_OPERATION, stated_types
from specs.profiles import Profile

BODY = "error-body"
CODE = "error-code"
TYPE = "error-type"
TEXT = "error-text"
# Signs of server internals in a message: stack traces, parsers, databases.
INSIDES = re.compile(
    r"\n\s+at [\w.$<>]+\(|Traceback \(most recent|com\.fasterxml|java\.(lang|util|sql|io)\.|org\.springframework"
    r"|SQLSTATE|SQLITE_|psycopg|sqlalchemy|panicked at|goroutine \d+",
)
PARTIAL = "snapshots=refs"  # metadata loaded so lack snapshots that their logs and statistics name


def error_has_body(exchange: Exchange, value: Any) -> Found | None:
    """Return a finding when an error is not an object with one field, error, with message, type and code."""
    if not _has_error_body(exchange):
        return None
    error = value.get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return [("body:", f"the body of status {exchange.status} has no object under error")]
    lacking = [name for name in ("message", "type", "code") if name not in error]
    if lacking:
        return [("body:/error", f"the error has no {' and no '.join(lacking)}")]
    return [("body:", "the body of the error has other fields beside error")] if set(value) != {"error"} else []


def code_is_status(exchange: Exchange, value: Any) -> Found | None:
    """Return a finding when the code of an error is not the status of the response."""
    error = _error(exchange, value)
    if "code" not in error:
        return None
    if error["code"] == exchange.status:
        return []
    return [("body:/error/code", f"the code is {shown(error['code'])}, the status {exchange.status}")]


def type_is_known(exchange: Exchange, value: Any, profile: Profile) -> Found | None:
    """Return a finding when the type of an error is not one that the document states for operation and status.

    Clients do not read the type of a 5xx.
    """
    error = _error(exchange, value)
    known = stated_types(exchange.operation, profile).get(exchange.status) if exchange.status < 500 else None
    if not known or "type" not in error:
        return None
    if error["type"] in sorted(known):  # it may be of any kind
        return []
    return [("body:/error/type", f"the type {shown(error['type'])} is not one of {', '.join(sorted(known))}")]


def text_is_for_people(exchange: Exchange, value: Any) -> Found | None:
    """Return a finding when the message of an error shows server internals."""
    message = str(_error(exchange, value).get("message", ""))
    if not message:
        return None
    match = INSIDES.search(message)
    return [("body:/error/message", f"the message shows {shown(match.group())}")] if match else []


def _has_error_body(exchange: Exchange) -> bool:
    return exchange.status >= 400 and exchange.method != "HEAD" and exchange.operation != OAUTH_OPERATION


def _error(exchange: Exchange, value: Any) -> dict[str, Any]:
    error = value.get("error") if _has_error_body(exchange) and isinstance(value, dict) else None
    return error if isinstance(error, dict) else {}


def rule_check(rule: Rule, key: str) -> ExtraCheck:
    """Return a check that metadata in responses keep a rule; `key` is a field that only metadata of this kind have."""

    def check(exchange: Exchange, value: Any) -> Found | None:
        whole = exchange.status < 300 and PARTIAL not in exchange.url
        metadata = value.get("metadata") if whole and isinstance(value, dict) else None
        if not isinstance(metadata, dict) or key not in metadata:
            return None
        return list(_found(rule, metadata))

    return check


def _found(rule: Rule, metadata: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the findings of a rule; metadata of a wrong form are left to the schema check."""
    try:
        for pointer, message in rule(metadata):
            yield f"body:/metadata{pointer}", message
    except (AttributeError, KeyError, TypeError):
        return


def extra_checks(profile: Profile) -> dict[str, ExtraCheck]:
    """Return the checks of responses for a profile, by name."""
    return {
        BODY: error_has_body,
        CODE: code_is_status,
        TYPE: partial(type_is_known, profile=profile),
        TEXT: text_is_for_people,
        **SCAN_RULES,
        **{f"table {name}": rule_check(rule, "table-uuid") for name, rule in TABLE_RULES.items()},
        **{f"view {name}": rule_check(rule, "view-uuid") for name, rule in VIEW_RULES.items()},
    }
