"""The fewest steps that show a difference of two servers, found by leaving out steps and fields one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import orjson

from conformance.after.comparing.echo import Echo
from conformance.after.comparing.mirror import Deviation, Mirror, Pair, key_of, names_between
from conformance.replay.renaming import Renaming
from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.json_values import read_json

MOST_STEPS = 40  # longer examples are not shortened
MOST_SECONDS = 60.0  # for all deviations: two servers may differ in hundreds of ways


@dataclass
class Shrinker:
    """Sends steps to two newly probed targets: those of the run, which `mirror` observed, are closed."""

    mirror: Mirror
    first: Target
    second: Target
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))
    _ends: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)

    def shrink(self, deviation: Deviation) -> bool:
        """Reduce a deviation to the fewest steps; return False if it did not occur again. Raises Stopped.

        When the time is over, a deviation keeps its steps.
        """
        key = key_of(deviation.spot, *deviation.pairs[-1])
        kept = [exchange for exchange, _ in deviation.pairs]
        if not self._shows(deviation, key, kept):
            return False
        for step in reversed(kept[:-1] if len(kept) <= MOST_STEPS else ()):
            fewer = [exchange for exchange in kept if exchange is not step]
            if self._in_time() and self._shows(deviation, key, fewer):
                kept = fewer
        for name in _fields(kept[-1]):
            less = [*kept[:-1], _without(kept[-1], name)]
            if self._in_time() and self._shows(deviation, key, less):
                kept = less
        return True

    def _in_time(self) -> bool:
        return time.monotonic() < self._ends

    def _shows(self, deviation: Deviation, key: object, steps: Sequence[Exchange]) -> bool:
        """Send steps to both servers under new names; if they show the deviation, store them as its steps."""
        number = next(self._numbers)
        names = [f"{target.prefix}s{number}x" for target in (self.first, self.second)]
        recorded, first = self.mirror.first, self.first
        anew = Renaming(names_between(recorded, first) | {recorded.prefix: names[0]})
        across = Renaming(names_between(first, self.second) | {names[0]: names[1]})
        to_first = Echo(first.client, recorded.client.base, anew)
        to_second = Echo(self.second.client, first.client.base, across)
        pairs: list[Pair] = []
        for step in steps:
            exchange = to_first.send(step)
            pairs.append((exchange, to_second.send(exchange)))
        for spot in self.mirror.reader.spots(*pairs[-1], across):
            if key_of(spot, *pairs[-1]) == key:
                deviation.spot, deviation.pairs = spot, pairs
                return True
        return False


def _fields(exchange: Exchange) -> list[str]:
    body = read_json(exchange.request_body)
    return list(body) if isinstance(body, dict) else []


def _without(exchange: Exchange, name: str) -> Exchange:
    body = read_json(exchange.request_body)
    return replace(exchange, request_body=orjson.dumps({key: body[key] for key in body if key != name}))
