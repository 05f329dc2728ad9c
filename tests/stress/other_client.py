"""Another client of a server, in a process of its own: how long it waits for its answers."""

from __future__ import annotations

import http.client
import multiprocessing
import time
from multiprocessing.connection import Connection
from typing import NamedTuple
from urllib.parse import urlsplit

from tests.reference_server.served import Served

PAUSE = 0.02  # from one request to the next: 50 a second
PATIENCE = 60.0


class Seen(NamedTuple):
    """Longest wait of the other client in seconds, and its number of answers."""

    longest: float = 0.0
    answers: int = 0


class OtherClient:
    """Asks a server 50 times a second for something small, for a `with` block."""

    def __init__(self, server: Served) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, far_end = context.Pipe()
        self._process = context.Process(
            target=_ask, args=(server.url + server.read, server.headers, far_end), daemon=True
        )

    def __enter__(self) -> OtherClient:
        self._process.start()
        self.seen()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.join()

    def seen(self) -> Seen:
        """Return the wait and the answers since the last call, including the answer under way."""
        self._pipe.send(None)
        seen: Seen = self._pipe.recv()
        return seen


def _ask(url: str, headers: dict[str, str], pipe: Connection) -> None:
    address, seen = urlsplit(url), Seen()
    connection = http.client.HTTPConnection(address.netloc, timeout=PATIENCE)
    while True:
        asked = time.monotonic()
        try:
            connection.request("GET", address.path, headers=headers)
            answer = connection.getresponse()
            answer.read()
            answered = answer.status < 400
        except (OSError, http.client.HTTPException):
            connection.close()
            answered = False
        waited = time.monotonic() - asked if answered else float("inf")
        seen = Seen(max(seen.longest, waited), seen.answers + answered)
        if pipe.poll():
            pipe.recv()
            pipe.send(seen)
            seen = Seen()
        time.sleep(max(0.0, asked + PAUSE - time.monotonic()))
