"""The same request again, after what it did was undone: it is done anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from conformance.http.client import Client

C = TypeVar("C")  # the catalog


@dataclass(frozen=True, slots=True)
class Change(Generic[C]):
    """A request that is sent twice: the operation and its clause, what it is about, the request, what undoes it.

    The `check` tells that it was done.
    """

    id: str
    clause: str
    prepare: Callable[[C], Any]
    act: Callable[[C, Any], object]
    undo: Callable[[C, Any], object]
    check: Callable[[C, Any], object]

    def made_again(self, catalog: C, client: Client) -> None:
        """Send the request, undo it through a `client` that prepares, and send it again; each time it is done."""
        subject = self.prepare(catalog)
        self.act(catalog, subject)
        self.check(catalog, subject)
        with client.preparing():
            self.undo(catalog, subject)
        self.act(catalog, subject)
        self.check(catalog, subject)
