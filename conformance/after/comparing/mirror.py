"""A second server that gets what a run sends to the first, under names of its own, and the answers of both compared.

From one to the next requirement, and from one example of it to the next, the servers are the same again. When one does
what the other refuses, they are not, nor when the second cannot be asked the same: what follows in this example is
sent, and says nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.target.capabilities import SEPARATOR
from conformance.values.requirement import Requirement

from conformance.after.comparing.echo import Echo
from conformance.replay.answers import STATUS, Reader, Spot
from conformance.replay.evidence import said
from conformance.replay.renaming import Renaming
from conformance.run.plugin import Listener
from conformance.target.target import MISSING, REFUSED, Target
from conformance.values.exchange import ERROR_STATUS, Exchange
from conformance.values.outcomes import Blocked, Stopped
from conformance.values.results import Result
from specs.identifiers import encode_separator

Pair = tuple[Exchange, Exchange]
AT_ONCE = ("race",)  # kinds of requirements whose requests have no order


@dataclass
class Deviation:
    """A way in which answers differ, wherever it was seen: `pairs` are the fewest steps that show it.

    `seen_once` is true where it was not there when the same steps were sent again. `beside` counts further fields of
    the same object.
    """

    spot: Spot
    pairs: list[Pair]
    operations: dict[str, None] = field(default_factory=dict)
    requirements: dict[str, None] = field(default_factory=dict)
    seen_once: bool = False
    beside: int = 0


class Mirror:
    """Listens to a run on one target, and asks another the same. `deviations` are by what they have in common."""

    def __init__(self, first: Target, second: Target, reader: Reader, listener: Listener | None = None) -> None:
        """Join two targets that are known already; `listener` hears of the run, too."""
        self.first, self.second, self.reader = first, second, reader
        self.deviations: dict[object, Deviation] = {}
        self.lost = ""  # why the second server was not asked any more
        self._listener = listener
        self._names = names_between(first, second)
        self._new: list[tuple[object, Spot, list[Pair]]] = []
        self._pairs: list[Pair] = []
        self._restart()

    @property
    def lacking(self) -> tuple[list[str], list[str]]:
        """Which operations each of the two alone does not have: of these nothing else is compared."""
        first, second = (target.names(MISSING, REFUSED) for target in (self.first, self.second))
        return sorted(first - second), sorted(second - first)

    def _restart(self) -> None:
        """Begin an example: what was made for the last one is gone."""
        names = Renaming(dict(self._names))
        self._echo = Echo(self.second.client, self.first.client.base, names, self.reader.chosen)
        self._steps, self._pairs, self._parted = self.first.client.steps, [], False

    def selected(self, requirements: list[Requirement]) -> None:
        """See Listener."""
        if self._listener:
            self._listener.selected(requirements)

    def tested(self, result: Result) -> None:
        """Keep what was different in a requirement, if its requests had an order."""
        for key, spot, pairs in self._new if result.kind not in AT_ONCE else ():
            deviation = self.deviations.setdefault(key, Deviation(spot, pairs))
            if len(pairs) < len(deviation.pairs):
                deviation.spot, deviation.pairs = spot, pairs
            deviation.operations[pairs[-1][0].operation] = deviation.requirements[result.id] = None
        self._new.clear()
        self._restart()
        if self._listener:
            self._listener.tested(result)

    def hear(self, exchange: Exchange) -> None:
        """Send what the first server was sent to the second, and compare."""
        if self.lost or not exchange.url.startswith(self.first.client.base):
            return
        cleaning = self.first.client.traffic.cleaning
        if self.first.client.steps is not self._steps:
            self._restart()
            self.second.client.begin_example()
        self._parted = self._parted or not (cleaning or self._echo.can_ask(exchange))
        try:
            with self.second.client.cleaning():
                answer = self._echo.send(exchange)
        except (Stopped, Blocked) as error:
            self.lost = str(error)
            return
        if not cleaning:
            self._pairs.append((exchange, answer))
            self._compare(exchange, answer)
        if not (cleaning or self._parted):
            self._echo.note(exchange, answer)

    def _compare(self, exchange: Exchange, answer: Exchange) -> None:
        if self._parted:
            return
        first, second = (target.state(exchange.operation) for target in (self.first, self.second))
        one_lacks = (first in (MISSING, REFUSED)) != (second in (MISSING, REFUSED))
        for spot in () if one_lacks else self.reader.spots(exchange, answer, self._echo.names):
            self._new.append((key_of(spot, exchange, answer), spot, list(self._pairs)))
        self._parted = (exchange.status < ERROR_STATUS) != (answer.status < ERROR_STATUS)


def key_of(spot: Spot, answer: Exchange, other: Exchange) -> object:
    """Return what a difference has in common with others of its cause, in whatever operation."""
    if spot.place != STATUS:
        return spot.place, spot.kind
    words = said(answer.to_step()), said(other.to_step())
    return STATUS, answer.status, other.status, words, "" if any(map(any, words)) else answer.operation


def names_between(first: Target, second: Target) -> dict[str, str]:
    """Return what the second target calls things of the first.

    These are its names, its credentials, the heads of its paths, and what separates the levels of a name in them.
    """
    names = {first.prefix: second.prefix}
    mine = {name.lower(): value for name, value in second.client.headers.items()}
    for name, value in first.client.headers.items():
        if (other := mine.get(name.lower(), value)) != value:
            names[value] = other
    for operation in first.document.operations.values():
        path, other = (target.client.known.locate(operation.path) for target in (first, second))
        if path != other:
            names[path.partition("{")[0]] = other.partition("{")[0]
    separator, other = (encode_separator(target.capabilities.get(SEPARATOR, "")) for target in (first, second))
    return names | ({separator: other} if separator and other and separator != other else {})
