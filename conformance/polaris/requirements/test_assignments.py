"""Assignments of principal roles to principals and of catalog roles to principal roles: assign, list, revoke."""

from __future__ import annotations

from conformance.author.checks import equal, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import of
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment
from conformance.polaris.worlds import ONLY_PLAIN

SEVERAL = 4


SHOWN = ("list_given", "list_takers")


@must(
    "polaris.assignment.{}.complete",
    operations=of("assign", *SHOWN),
    clause="lists-complete",
    each=ASSIGNMENTS,
    world=ONLY_PLAIN,
)
def test_lists_of_assignments_are_complete(catalog: PolarisCatalog, case: Assignment) -> None:
    """All roles of an assignee and all assignees of a {} are listed, with the fields that loading returns."""
    ones, takers = (
        [catalog.new(kind, properties={"a": "1"}) for _ in range(SEVERAL)] for kind in (case.given, case.taker)
    )
    for role in ones:
        case.give(catalog, role, takers[0])
    for taker in takers[1:]:
        case.give(catalog, ones[0], taker)
    same_items(case.of_taker(catalog, ones[0], takers[0]), [id[-1] for id in ones], "what is assigned")
    same_items(case.takers(catalog, ones[0]), [taker[-1] for taker in takers], "whom it is assigned to")
    same_items(case.of_taker(catalog, ones[0], takers[1]), [ones[0][-1]], "what another one has")
    given = catalog.own(catalog.send(case.list_given, case.without_given(ones[0], takers[1]))[case.given.listed])
    alone = [catalog.get(case.given, ones[0]).json]
    equal(catalog.documented(given), catalog.documented(alone), "what is assigned, as it is found alone")
    shown = catalog.own(catalog.send(case.list_takers, case.given.place(ones[1]))[case.taker.listed])
    alone = [catalog.get(case.taker, takers[0]).json]
    equal(catalog.documented(shown), catalog.documented(alone), "whom it is assigned to, as it is found alone")


@should(
    "polaris.assignment.{}.bare_body", operations=of("assign", "list_given"), clause="bare-bodies", each=ASSIGNMENTS
)
def test_assignment_without_a_wrapper(catalog: PolarisCatalog, case: Assignment) -> None:
    """Assigning a {} succeeds with the object itself as the body, without the field around it."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    case.give(catalog, role, taker, bare=True)
    equal(case.of_taker(catalog, role, taker), [role[-1]], "what is assigned")


@should("polaris.assignment.{}.twice", operations=of("assign", *SHOWN), clause="assigned-twice", each=ASSIGNMENTS)
def test_assignment_twice(catalog: PolarisCatalog, case: Assignment) -> None:
    """Assigning a {} twice succeeds, it is listed once, and one revoke removes it."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    case.give(catalog, role, taker)
    case.give(catalog, role, taker)
    equal(case.of_taker(catalog, role, taker), [role[-1]], "what is assigned")
    equal(case.takers(catalog, role), [taker[-1]], "whom it is assigned to")
    case.take(catalog, role, taker)
    equal(case.of_taker(catalog, role, taker), [], "what is assigned after one revoke")


@should(
    "polaris.assignment.{}.absent_silent", operations=of("revoke"), clause="revoked-absent-silently", each=ASSIGNMENTS
)
def test_revoking_what_was_not_assigned(catalog: PolarisCatalog, case: Assignment) -> None:
    """Revoking a {} that is not assigned succeeds."""
    case.take(catalog, catalog.new(case.given), catalog.new(case.taker))
