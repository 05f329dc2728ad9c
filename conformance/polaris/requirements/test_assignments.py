"""Assignments of principal roles to principals and of catalog roles to principal roles: assign, list, revoke."""

from __future__ import annotations

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must, should
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import of
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment
from conformance.polaris.worlds import ONLY_PLAIN

SEVERAL = 4


SHOWN = ("list_given", "list_takers")


@must("polaris.assignment.{}.shown", operations=of("assign", *SHOWN), clause="assigned", each=ASSIGNMENTS)
def test_assignment_is_shown(catalog: PolarisCatalog, case: Assignment) -> None:
    """An assigned {} is listed for its assignee, and the assignee is listed for the {}."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    lacks(case.of_taker(catalog, role, taker), [role[-1]], "what is assigned before")
    lacks(case.takers(catalog, role), [taker[-1]], "who has it before")
    case.give(catalog, role, taker)
    contains(case.of_taker(catalog, role, taker), [role[-1]], "what is assigned")
    contains(case.takers(catalog, role), [taker[-1]], "whom it is assigned to")


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


@must("polaris.assignment.{}.revoked", operations=of("revoke", "assign", *SHOWN), clause="revoked", each=ASSIGNMENTS)
def test_revoked_assignment(catalog: PolarisCatalog, case: Assignment) -> None:
    """A revoked {} is listed for neither side, and other assignments stay."""
    role, kept, taker = catalog.new(case.given), catalog.new(case.given), catalog.new(case.taker)
    for given in (role, kept):
        case.give(catalog, given, taker)
    case.take(catalog, role, taker)
    equal(case.of_taker(catalog, role, taker), [kept[-1]], "what is assigned")
    equal(case.takers(catalog, role), [], "whom it is assigned to")
    equal(case.takers(catalog, kept), [taker[-1]], "whom the other one is assigned to")


@must("polaris.assignment.{}.again", operations=of("revoke", "assign"), clause="revoked", each=ASSIGNMENTS)
def test_revoked_again(catalog: PolarisCatalog, case: Assignment) -> None:
    """A {} that was revoked and assigned again can be revoked again."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    for _ in range(2):
        case.give(catalog, role, taker)
        case.take(catalog, role, taker)
        equal(case.of_taker(catalog, role, taker), [], "what is assigned")


OLD, NEW = "revoked-absent-silently", "revoked-absent-refused"


@should("polaris.assignment.{}.absent_silent", operations=of("revoke"), clause=OLD, each=ASSIGNMENTS)
def test_revoking_what_was_not_assigned(catalog: PolarisCatalog, case: Assignment) -> None:
    """Revoking a {} that is not assigned succeeds."""
    case.take(catalog, catalog.new(case.given), catalog.new(case.taker))


@should(
    "polaris.assignment.{}.absent_refused",
    operations=of("revoke"),
    clause=NEW,
    kind="error",
    each=ASSIGNMENTS,
    since="1.7",
)
def test_revoking_what_was_not_assigned_is_refused(catalog: PolarisCatalog, case: Assignment) -> None:
    """Revoking a {} that is not assigned returns 400 or 404."""
    case.take(catalog, catalog.new(case.given), catalog.new(case.taker), expect=(400, 404))


@must(
    "polaris.assignment.{}.deleted_given",
    operations=lambda case: [case.given.delete, case.list_given],
    clause="assignments-go-along",
    each=ASSIGNMENTS,
)
def test_deleted_role_is_assigned_no_more(catalog: PolarisCatalog, case: Assignment) -> None:
    """Deleting a {} removes its assignments: a new one of the same name is assigned to nobody."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    case.give(catalog, role, taker)
    catalog.delete(case.given, role)
    equal(case.of_taker(catalog, role, taker), [], "what is assigned")
    if catalog.made_again(case.given, role).succeeded:
        equal(case.of_taker(catalog, role, taker), [], "what is assigned when the name is given again")
        equal(case.takers(catalog, role), [], "whom it is assigned to")


@must(
    "polaris.assignment.{}.deleted_taker",
    operations=lambda case: [case.taker.delete, case.list_takers],
    clause="assignments-go-along",
    each=ASSIGNMENTS,
)
def test_deleted_taker_has_nothing(catalog: PolarisCatalog, case: Assignment) -> None:
    """Deleting an assignee removes its {}: a new one of the same name has none."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    case.give(catalog, role, taker)
    catalog.delete(case.taker, taker)
    equal(case.takers(catalog, role), [], "whom it is assigned to")
    if catalog.made_again(case.taker, taker).succeeded:
        equal(case.takers(catalog, role), [], "whom it is assigned to when the name is given again")
        equal(case.of_taker(catalog, role, taker), [], "what is assigned")
