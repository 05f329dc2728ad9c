"""Mirror: sends a run's requests to a second server too, under its own names, and compares the answers.

Each requirement, and each example of it, starts with equal servers. They are no longer equal after one accepts a
request that the other rejects, or after a request that the second cannot repeat: the rest of the example is sent, but
not compared.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from conformance.after.comparing.echo import Echo
from conformance.replay.answers import STATUS, Reader, Spot
from conformance.replay.renaming import Renaming
from conformance.run.reporting import Listener
from conformance.target.capabilities import SEPARATOR
from conformance.target.target import MISSING, REFUSED, Target
from conformance.values.evidence import Said
from conformance.values.exchange import ERROR_STATUS, Exchange
from conformance.values.outcomes import Blocked, Stopped
from conformance.values.patterns import pattern
from conformance.values.requirement import Requirement
from conformance.values.results import Result
from specs.identifiers import encode_separator

Pair = tuple[Exchange, Exchange]
AT_ONCE = ("race",)  # kinds of requirements whose requests have no order


@dataclass
class Deviation:
    """A difference between answers, wherever it occurred: `pairs` are the shortest steps that show it.

    `seen_once` is true when repeated steps did not show it. `beside` counts further fields of the same object.
    """

    spot: Spot
    pairs: list[Pair]
    operations: dict[str, None] = field(default_factory=dict)
    requirements: dict[str, None] = field(default_factory=dict)
    seen_once: bool = False
    beside: int = 0


class Mirror:
    """Listens to a run on one target, and repeats its requests on another. `deviations` are grouped by cause."""

    def __init__(self, first: Target, second: Target, reader: Reader, listener: Listener | None = None) -> None:
        """Join two probed targets; `listener` receives the results of the run, too."""
        self.first, self.second, self.reader = first, second, reader
        self.deviations: dict[object, Deviation] = {}
        self.lost = ""  # why requests to the second server stopped
        self._listener = listener
        self._names = names_between(first, second)
        self._new: list[tuple[object, Spot, list[Pair]]] = []
        self._pairs: list[Pair] = []
        self._restart()

    @property
    def lacking(self) -> tuple[list[str], list[str]]:
        """The operations that only one of the two servers lacks, for each: their answers are not compared."""
        first, second = (target.names(MISSING, REFUSED) for target in (self.first, self.second))
        return sorted(first - second), sorted(second - first)

    def _restart(self) -> None:
        """Begin an example, whose servers are equal again."""
        names = Renaming(dict(self._names))
        self._echo = Echo(self.second.client, self.first.client.base, names, self.reader.chosen)
        self._steps, self._pairs, self._parted = self.first.client.steps, [], False

    def selected(self, requirements: list[Requirement]) -> None:
        """Pass the requirements of the run to the listener."""
        if self._listener:
            self._listener.selected(requirements)

    def tested(self, result: Result) -> None:
        """Store the differences of a requirement, if its requests had an order."""
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
        """Send the first server's request to the second, and compare the answers."""
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
    """Return the key that a difference shares with others of its cause, in any operation."""
    if spot.place != STATUS:
        return spot.place, spot.kind
    words = words_of(answer), words_of(other)
    return STATUS, answer.status, other.status, words, "" if any(map(any, words)) else answer.operation


def words_of(answer: Exchange) -> tuple[str, str]:
    """Return the key of an error: its type or code, and its message without names and values."""
    said = Said.of(answer.to_step())
    return ("", "page") if said.page and answer.status >= ERROR_STATUS else (said.type, pattern(said.message))


def names_between(first: Target, second: Target) -> dict[str, str]:
    """Return the second target's counterparts of names of the first.

    These are the prefixes, credentials, heads of paths, and the separators of a name's levels.
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
