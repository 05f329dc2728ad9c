"""Holes: requests that are carried out for a caller none of whose privileges allows them.

Each request has an effect (effects.py). A caller without a sufficient privilege sends it, the administrator looks for
the effect, and then sends the same request: a server that refuses it to everybody shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, replace
from typing import Any

from conformance.author.checks import not_refused
from conformance.http.answers import Answer
from conformance.polaris.callers import EVERY_ROLE
from conformance.polaris.support.access.effects import Effect, effects
from conformance.polaris.support.access.fixture import DONE, AccessFixture, caller_with
from conformance.polaris.support.access.table import Grants, Rule, rules
from conformance.values.outcomes import Unoffered, Violation

REFUSALS = tuple(range(400, 500))
EFFECTS = effects()
RULES = {name: rule for name, rule in rules().items() if name in EFFECTS}
CONFLICT = 409  # what the request needs is there already
LISTS = "list"  # starts the names of operations whose answer may have nothing in it


def let_through(answer: Answer, caller: str) -> Violation:
    """Return the violation of a request that was carried out for a caller who may not have it."""
    return not_refused(answer, caller, REFUSALS)


def check_without_effect(access: AccessFixture, rule: Rule, cells: Iterable[Grants]) -> None:
    """Check that a request does and shows nothing to callers with these grants.

    Raises Unoffered when the server does not carry out the request for its administrator either.
    """
    trial = Trial(access, rule)
    for grants in cells:
        answer = trial.send(grants)
        if trial.lets(answer):
            trial.renew()
            raise _narrowed(access, rule, grants) or let_through(answer, caller_with(grants))
    trial.check_unchanged()
    trial.check_accepted()


def _narrowed(access: AccessFixture, rule: Rule, grants: Grants) -> Violation | None:
    """Return the violation by a caller with one of several grants, if one lets the request through."""
    if len(grants) == 1:
        return None
    start = len(access.admin.steps)
    for grant in sorted(grants, key=lambda grant: grant not in access.culprits):
        trial = Trial(access, rule)
        answer = trial.send((grant,))
        if trial.lets(answer):
            access.culprits.add(grant)
            access.admin.steps = [*access.admin.steps[:start], answer.exchange]
            trial.renew()
            return let_through(answer, caller_with((grant,)))
    return None


class Trial:
    """A request with an effect on objects of the fixture, and what showed it before."""

    def __init__(self, access: AccessFixture, rule: Rule) -> None:
        self._access, self._rule = access, rule
        access.require(access.calls[rule.name])
        self.effect: Effect = EFFECTS[rule.name]
        self._names = access.with_others(access.names, "absent", *self.effect.own)
        if self.effect.first:
            access.read(self.effect.first(self._names), expect=(*DONE, CONFLICT))
        self._call = self.effect.call(self._names, access)
        self._before = self._sees()
        self._last: Answer | None = None

    def send(self, grants: Grants) -> Answer:
        """Send the request as a caller with exactly these grants on the objects of the fixture."""
        access = self._access
        caller = access.caller(grants, access.calls[self._rule.name])
        self._last = access.send(self._call, caller)
        return self._last

    def lets(self, answer: Answer) -> bool:
        """True when an answer says that the request was carried out; an empty list shows nothing."""
        if not answer.succeeded or not self._call.operation.startswith(LISTS):
            return answer.succeeded
        said = repr((self._call.path, self._call.query))
        words = (word for word in astuple(self._names) if isinstance(word, str) and word not in said)
        content = answer.exchange.response_body
        return any(word.encode() in content for word in words)

    def renew(self) -> None:
        """Replace the objects that the request changed or deleted."""
        self._access.renew(*(field for field in self.effect.spare if field != "absent"))

    def check_unchanged(self) -> None:
        """Check that the request, which was refused, changed nothing."""
        if self._sees() != self._before and self._last is not None:
            operation, status = self._call.operation, self._last.status
            raise Violation(
                f"{operation} returns {status} to a caller without the privilege, but has taken effect",
                aspect="effect",
                request="invalid",
                caller="a caller without the privilege",
            )

    def check_accepted(self) -> None:
        """Raise Unoffered unless the administrator gets the same request carried out, on other objects."""
        access = self._access
        if self.effect.by_itself:
            name, known = access.new_principal()
            names, sender = replace(self._names, principal=name), access.log_in(known, EVERY_ROLE)
        else:
            names, sender = access.with_others(self._names, *self.effect.spare), access.admin
        answer = access.send(self.effect.call(names, access), sender)
        if not answer.succeeded:
            raise Unoffered(f"the server returns {answer.status} for {self._call.operation} to its administrator, too")

    def _sees(self) -> tuple[bool, bool] | None:
        """Look for the effect as the administrator."""
        if self.effect.shown is None:
            return None
        shown = self._access.send(self.effect.shown(self._names), self._access.admin)
        sign: Any = getattr(self._names, self.effect.sign, self.effect.sign)
        return shown.succeeded, bool(sign) and str(sign).encode() in shown.exchange.response_body
