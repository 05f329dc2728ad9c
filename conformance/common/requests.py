"""Templates about requests of any operation: invalid bodies, invalid credentials, repetition after an undo."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from conformance.author.catalog import Catalog
from conformance.author.checks import not_refused
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.bodies import RequestCase
from conformance.common.operations import has_json_body
from conformance.common.ordinary import accepted, with_header
from conformance.common.template import template
from conformance.http.answers import Answer
from conformance.http.client import Client, Expected
from conformance.values.outcomes import Skipped
from conformance.values.worlds import Pins
from specs.openapi import Operation

UNKNOWN: Mapping[str, Any] = {"x-from-the-future": {"a": [1, None]}}  # a field that no document declares
WRONG_BEARERS = ("Bearer wrong", "Bearer ", "Basic eDp5", "nonsense")
REFUSALS, UNAUTHORIZED = range(400, 500), 401
C = TypeVar("C")  # the catalog of an API


@template("request.broken_json.{}", must, clause="bad-json", kind="error", reads=True)
def body_that_is_no_json(catalog: Catalog, case: Operation) -> None:
    """{} returns 400 or 404 for a body that is not valid JSON."""
    _refuses(catalog, case, catalog.broken_json)


@template("request.no_object.{}", must, clause="bad-body", kind="error", reads=True)
def body_that_is_no_object(catalog: Catalog, case: Operation) -> None:
    """{} returns 400 or 404 for a JSON body that is not an object."""
    _refuses(catalog, case, catalog.no_objects)


def _refuses(catalog: Catalog, operation: Operation, bodies: Iterable[bytes]) -> None:
    name = catalog.thing_or_missing()
    for body in bodies:
        catalog.check_invalid(catalog.ask(operation, name, body=body, expect=catalog.refusals))


@template("credentials.no_success.{}", must, clause="unauthorized-is-no-success", kind="auth", reads=True)
def nothing_succeeds_without_credentials(suite: Suite, catalog: Catalog, case: Operation) -> None:
    """{} without credentials, or with invalid ones, returns 4xx."""
    require_token(suite)
    for bearer in (None, *WRONG_BEARERS):
        answer = ask_as(catalog, case, bearer, None)
        if answer.status not in REFUSALS:
            raise not_refused(answer, _caller_with(bearer), REFUSALS)


@template("credentials.status.{}", should, clause="unauthorized", kind="auth", reads=True)
def nothing_but_401_without_credentials(suite: Suite, catalog: Catalog, case: Operation) -> None:
    """{} without credentials, or with invalid ones, returns 401."""
    require_token(suite)
    for bearer in (None, *WRONG_BEARERS):
        answer = ask_as(catalog, case, bearer, None)
        if answer.status != UNAUTHORIZED:
            raise not_refused(answer, _caller_with(bearer), (UNAUTHORIZED,))
    catalog.client.reached.add(f"{case.id} {UNAUTHORIZED}")


@template("credentials.carried_out.{}", must, clause="unauthorized-is-no-success", kind="auth")
def nothing_is_done_without_credentials(suite: Suite, catalog: Catalog, case: RequestCase) -> None:
    """A {} request that is valid but for its credentials is not carried out: without any, or with wrong ones."""
    require_token(suite)
    request = case.prepare(catalog, "t")
    for bearer in (None, *WRONG_BEARERS):
        answer = with_header(request, "Authorization", bearer).send(catalog, case.operation.id)
        if answer.succeeded:
            raise not_refused(answer, _caller_with(bearer), REFUSALS)
    accepted(catalog, case.operation.id, request)


def _caller_with(bearer: str | None) -> str:
    return "a caller with wrong credentials" if bearer else "a caller without credentials"


def require_token(suite: Suite) -> None:
    """Raise Skipped when the run has no credentials: the server may not require any."""
    if not (suite.settings.token or suite.settings.credential):
        raise Skipped("the run has no token, and the server may require none", "--token")


def ask_as(catalog: Catalog, operation: Operation, bearer: str | None, expect: Expected) -> Answer:
    """Send an operation with a bearer other than the run's, or without one."""
    body = b"{}" if has_json_body(operation) else None
    return catalog.ask(operation, "t", body=body, headers={"Authorization": bearer}, expect=expect)


@dataclass(frozen=True, slots=True)
class RepeatedRequest(Generic[C]):
    """Request that is sent, undone and sent again.

    `id` is its operation. `prepare` creates its subject, `act` sends the request, `undo` reverts its effect and `check`
    verifies the effect; the last three take the subject. `undone` verifies that the effect is gone, where the operation
    itself reverts it. `world` are the values of worlds that the subject can meet.
    """

    id: str
    clause: str
    prepare: Callable[[C], Any]
    act: Callable[[C, Any], object]
    undo: Callable[[C, Any], object]
    check: Callable[[C, Any], object]
    undone: Callable[[C, Any], object] | None = None
    world: Pins = field(default_factory=dict)

    def made_again(self, catalog: C, client: Client) -> None:
        """Send the request, undo it, send it again, and check its effect both times.

        What undoes it is a preparation of the `client`, unless it is the operation itself.
        """
        subject = self.prepare(catalog)
        self.act(catalog, subject)
        self.check(catalog, subject)
        if self.undone:
            self.undo(catalog, subject)
            self.undone(catalog, subject)
        else:
            with client.preparing():
                self.undo(catalog, subject)
        self.act(catalog, subject)
        self.check(catalog, subject)
