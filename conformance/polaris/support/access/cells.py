"""Cells of the table: which of them a run asks, and whether a server lets through what it should and nothing else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from conformance.author.checks import equal, holds
from conformance.polaris.support.access.fixture import POWERLESS, AccessFixture
from conformance.polaris.support.access.table import Grants, Rule

DENIED = (401, 403)
SMOKE, DEEP = "smoke", "deep"
Grantable = Mapping[str, Collection[str]]


def allowed_cells(depth: str, rule: Rule, grantable: Grantable) -> Iterator[Grants]:
    """Yield what suffices, as much of it as a run of a depth asks."""
    seen: set[str] = set()
    for grant in rule.allowed(grantable):
        if depth == DEEP or grant.privilege not in seen:
            yield (grant,)
        seen.add(grant.privilege)
        if depth == SMOKE:
            return
    if depth == DEEP:
        yield from rule.combined(grantable)


def refused_cells(depth: str, rule: Rule, grantable: Grantable) -> Iterator[Grants]:
    """Yield what does not suffice, as much of it as a run of a depth asks."""
    yield POWERLESS
    if depth != SMOKE:
        yield from rule.refused(grantable)
    if depth == DEEP:
        yield from rule.incomplete(grantable)


def check_allowed(access: AccessFixture, rule: Rule, grants: Grants) -> None:
    """Check that a caller with these grants is let through, whatever the request comes to then."""
    answer = access.ask(rule.name, grants, spare=True)
    holds(answer.status not in DENIED, f"a caller with {_named(grants)} is let through")


def check_refused(access: AccessFixture, rule: Rule, grants: Grants) -> None:
    """Check that a caller with these grants is refused; where it is not, the first grant alone that lets it through."""
    status = access.ask(rule.name, grants).status
    if status != 403 and len(grants) > 1:
        for grant in grants:
            equal(access.ask(rule.name, (grant,)).status, 403, f"the status for a caller with {grant} alone")
    equal(status, 403, f"the status for a caller with {_named(grants)}")


def _named(grants: Grants) -> str:
    return " and ".join(map(str, grants)) or "no privilege"
