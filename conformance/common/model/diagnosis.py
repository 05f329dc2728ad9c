"""Claims about a wrong state after a call: the write is at fault, or one view that shows it.

Several views agree with each other and differ from the write: the write is at fault. One view differs from the others:
the view is. Where one view alone shows the effect, neither is blamed. Of an answer that shows the object itself, the
answer alone is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from conformance.common.model.rows import CommandCall, Symbols
from conformance.http.answers import Answer
from conformance.http.client import BODY, Client
from conformance.values.evidence import State as Claim
from conformance.values.exchange import Exchange
from conformance.values.json_values import canonical, shown
from conformance.values.outcomes import Violation


@dataclass(frozen=True, slots=True)
class Observation:
    """The content that one view showed of one place, with those that were due before and after a call."""

    view: str
    on: Symbols
    before: Any
    after: Any
    seen: Any
    exchange: Exchange

    @property
    def right(self) -> bool:
        """True when the view shows the effect of the call, and nothing else."""
        return bool(canonical(self.seen) == canonical(self.after))

    @property
    def changes(self) -> bool:
        """True when the call changes what the view has to show."""
        return bool(canonical(self.before) != canonical(self.after))

    @property
    def stale(self) -> bool:
        """True when the view shows what it had to show before the call."""
        return self.changes and bool(canonical(self.seen) == canonical(self.before))

    @property
    def place(self) -> str:
        """The view and what it was asked for, in words."""
        return f"{self.view} of {', '.join(self.on)}" if self.on else self.view

    @property
    def differs(self) -> str:
        """The difference of a list from the one that is due: short, doubled, or with more; "" for other values."""
        if not (isinstance(self.seen, list) and isinstance(self.after, list)):
            return ""
        got, due = (Counter(map(canonical, items)) for items in (self.seen, self.after))
        if any(count > due[item] > 0 for item, count in got.items()):
            return "lists an entry twice"
        lost, besides = due - got, got - due
        return "lacks an entry" if lost and not besides else "has another entry" if besides and not lost else ""


def diagnose(client: Client, call: CommandCall, answer: Answer, looks: Sequence[Observation]) -> None:
    """Raise Violation if what was seen after a call is not what is due; the claim names the operation at fault."""
    wrong = [look for look in looks if not look.right]
    if not wrong:
        return
    write = call.command.operation
    if not answer.succeeded:
        _fail(client, answer.exchange, wrong[0], f"after {write} was refused, {wrong[0].place}", "done", write)
    changing = [look for look in looks if look.changes]
    beside = [look for look in wrong if not look.changes]
    agreeing = {look.view for look in changing if look.stale}
    if changing and all(look.stale for look in changing) and len(agreeing) > 1:
        also = f", and {beside[0].place} has changed" if beside else ""
        words = f"after {write}, which did nothing{also}: {changing[0].place}"
        _fail(client, answer.exchange, changing[0], words, "not done", write)
    if len({look.view for look in wrong}) == 1:
        _at_a_view(client, write, wrong[0], alone=len({look.view for look in looks}) == 1)
    if beside and len(beside) == len(wrong):
        _fail(client, answer.exchange, beside[0], f"after {write}, which changed more than it names: {beside[0].place}")
    stale = next((look for look in wrong if look.stale), wrong[0])
    _fail(client, answer.exchange, stale, f"after {write}, which was half done: {stale.place}")


def fail_at(client: Client, look: Observation, when: str) -> NoReturn:
    """Raise Violation for what a view shows."""
    _fail(client, look.exchange, look, f"{when}, {look.place}")


def _at_a_view(client: Client, write: str, look: Observation, *, alone: bool) -> NoReturn:
    """Raise the violation of one view that differs from all others, or of the only one, which blames nobody."""
    how = "shows what was before" if look.stale else look.differs
    words = f"after {write}, {look.place}" + (f", which {how}" if how else "")
    stale = look.stale and not alone
    _fail(client, look.exchange, look, words, "stale" if stale else "", write)


def _fail(
    client: Client, exchange: Exchange, look: Observation, thing: str, claim: Claim = "", write: str = ""
) -> NoReturn:
    """Raise Violation; the exchange of the operation at fault is marked."""
    client.touch(exchange, BODY)
    raise Violation(
        thing,
        relation="equal",
        expected=shown(look.after),
        actual=shown(look.seen),
        aspect="effect",
        state=claim,
        write=write if claim else "",
    )
