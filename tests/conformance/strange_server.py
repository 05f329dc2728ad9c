"""A proxy that makes a good server a strange one: seeded, it damages answers at random.

    with StrangeServer("http://127.0.0.1:8181", Habits.drawn(seed)) as strange: check(strange.url)

What it lets through is what the server behind it did. Nothing is ever sent anywhere else.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any

from tests.conformance.proxy import Answer, Proxy

RATES = (1.0, 0.3, 0.1, 0.02)
CALM = 100  # requests that most strange servers answer well before they begin
DROPS = ("/drop", "/deregister")
VALUES: tuple[Any, ...] = (None, True, 0, -1, 2**53, 1.5, "", "x", [], {}, [None], {"x": []})
STATUSES = (200, 201, 204, 302, 400, 401, 404, 405, 406, 409, 418, 500, 501, 503)

ROOT = "root:s3cr3t"
# Without credentials Polaris answers 401, whatever its habits: a run has nothing to judge.
SERVER_OPTIONS: dict[str, dict[str, Any]] = {"polaris": {"bootstrap": ROOT}}
RUN_SETTINGS: dict[str, dict[str, Any]] = {"polaris": {"credential": ROOT}}


@dataclass(frozen=True)
class Habits:
    """Damage that a server does: the rate of each kind, and the number of sound answers before the first."""

    seed: int
    rates: dict[str, float]
    calm: int

    @classmethod
    def drawn(cls, seed: int) -> Habits:
        """The habits of a seed: one to three kinds of damage."""
        chance = random.Random(seed)
        kinds = chance.sample(sorted([*DAMAGE, *REFUSALS]), chance.randint(1, 3))
        return cls(seed, {kind: chance.choice(RATES) for kind in kinds}, 0 if chance.random() < 0.2 else CALM)

    @property
    def keeps_drops(self) -> bool:
        """True when what is asked to be dropped is dropped sooner or later, and told so."""
        return not set(self.rates) & {"no_drops"} and all(rate < 1 for rate in self.rates.values())


# Damage to an answer


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place in a JSON value: its container and its key or index."""
    pairs = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
    here = [(value, key) for key, _ in pairs]
    return here + [place for _, child in pairs if isinstance(child, dict | list) for place in _places(child)]


def _in_json(change: Callable[[random.Random, Any], Any]) -> Callable[..., Answer]:
    def damage(chance: random.Random, answer: Answer, _earlier: list[bytes]) -> Answer:
        try:
            value = json.loads(answer.body)
        except ValueError:
            return answer
        if not isinstance(value, dict | list) or not _places(value):
            return answer
        return Answer(answer.status, answer.headers, json.dumps(change(chance, value)).encode())

    return damage


def _drop_field(chance: random.Random, value: Any) -> Any:
    container, key = chance.choice(_places(value))
    del container[key]
    return value


def _add_field(chance: random.Random, value: Any) -> Any:
    container, key = chance.choice(_places(value))
    if isinstance(container, dict):
        container[f"new{chance.randint(1, 99)}"] = chance.choice(VALUES)
    else:
        container.insert(key, chance.choice(VALUES))
    return value


def _change_type(chance: random.Random, value: Any) -> Any:
    container, key = chance.choice(_places(value))
    container[key] = chance.choice(VALUES)
    return value


def _empty_lists(_chance: random.Random, value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _empty_lists(_chance, child) for key, child in value.items()}
    return [] if isinstance(value, list) else value


def _change_status(chance: random.Random, answer: Answer, _earlier: list[bytes]) -> Answer:
    status = chance.choice(STATUSES)
    return Answer(status, answer.headers, b"" if status == 204 else answer.body)


def _truncate(chance: random.Random, answer: Answer, _earlier: list[bytes]) -> Answer:
    return Answer(answer.status, answer.headers, answer.body[: chance.randint(0, len(answer.body))])


def _swap_body(chance: random.Random, answer: Answer, earlier: list[bytes]) -> Answer:
    return Answer(answer.status, answer.headers, chance.choice(earlier) if earlier else answer.body)


def _delay(chance: random.Random, answer: Answer, _earlier: list[bytes]) -> Answer:
    time.sleep(chance.random() / 200)
    return answer


DAMAGE: dict[str, Callable[[random.Random, Answer, list[bytes]], Answer]] = {
    "drop_field": _in_json(_drop_field),
    "add_field": _in_json(_add_field),
    "change_type": _in_json(_change_type),
    "empty_lists": _in_json(_empty_lists),
    "change_status": _change_status,
    "truncate": _truncate,
    "swap_body": _swap_body,
    "delay": _delay,
}
# What is not an answer of the server behind: requests that do not reach it, connections that end, bytes that drip.
REFUSALS = ("no_drops", "third_creation", "close", "drip")


class StrangeServer(Proxy):
    """The proxy with such habits."""

    def __init__(self, server: str, habits: Habits) -> None:
        super().__init__(server)
        self.habits = habits
        self._chance = random.Random(habits.seed)
        self._lock = threading.Lock()
        self._earlier: list[bytes] = []
        self.requests = self._creations = 0

    def _happens(self, kind: str) -> bool:
        rate = self.habits.rates.get(kind, 0.0)
        return self.requests > self.habits.calm and rate > 0 and self._chance.random() < rate

    def answer(self, handler: BaseHTTPRequestHandler, body: bytes) -> None:
        """Answer as the habits of this server have it."""
        with self._lock:
            self.requests += 1
            closes, drips, refused = self._happens("close"), self._happens("drip"), self._refused(handler)
            before = self._chance.random() < 0.5
        if closes and before:
            return self.close(handler)
        answer = refused or self.ask(handler.command, handler.path, dict(handler.headers.items()), body)
        undamaged = answer.body  # of swapped bodies alone, one would be left in the end
        with self._lock:
            for kind, damage in DAMAGE.items():
                if not refused and self._happens(kind):
                    answer = damage(self._chance, answer, self._earlier)
            self._earlier = [*self._earlier[-50:], undamaged]
        if closes:
            return self.close(handler)
        return self.send(handler, answer, drips=drips)

    def _refused(self, handler: BaseHTTPRequestHandler) -> Answer | None:
        """Return an answer that is given without asking the server behind, None where it is asked."""
        drops = handler.command == "DELETE" or handler.path.partition("?")[0].endswith(DROPS)
        if drops and "no_drops" in self.habits.rates:
            return Answer(self._chance.choice((404, 405, 501)), {"Content-Type": "text/plain"}, b"no such route")
        if handler.command == "POST" and not drops and "third_creation" in self.habits.rates:
            self._creations += 1
            if self._creations % 3 == 0 and self.requests > self.habits.calm:
                return Answer(422, {"Content-Type": "application/json"}, b'{"error": "not today"}')
        return None
