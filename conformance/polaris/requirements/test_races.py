"""Several clients at the same time: what each was told must fit what is there in the end."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from conformance.author.checks import equal, same_items
from conformance.author.racing import SIZES, Racer, fail_on, race
from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.common.bodies import Body
from conformance.common.races import Act, Contest, one_wins, refused_otherwise, same_requests_are_no_failure
from conformance.history import OK, REFUSED, Contradiction, Event
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import CATALOG, CATALOG_ROLE, ENTITIES, PRINCIPAL_ROLE, Entity, properties_with
from conformance.polaris.operations import OPERATIONS
from conformance.polaris.support.grants import ADD, LIST, OLDER, grants, new_role
from conformance.polaris.support.ordinary import preparation

LOST = 409
Start = tuple[Sequence[Act], Any]


def _create(entity: Entity) -> Any:
    """Return the race of those who create one thing."""

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


def _update(entity: Entity) -> Any:
    """Return the race of those who update one version of one thing."""

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


def _delete(catalog: PolarisCatalog, count: int) -> Start:
    id = catalog.new(CATALOG)

    def check(_: int) -> None:
        catalog.get(CATALOG, id, expect=404)

    act = partial(PolarisClient.send, operation=CATALOG.delete, path=CATALOG.place(id), expect=None)
    return [act] * count, check


CREATIONS = {
    f"create_{name}": Contest(
        [entity.create],
        "name-taken",
        f"Of several clients that create the same {entity.id} at the same time exactly one succeeds; others get 409.",
        f"create the {entity.id}",
        _create(entity),
        (LOST,),
    )
    for name, entity in ENTITIES.items()
}
UPDATES = {
    f"update_{name}": Contest(
        [entity.update],
        "update-stale",
        f"Of several clients that update the same version of a {entity.id} exactly one succeeds; others are told 409.",
        f"update the {entity.id}",
        _update(entity),
        (LOST,),
    )
    for name, entity in ENTITIES.items()
}
DELETIONS = {
    "delete_catalog": Contest(
        [CATALOG.delete],
        "missing-is-refused",
        "Of several clients that delete the same catalog at once exactly one succeeds; others are told 404 or 409.",
        "delete the catalog",
        _delete,
        (404, LOST),
    ),
}
test_one_wins_as_recommended = one_wins.declare(__name__, CREATIONS, level=should)
test_one_wins = one_wins.declare(__name__, {**UPDATES, **DELETIONS})


@must("polaris.race.increments", operations=["updatePrincipalRole"], clause="update-stale", kind="race")
def test_no_update_is_lost(suite: Suite, catalog: PolarisCatalog) -> None:
    """Of clients that each read a principal role, add a property and update that version, no update is lost."""
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
    fail_on(suite, (problem for event in events for problem in _judged(event, there)))
    fail_on(suite, refused_otherwise(events, LOST))


def _judged(event: Event, there: set[str]) -> list[Contradiction]:
    """Judge one update of a property by what is there in the end."""
    if event.outcome == OK and event.key[0] not in there:
        return [Contradiction("an update that was acknowledged is lost", (event,))]
    if event.outcome == REFUSED and event.key[0] in there:
        return [Contradiction("an update that was refused is there", (event,))]
    return []


@should("polaris.race.grants", operations=[ADD, LIST], clause="granted-twice", kind="race")
def test_grants_at_the_same_time(suite: Suite, catalog: PolarisCatalog) -> None:
    """Of clients that grant to one role at the same time every one succeeds, and each grant is listed once."""
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


# What all of them may be told is done: only a failure of the server is wrong for any of them. What is left out is
# judged above, would show clients the secrets of others, or is refused where it is not newer than the one before.
LEFT = (CATALOG.delete, "rotateCredentials", "resetCredentials", "sendNotification")
SAME = {
    name: Body(operation, preparation(operation))
    for name, operation in OPERATIONS.items()
    if operation.method != "GET" and operation.id not in LEFT
}
test_same_requests_are_no_failure = same_requests_are_no_failure.declare(__name__, SAME)
