"""Authorization by privilege: each request of `authorization.toml`, with sufficient and with insufficient privileges.

`deny` is about the status. `no_effect` is about holes: it sends each request in a form that is carried out when it is
authorized, and leaves out what the published documentation can be read to allow.

A smoke run sends each request with one sufficient privilege and with none. A gate run sends it with every sufficient
privilege at the lowest sufficient level, and with all other privileges at all levels, in sets as large as possible. A
deep run adds the other levels, and sets of privileges that suffice only together.
"""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.requirement import must, should
from conformance.author.suite import Suite
from conformance.polaris.support.access.fixture import AccessFixture, check_allowed, check_refused
from conformance.polaris.support.access.holes import RULES, check_without_effect
from conformance.polaris.support.access.table import (
    Rule,
    allowed_cells,
    grantable_in,
    hole_cells,
    refused_cells,
    rules,
)
from conformance.polaris.worlds import ONLY_PLAIN

MakeAccess = Callable[[], AccessFixture]


def _operation(rule: Rule) -> list[str]:
    return [rule.operation]


@should(
    "polaris.access.{}.allow",
    operations=_operation,
    clause="access-allowed",
    each={name: rule for name, rule in rules().items() if rule.suffice},
    world=ONLY_PLAIN,
)
def test_allowed(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """{} returns neither 401 nor 403 to a caller with any one sufficient privilege."""
    access = make_access()
    for grants in allowed_cells(suite.settings.depth, case, grantable_in(suite.target.document)):
        check_allowed(access, case, grants)


@should(
    "polaris.access.{}.deny",
    operations=_operation,
    clause="access-refused",
    kind="error",
    each=rules(),
    world=ONLY_PLAIN,
)
def test_refused(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """{} returns 403 to a caller without a sufficient privilege, whatever other privileges it holds."""
    access = make_access()
    for grants in refused_cells(suite.settings.depth, case, grantable_in(suite.target.document)):
        check_refused(access, case, grants)


@must(
    "polaris.access.{}.no_effect",
    operations=_operation,
    clause="access-no-effect",
    kind="auth",
    each=RULES,
    world=ONLY_PLAIN,
)
def test_without_effect(suite: Suite, make_access: MakeAccess, case: Rule) -> None:
    """{} does nothing and shows nothing for a caller none of whose privileges allows it."""
    cells = hole_cells(suite.settings.depth, case, grantable_in(suite.target.document))
    check_without_effect(make_access(), case, cells)
