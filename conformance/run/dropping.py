"""Check that a server can drop the objects of a run: create one of each kind, drop it, and look.

A 404 to the drop of an object that never existed proves nothing: it may concern the operation or the object. Before an
object is created, only an explicit rejection of the operation counts.
"""

from __future__ import annotations

from collections.abc import Mapping

from conformance.apis import requirements
from conformance.run.selection import Scope, selection_of
from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.redaction import hide_fields
from conformance.values.visible import visible
from specs.problems import Problem

MOST_SHOWN = 100
MOST_NAMED = 5


def check_refused(target: Target) -> None:
    """Raise Problem when the server explicitly rejects the operations that drop objects; see `_check`."""
    if inventory := target.sandbox.inventory:
        probes = {kind: target.probes[inventory.drops[kind]].exchange for kind in inventory.undroppable()}
        _check(target, {kind: probe for kind, probe in probes.items() if target.client.refuses(probe)})


def check_dropped(target: Target) -> None:
    """Drop the objects created so far; raise Problem when they still exist, see `_check`."""
    sandbox = target.sandbox
    sandbox.clean_up()
    if sandbox.inventory and sandbox.inventory.undroppable():
        sandbox.sweep(end=False)
        there = {left.kind for left in sandbox.left_behind}
        stays = [kind for kind in sandbox.inventory.undroppable() if kind in there]
        _check(target, {kind: _asked(target, sandbox.inventory.drops[kind]) for kind in stays})


def _asked(target: Target, operation: str) -> Exchange:
    """Return the last request of a drop operation."""
    sent = (step for step in reversed(target.client.steps) if step.operation == operation)
    return next(sent, target.probes[operation].exchange)


def _check(target: Target, answers: Mapping[str, Exchange]) -> None:
    """Raise Problem when objects of these kinds would stay, unless that is accepted, or limited to one namespace.

    `answers` are the answers to the requests that should have dropped an object.
    """
    if not answers or target.settings.leave_behind or target.settings.namespace:
        return
    target.sandbox.sweep()
    *kinds, last = (f"{kind}s" for kind in answers)
    names = f"{', '.join(kinds)} and {last}" if kinds else last
    said = "; ".join(dict.fromkeys(map(_told, answers.values())))
    raise Problem(
        f"This server cannot drop {names}: {said}. Up to {_count(target):,} of each would stay on it.{_left(target)}",
        "Accept that with --leave-behind, or keep all of them in one namespace with --namespace NAME.",
    )


def _told(exchange: Exchange) -> str:
    """Return a request and its answer in words."""
    text = " ".join(hide_fields(exchange.response_body).decode("utf-8", "replace").split())[:MOST_SHOWN]
    got = f"returns {exchange.status}" if exchange.status else f"gets no answer ({exchange.failure})"
    return visible(f"{exchange.method} {exchange.url} {got}" + (f" ({text})" if text else ""))


def _left(target: Target) -> str:
    """Return a sentence on the probe objects that still exist."""
    left = [f"{left.kind} {left.name}" for left in target.sandbox.left_behind]
    rest = f" and {len(left) - MOST_NAMED} more" if len(left) > MOST_NAMED else ""
    return visible(f" Created for this check and still there: {', '.join(left[:MOST_NAMED])}{rest}.") if left else ""


def _count(target: Target) -> int:
    """Return the number of requirements that the run would test."""
    scope = Scope.of(target.profile, target.document)
    selection = selection_of(target.settings, target.document, target.profile.tested_by())
    known = [requirement for suite in target.profile.suites for requirement in requirements(suite).values()]
    return sum(scope.has(requirement) and selection.takes(requirement) for requirement in known)
