"""Who may do what: each request of `authorization.toml` with privileges that suffice, and with all others.

A run of depth smoke asks each request once with a privilege that suffices and once with none. A gate asks with every
privilege that suffices, at the lowest level at which it does, and with all others at all levels, in sets as large as
possible. A deep run adds the other levels, and sets of privileges that suffice only together.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.requirement import should
from conformance.author.suite import Suite
from conformance.polaris.support.access.calls import operations
from conformance.polaris.support.access.cells import allowed_cells, check_allowed, check_refused, refused_cells
from conformance.polaris.support.access.fixture import AccessFixture
from conformance.polaris.support.access.table import Rule, grantable_in, rules

NEW = "1.7"
OPERATIONS = operations()
MakeAccess = Callable[[], AccessFixture]


def _since(revision: str, *, granted: bool = False) -> dict[str, Rule]:
    return {name: rule for name, rule in rules().items() if rule.since == revision and (rule.suffice or not granted)}


def _operation(rule: Rule) -> list[str]:
    return [OPERATIONS[rule.name]]


@should("polaris.access.{}.allow", operations=_operation, clause="access-allowed", each=_since("", granted=True))
def test_allowed(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """A privilege that suffices lets a caller through: {}."""
    _let_through(suite, make_access(), case)


@should(
    "polaris.access.{}.allow", operations=_operation, clause="access-allowed", each=_since(NEW, granted=True), since=NEW
)
def test_allowed_later(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """A privilege that suffices lets a caller through: {}."""
    _let_through(suite, make_access(), case)


@should("polaris.access.{}.deny", operations=_operation, clause="access-refused", kind="error", each=_since(""))
def test_refused(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """A caller without a privilege that suffices is refused with 403, whatever else it holds: {}."""
    _turned_away(suite, make_access(), case)


@should(
    "polaris.access.{}.deny", operations=_operation, clause="access-refused", kind="error", each=_since(NEW), since=NEW
)
def test_refused_later(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """A caller without a privilege that suffices is refused with 403, whatever else it holds: {}."""
    _turned_away(suite, make_access(), case)


def _let_through(suite: Suite, access: AccessFixture, rule: Rule) -> None:
    for grants in allowed_cells(suite.settings.depth, rule, grantable_in(suite.target.document)):
        check_allowed(access, rule, grants)


def _turned_away(suite: Suite, access: AccessFixture, rule: Rule) -> None:
    for grants in refused_cells(suite.settings.depth, rule, grantable_in(suite.target.document)):
        check_refused(access, rule, grants)
