"""Assignments of roles and grants of privileges: their commands and views."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from conformance.common.model.rows import (
    MISSING,
    Command,
    ModelState,
    ModelView,
    Precondition,
    Refusal,
    Symbols,
    Thing,
    two,
)
from conformance.http.answers import Answer
from conformance.http.client import Expected
from conformance.polaris.catalog import FORBIDDEN
from conformance.polaris.entities import CATALOG_ROLE, EntityType
from conformance.polaris.model.entities import ids_listed, known
from conformance.polaris.model.kinds import (
    CATALOG_ROLE_ASSIGNMENT,
    GRANT,
    HOME,
    KINDS,
    PRINCIPAL_ROLE_ASSIGNMENT,
    THERE_OR_NOT,
    PolarisRun,
    ended,
)
from conformance.polaris.support.grants import ADD, LIST, OLDER, REVOKE, Grant, add, revoke
from conformance.polaris.support.principals import CATALOG_ROLES, PRINCIPAL_ROLES, Assignment

ASSIGNMENTS = ((PRINCIPAL_ROLE_ASSIGNMENT, PRINCIPAL_ROLES), (CATALOG_ROLE_ASSIGNMENT, CATALOG_ROLES))
ABSENT = (400, 404)
ROLE_OR_NOT = (*THERE_OR_NOT, 400, FORBIDDEN)  # no document declares a status for the grants of a missing role


def _is_absent(thing: Callable[[Symbols], Thing]) -> Callable[[ModelState, Symbols, Any], bool]:
    """Return the condition that a link is not there although the things that it links are."""

    def holds(state: ModelState, on: Symbols, _: Any) -> bool:
        kind, id = thing(on)
        return not state.has((kind, id)) and all(map(state.has, KINDS[kind].hangs_on(id)))

    return holds


# Assignments


def _give(kind: Assignment, run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return kind.give(run.catalog, run.name(on[0]), run.name(on[1]), expect=expect)


def _take(kind: Assignment, run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return kind.take(run.catalog, run.name(on[0]), run.name(on[1]), expect=expect)


def _given(kind: Assignment, run: PolarisRun, on: Symbols) -> Any:
    path = kind.without_given(run.catalog.missing(kind.given), run.name(on[0]))
    return _partners_listed(run, kind.given, run.catalog.send(kind.list_given, path, expect=THERE_OR_NOT))


def _takers(kind: Assignment, run: PolarisRun, on: Symbols) -> Any:
    answer = run.catalog.send(kind.list_takers, kind.given.place(run.name(on[0])), expect=THERE_OR_NOT)
    return _partners_listed(run, kind.taker, answer)


def _partners_listed(run: PolarisRun, entity: EntityType, answer: Answer) -> Any:
    if not answer.succeeded:
        return MISSING
    entries = ids_listed(run, entity, answer[entity.listed])
    return [[symbol, known(entries[run.name(symbol)])] for symbol in run.symbols(entries)]


def _partners(links: str, thing: Thing, partner: str, state: ModelState, place: int) -> Any:
    """Return the partners of a thing in its links, with their properties: `place` is that of the thing in their ids."""
    if not state.has(thing):
        return MISSING
    symbols = sorted(id[1 - place] for id in state.of(links) if id[place] == thing[1][0])
    return [[symbol, dict(state.fields((partner, (symbol,))))] for symbol in symbols]


def _assignment_rows(name: str, kind: Assignment) -> tuple[list[Command], list[ModelView]]:
    def thing(on: Symbols) -> Thing:
        return name, on

    given, taker = kind.given.id, kind.taker.id
    assigns_catalog_role = kind is CATALOG_ROLES
    stated, unstated = "missing-is-refused", "missing-is-refused-too"
    clause = unstated if assigns_catalog_role else stated

    def needs(clause: str) -> list[Precondition]:
        return [
            Precondition(lambda on: (given, on[:1]), clause, f"with a missing {given}", f"missing_{_word(given)}"),
            Precondition(lambda on: (taker, on[1:]), clause, f"on a missing {taker}", f"missing_{_word(taker)}"),
        ]

    ids = KINDS[name].ids
    commands = [
        Command(
            f"assign_{_word(given)}",
            kind.assign,
            "assigned",
            ids,
            partial(_give, kind),
            lambda state, on, _: state.put(thing(on)),
            needs=needs(clause),
            makes=thing,
        ),
        Command(
            f"revoke_{_word(given)}",
            kind.revoke,
            "revoked",
            ids,
            partial(_take, kind),
            lambda state, on, _: ended(state, thing(on)),
            needs=needs(stated),
            refusals=[
                Refusal(
                    "absent", f"of a {given} that is not assigned", ABSENT, "revoked-absent-refused", _is_absent(thing)
                )
            ],
        ),
    ]
    views = [
        ModelView(
            kind.list_given,
            [name, taker, given],
            two(taker),
            lambda state, on: _partners(name, (taker, on), given, state, 1),
            partial(_given, kind),
        ),
        ModelView(
            kind.list_takers,
            [name, given, taker],
            two(given),
            lambda state, on: _partners(name, (given, on), taker, state, 0),
            partial(_takers, kind),
        ),
    ]
    return commands, views


def _word(kind: str) -> str:
    return kind.replace(" ", "_")


# Grants


def _body(run: PolarisRun, on: Symbols) -> Grant:
    _, securable, privilege = on
    kind, thing = ("catalog", ()) if securable == HOME else ("namespace", run.name(securable))
    return OLDER[kind].grant(thing, privilege)


def _add(run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return add(run.catalog, run.name(on[0]), _body(run, on), expect=expect)


def _revoke(run: PolarisRun, on: Symbols, _: Any, expect: Expected) -> Answer:
    return revoke(run.catalog, run.name(on[0]), _body(run, on), expect=expect)


def _grants(run: PolarisRun, on: Symbols) -> Any:
    role = run.name(on[0])
    answer = run.catalog.send(LIST, CATALOG_ROLE.place(role), expect=ROLE_OR_NOT)
    if not answer.succeeded:
        return MISSING
    named = [id for id in KINDS[GRANT].ids if id[0] == on[0] and (id[1] == HOME or id[1] in run.names)]
    bodies = [(id, _body(run, id)) for id in named]
    shown = run.catalog.own_grants(run.catalog.documented(answer["grants"]))
    return sorted(next((list(id[1:]) for id, body in bodies if body == grant), [grant]) for grant in shown)


def _granted(state: ModelState, on: Symbols) -> Any:
    if not state.has((CATALOG_ROLE.id, on)):
        return MISSING
    return sorted(list(id[1:]) for id in state.of(GRANT, on))


def _grant_thing(on: Symbols) -> Thing:
    return GRANT, on


def _role_of_a_grant(clause: str) -> Precondition:
    return Precondition(lambda on: (CATALOG_ROLE.id, on[:1]), clause, "on a missing catalog role")


GRANTS = [
    Command(
        "add_grant",
        ADD,
        "grant-privileges",
        KINDS[GRANT].ids,
        _add,
        lambda state, on, _: state.put(_grant_thing(on)),
        needs=[_role_of_a_grant("missing-is-refused")],
        makes=_grant_thing,
    ),
    Command(
        "revoke_grant",
        REVOKE,
        "grant-revoked",
        KINDS[GRANT].ids,
        _revoke,
        lambda state, on, _: ended(state, _grant_thing(on)),
        needs=[_role_of_a_grant("missing-is-refused")],
        refusals=[
            Refusal(
                "absent",
                "of a privilege that is not granted",
                ABSENT,
                "revoked-absent-refused",
                _is_absent(_grant_thing),
            )
        ],
    ),
]
_ROWS = [_assignment_rows(name, kind) for name, kind in ASSIGNMENTS]
COMMANDS: Sequence[Command] = [*(command for commands, _ in _ROWS for command in commands), *GRANTS]
VIEWS: Sequence[ModelView] = [
    *(view for _, views in _ROWS for view in views),
    ModelView(LIST, [GRANT, CATALOG_ROLE.id], two(CATALOG_ROLE.id), _granted, _grants),
]
