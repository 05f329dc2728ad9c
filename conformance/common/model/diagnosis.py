"""Claims about a wrong state after a call: the write is at fault, or one view that shows it.

Several views agree with each other and differ from the write: the write is at fault. One view differs from the others:
the view is. Where one view alone shows the effect, neither is blamed. Of an answer that shows the object itself, the
answer alone is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from conformance.common.model.rows import CommandCall, Symbols
from conformance.http.answers import Answer
from conformance.http.client import BODY, Client
from conformance.values.evidence import State as Claim
from conformance.values.exchange import Exchange
from conformance.values.json_values import canonical, shown
from conformance.values.outcomes import Violation

CLAIMS: dict[str, Claim] = {
    "": "",
    "lists an entry twice": "doubled",
    "lacks an entry": "short",
    "has another entry": "",
}
WITH_READER = ("done", "half done", "more done", "old", "short", "doubled")


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


class Repeated(Protocol):
    """Experiments after a wrong state: what prepared a call is done again, on new objects."""

    def right_before(self, looks: Sequence[Observation]) -> list[Observation]:
        """Return the looks whose views show what is due where the call is not sent."""

    def right_if_unread(self, look: Observation) -> bool:
        """True if a view shows the effect of the call where it was not read before."""


def diagnose(
    client: Client, call: CommandCall, answer: Answer, looks: Sequence[Observation], repeated: Repeated | None
) -> None:
    """Raise Violation if what was seen after a call is not what is due; the claim names the operation at fault.

    What is wrong without the call, too, is no fault of it. Where nothing can be `repeated`, no operation is blamed.
    """
    wrong = [look for look in looks if not look.right]
    if not wrong:
        return
    write = call.command.operation
    blamed = repeated.right_before(wrong) if repeated else []
    if not blamed:
        when = f"after {write}{'' if answer.succeeded else ' was refused'}"
        _fail(client, wrong[0], f"{when}, {wrong[0].place}", "earlier" if repeated else "")
    if not answer.succeeded:
        _fail(client, blamed[0], f"after {write} was refused, {blamed[0].place}", "done", write, answer.exchange)
    views = [look for look in looks if look.exchange is not answer.exchange]
    changing = [look for look in views if look.changes]
    beside = [look for look in blamed if not look.changes]
    if changing and all(look.stale for look in changing):
        if len({look.view for look in changing}) > 1 or not (repeated and repeated.right_if_unread(changing[0])):
            also = f", and {beside[0].place} has changed" if beside else ""
            words = f"after {write}, which did nothing{also}: {changing[0].place}"
            _fail(client, changing[0], words, "not done", write, answer.exchange)
        _at_a_view(client, write, changing[0], "old")
    if len({look.view for look in blamed}) == 1:
        look = blamed[0]
        alone = len({other.view for other in looks}) == 1
        claim: Claim = (
            "" if alone or look.exchange is answer.exchange else "old" if look.stale else CLAIMS[look.differs]
        )
        _at_a_view(client, write, look, claim)
    if beside and len(beside) == len(blamed):
        words = f"after {write}, which changed more than it names: {beside[0].place}"
        _fail(client, beside[0], words, "more done", write, answer.exchange)
    stale = next((look for look in blamed if look.stale), blamed[0])
    _fail(client, stale, f"after {write}, which was half done: {stale.place}", "half done", write, answer.exchange)


def fail_at(client: Client, look: Observation, when: str) -> NoReturn:
    """Raise Violation for what a view shows."""
    _fail(client, look, f"{when}, {look.place}")


def _at_a_view(client: Client, write: str, look: Observation, claim: Claim) -> NoReturn:
    """Raise the violation of one view that differs from all others, or of the only one, which blames nobody."""
    how = "shows what was before" if look.stale else look.differs
    _fail(client, look, f"after {write}, {look.place}" + (f", which {how}" if how else ""), claim, write)


def _fail(
    client: Client, look: Observation, thing: str, claim: Claim = "", write: str = "", exchange: Exchange | None = None
) -> NoReturn:
    """Raise Violation for what a view shows; the exchange of the operation at fault is marked, by default its own."""
    client.touch(exchange or look.exchange, BODY)
    raise Violation(
        thing,
        relation="equal",
        expected=shown(look.after),
        actual=shown(look.seen),
        aspect="effect",
        state=claim,
        write=write if claim else "",
        reader=look.exchange.operation if claim in WITH_READER else "",
    )
