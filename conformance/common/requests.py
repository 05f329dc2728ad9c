"""Requests of any operation: broken bodies, and credentials."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from conformance.author.catalog import Catalog
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.operations import has_json_body
from conformance.common.template import template
from conformance.http.client import Answer, Expected
from conformance.values.outcomes import Unoffered, Violation
from specs.openapi import Operation

UNKNOWN: Mapping[str, Any] = {"x-from-the-future": {"a": [1, None]}}  # fields that no document has yet
WRONG_BEARERS = ("Bearer wrong", "Bearer ", "Basic eDp5", "nonsense")


@template("request.broken_json.{}", must, clause="bad-json", kind="error")
def body_that_is_no_json(catalog: Catalog, case: Operation) -> None:
    """{} refuses a body that is not JSON with 400, whether what it is about is there or not."""
    _refuses(catalog, case, catalog.broken_json)


@template("request.no_object.{}", must, clause="bad-body", kind="error")
def body_that_is_no_object(catalog: Catalog, case: Operation) -> None:
    """{} refuses a body that is JSON but no object with 400."""
    _refuses(catalog, case, catalog.no_objects)


def _refuses(catalog: Catalog, operation: Operation, bodies: Iterable[bytes]) -> None:
    name = catalog.new_thing()
    for body in bodies:
        catalog.check_invalid(catalog.ask(operation, name, body=body, expect=catalog.refusals))


@template("credentials.no_success.{}", must, clause="unauthorized-is-no-success", kind="auth")
def nothing_succeeds_without_credentials(suite: Suite, catalog: Catalog, case: Operation) -> None:
    """Without credentials, or with wrong ones, {} never succeeds."""
    require_token(suite)
    for bearer in (None, *WRONG_BEARERS):
        answer = ask_as(catalog, case, bearer, None)
        if not 400 <= answer.status < 500:
            raise Violation(f"{case.id} without proper credentials: {answer.status}")


@template("credentials.status.{}", should, clause="unauthorized", kind="auth")
def nothing_but_401_without_credentials(suite: Suite, catalog: Catalog, case: Operation) -> None:
    """Without credentials, or with wrong ones, {} is refused with 401."""
    require_token(suite)
    for bearer in (None, *WRONG_BEARERS):
        ask_as(catalog, case, bearer, 401)


def require_token(suite: Suite) -> None:
    """Raise Unoffered when the run has no credentials: the server may want none."""
    if not (suite.settings.token or suite.settings.credential):
        raise Unoffered("the run has no token: the server may want none")


def ask_as(catalog: Catalog, operation: Operation, bearer: str | None, expect: Expected) -> Answer:
    """Send an operation with other credentials than the run's, or none."""
    body = b"{}" if has_json_body(operation) else None
    return catalog.ask(operation, "t", body=body, headers={"Authorization": bearer}, expect=expect)
