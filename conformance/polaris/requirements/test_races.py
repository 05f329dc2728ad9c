"""Concurrent clients: each answer must fit the final state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from conformance.author.checks import same_items
from conformance.author.racing import SIZES, Racer, fail_on, race
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.bodies import RequestCase
from conformance.common.races import (
    DifferentWrites,
    judge_write,
    no_different_write_is_lost,
    refused_otherwise,
    same_requests_are_no_failure,
)
from conformance.history import REFUSED, Contradiction
from conformance.http.answers import Answer
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, PRINCIPAL_ROLE, properties_with
from conformance.polaris.operations import OPERATIONS
from conformance.polaris.support.grants import ADD, LIST, OLDER, grants, new_role
from conformance.polaris.support.ordinary import preparation
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment

LOST = 409
MOST_ROLES = 24  # of one taker in a race
Different = tuple[Sequence[str], Callable[[Any, str], Answer], Callable[[], Collection[str]]]


@must("polaris.race.increments", operations=["updatePrincipalRole"], clause="update-stale", kind="race")
def test_no_update_is_lost(suite: Suite, catalog: PolarisCatalog) -> None:
    """Concurrent updates of a principal role, each of the version it read, succeed without loss or return 409."""
    id = catalog.new(PRINCIPAL_ROLE)
    size = SIZES[suite.settings.depth]
    path = PRINCIPAL_ROLE.place(id)

    def program(racer: Racer) -> None:
        client = catalog.through(racer.client)
        for number in range(size.operations):
            role = client.send(PRINCIPAL_ROLE.get, path)
            key = f"k{racer.number}.{number}"
            body = {
                "currentEntityVersion": role["entityVersion"],
                "properties": properties_with(role, key),
            }
            racer.do("add", (key,), partial(client.send, PRINCIPAL_ROLE.update, path, body, expect=None))

    events = race(suite, [program] * size.clients)
    there = set(catalog.get(PRINCIPAL_ROLE, id)["properties"])
    fail_on(suite, (problem for event in events for problem in judge_write(event, there)))
    fail_on(suite, refused_otherwise(events, LOST))


def _grants(catalog: PolarisCatalog, count: int) -> Different:
    role, case = new_role(catalog), OLDER["catalog"]
    path = CATALOG_ROLE.place(role)

    def write(client: PolarisClient, privilege: str) -> Answer:
        return client.send(ADD, path, {"grant": case.grant((), privilege)}, expect=None)

    return (
        case.privileges(catalog.target.document)[:count],
        write,
        lambda: [str(grant["privilege"]) for grant in grants(catalog, role)],
    )


def _assignments(case: Assignment) -> Callable[[PolarisCatalog, int], Different]:
    """Return the function that starts a race of clients assigning different roles to one taker."""

    def start(catalog: PolarisCatalog, count: int) -> Different:
        taker = catalog.new(case.taker)
        roles = {role[-1]: role for role in (catalog.new(case.given) for _ in range(min(count, MOST_ROLES)))}

        def write(client: PolarisClient, name: str) -> Answer:
            path, body = case.request(roles[name], taker)
            return client.send(case.assign, path, body, expect=None)

        return list(roles), write, lambda: case.of_taker(catalog, next(iter(roles.values())), taker)

    return start


DIFFERENT = {
    "grants": DifferentWrites(
        [ADD],
        "grant-privileges",
        "Each of several privileges that clients grant to one role concurrently is granted, or its grant was refused.",
        "grant a privilege",
        _grants,
    ),
    **{
        name: DifferentWrites(
            [case.assign],
            "assigned",
            f"Each of several {case.given.id}s that clients assign to one {case.taker.id} concurrently is assigned.",
            "assign a role",
            _assignments(case),
        )
        for name, case in ASSIGNMENTS.items()
    },
}
test_no_different_write_is_lost = no_different_write_is_lost.declare(__name__, DIFFERENT)


@should("polaris.race.grants", operations=[ADD, LIST], clause="granted-twice", kind="race")
def test_grants_at_the_same_time(suite: Suite, catalog: PolarisCatalog) -> None:
    """Concurrent grants to one role all succeed, and each grant is listed exactly once."""
    role, case = new_role(catalog), OLDER["catalog"]
    path = CATALOG_ROLE.place(role)
    names = case.privileges(catalog.target.document)[: SIZES[suite.settings.depth].operations]

    def program(racer: Racer) -> None:
        client = catalog.through(racer.client)
        for name in names:
            racer.do("grant", (name,), partial(client.send, ADD, path, {"grant": case.grant((), name)}, expect=None))

    events = race(suite, [program] * SIZES[suite.settings.depth].clients)
    refused = [event for event in events if event.outcome == REFUSED]
    fail_on(suite, [Contradiction("a grant was refused", (event,)) for event in refused])
    same_items(grants(catalog, role), [case.grant((), name) for name in names], "the grants")


# All clients may succeed: only a 5xx is wrong. Left out: operations that a race above judges, that would show clients
# each other's secrets, or that reject a timestamp which is not newer.
LEFT = (CATALOG.delete, "rotateCredentials", "resetCredentials", "sendNotification")
SAME = {
    name: RequestCase(operation, preparation(operation))
    for name, operation in OPERATIONS.items()
    if operation.method != "GET" and operation.id not in LEFT
}
test_same_requests_are_no_failure = same_requests_are_no_failure.declare(__name__, SAME)
