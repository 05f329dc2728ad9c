"""Concurrent clients: each answer must fit the final state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.racing import SIZES, Racer, fail_on, race
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.bodies import RequestCase
from conformance.common.races import (
    Act,
    DifferentWrites,
    WinnerRace,
    judge_write,
    no_different_write_is_lost,
    one_wins,
    refused_otherwise,
    same_requests_are_no_failure,
)
from conformance.history import REFUSED, Contradiction
from conformance.http.answers import Answer
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, ENTITIES, PRINCIPAL_ROLE, EntityType, properties_with
from conformance.polaris.operations import OPERATIONS
from conformance.polaris.support import policies
from conformance.polaris.support.grants import ADD, LIST, OLDER, grants, new_role
from conformance.polaris.support.ordinary import preparation
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment

LOST = 409
MOST_ROLES = 24  # of one taker in a race
Start = tuple[Sequence[Act], Any]
Different = tuple[Sequence[str], Callable[[Any, str], Answer], Callable[[], Collection[str]]]


def _create(entity: EntityType) -> Any:
    """Return the function that starts a race of clients creating one entity."""

    def start(catalog: PolarisCatalog, count: int) -> Start:
        id = catalog.id(entity)
        catalog.sandbox.note(entity.id, [id])
        place, values = (
            entity.place(id[:-1]),
            [catalog.value(entity, id, properties={"client": str(number)}) for number in range(count)],
        )

        def check(won: int) -> None:
            equal(catalog.get(entity, id)["properties"]["client"], str(won), "the client that made it, by its property")
            equal(catalog.names(entity, id).count(id[-1]), 1, "how often the name is listed")

        return [
            partial(PolarisClient.send, operation=entity.create, path=place, body=entity.wrapped(value), expect=None)
            for value in values
        ], check

    return start


def _update(entity: EntityType) -> Any:
    """Return the function that starts a race of clients updating one version of an entity."""

    def start(catalog: PolarisCatalog, count: int) -> Start:
        id = catalog.new(entity)
        before = catalog.get(entity, id).json
        bodies = [
            {
                "currentEntityVersion": before["entityVersion"],
                "properties": properties_with(before, "client", str(number)),
            }
            for number in range(count)
        ]

        def check(won: int) -> None:
            equal(catalog.get(entity, id)["properties"]["client"], str(won), "the client that updated it")

        return [
            partial(PolarisClient.send, operation=entity.update, path=entity.place(id), body=body, expect=None)
            for body in bodies
        ], check

    return start


def _update_policy(catalog: PolarisCatalog, count: int) -> Start:
    id = policies.new(catalog)
    version = policies.load(catalog, id)["version"]

    def check(won: int) -> None:
        equal(policies.load(catalog, id)["description"], f"client {won}", "the description that the winner sent")

    update = partial(
        PolarisClient.update_policy,
        namespace=id[:-1],
        policy_name=id[-1],
        content=policies.ON,
        current_policy_version=version,
        expect=None,
    )
    return [partial(update, description=f"client {number}") for number in range(count)], check


def _delete(catalog: PolarisCatalog, count: int) -> Start:
    id = catalog.new(CATALOG)

    def check(_: int) -> None:
        catalog.get(CATALOG, id, expect=404)

    act = partial(PolarisClient.send, operation=CATALOG.delete, path=CATALOG.place(id), expect=None)
    return [act] * count, check


CREATIONS = {
    f"create_{name}": WinnerRace(
        [entity.create],
        "name-taken",
        f"When several clients create the same {entity.id} concurrently, exactly one succeeds and the others get 409.",
        f"create the {entity.id}",
        _create(entity),
        (LOST,),
    )
    for name, entity in ENTITIES.items()
}
UPDATES = {
    f"update_{name}": WinnerRace(
        [entity.update],
        "update-stale",
        f"When several clients update one version of a {entity.id}, exactly one succeeds and the others get 409.",
        f"update the {entity.id}",
        _update(entity),
        (LOST,),
    )
    for name, entity in ENTITIES.items()
}
POLICIES = {
    "update_policy": WinnerRace(
        ["updatePolicy"],
        "policy-version",
        "When several clients update one version of a policy concurrently, exactly one succeeds; the others get 409.",
        "update the policy",
        _update_policy,
        (LOST,),
    ),
}
DELETIONS = {
    "delete_catalog": WinnerRace(
        [CATALOG.delete],
        "missing-is-refused",
        "When several clients delete one catalog concurrently, exactly one succeeds and the others get 404 or 409.",
        "delete the catalog",
        _delete,
        (404, LOST),
    ),
}
test_one_wins_as_recommended = one_wins.declare(__name__, CREATIONS, level=should)
test_one_wins = one_wins.declare(__name__, {**UPDATES, **POLICIES, **DELETIONS})


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
