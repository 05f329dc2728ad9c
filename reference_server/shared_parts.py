"""Parts of an API that do not depend on its storage: made once, and shared by the tenants of a server."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from reference_server.workers import Workers

T = TypeVar("T")


class SharedParts:
    """Parts of one API by name."""

    def __init__(self) -> None:
        self._parts: dict[str, Any] = {}
        self._workers: list[Workers] = []

    def once(self, name: str, make: Callable[[], T]) -> T:
        """Return the part of a name, which `make` makes at the first call."""
        if name not in self._parts:
            self._parts[name] = make()
        part: T = self._parts[name]
        return part

    def workers(self, name: str, count: int) -> Workers:
        """Return the threads of a name, at most `count`; `close` stops them."""

        def make() -> Workers:
            self._workers.append(Workers(count, name))
            return self._workers[-1]

        return self.once(name, make)

    def close(self) -> None:
        """Stop all threads."""
        for workers in self._workers:
            workers.shutdown(wait=True, cancel_futures=True)
