"""Deaths of a server during a run: it breaks connections, and then refuses new ones.

Every request whose connection broke shortly before the first refusal, or while connections are refused, is a suspect. A
request that finds connections refused is none: it never reached the server. But its requirement is disturbed: what it
made may be lost.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from conformance.values.exchange import Exchange
from conformance.values.outcomes import Died

RECENT = 10.0  # seconds, at most, between a broken connection and the first refusal of a server that dies


@dataclass(frozen=True, slots=True)
class Break:
    """A request whose connection broke `at` a time of the monotonic clock, and why.

    `subject` is its requirement, `thread` the number of the thread that sent it.
    """

    exchange: Exchange
    subject: str
    thread: int
    at: float
    failure: str


@dataclass
class Deaths:
    """The suspects of a process, which has one requirement at a time: its `subject`, "" between requirements.

    `disturbed` are the requirements that found connections refused, each with the time of the monotonic clock.
    """

    subject: str = ""
    suspects: list[Break] = field(default_factory=list)
    disturbed: dict[str, float] = field(default_factory=dict)
    _breaks: list[Break] = field(default_factory=list)
    _down: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note_broken(self, exchange: Exchange) -> None:
        """Note a request whose connection broke."""
        with self._lock:
            now = time.monotonic()
            seen = self.suspects if self._down else self._breaks
            seen.append(Break(exchange, self.subject, threading.get_ident(), now, exchange.failure))
            self._breaks = [broken for broken in self._breaks if now - broken.at < RECENT]

    def note_refused(self) -> None:
        """Note that the server refuses connections: a suspect that was sent again keeps its first failure."""
        with self._lock:
            now = time.monotonic()
            self._down = True
            self.disturbed.setdefault(self.subject, now)
            self.suspects += [broken for broken in self._breaks if now - broken.at < RECENT]
            self._breaks = []
            for broken in reversed(self.suspects):
                broken.exchange.failure, broken.exchange.broken = broken.failure, True

    def note_back(self) -> None:
        """Note that the server answers again."""
        self._down = False

    def is_suspect(self, exchange: Exchange) -> bool:
        """True for a request that may have killed the server."""
        return any(broken.exchange is exchange for broken in self.suspects)

    def check(self) -> None:
        """Raise Died when the server died during the requirement under way: its requests may kill it again."""
        if self.subject and self.subject in self.disturbed:
            raise Died("the server died", "target")

    def take(self) -> tuple[list[Break], dict[str, float]]:
        """Return the suspects and the disturbed requirements so far, and forget them."""
        with self._lock:
            suspects, self.suspects = self.suspects, []
            disturbed, self.disturbed = self.disturbed, {}
        return suspects, disturbed
