"""How the resources of a run are found on a server and dropped: what is the same for every API."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

from conformance.values.resources import Names, Resource

from conformance.http.client import Answer
from conformance.http.paging import pages
from conformance.target.target import OFFERED, REFUSED, Target
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked, Unoffered, Violation
from specs.identifiers import IdentifierError
from specs.openapi import Operation


class Inventory(ABC):
    """The resources of one run. Only what is its own is ever named.

    By kind: `drops` is the operation that drops one, `makers` are those that make one, `looks` those that tell whether
    it exists, `lists` is the one that lists them. By operation: `creates` and `renames` are the kinds of what a call
    may make or give another name. `next_page` is the field with the token of the next page. `outer` are the kinds that
    are dropped after namespaces.
    """

    drops: ClassVar[Mapping[str, str]]
    makers: ClassVar[Mapping[str, Sequence[str]]]
    looks: ClassVar[Mapping[str, Sequence[str]]]
    lists: ClassVar[Mapping[str, str]]
    creates: ClassVar[Mapping[str, str]]
    renames: ClassVar[Mapping[str, str]]
    next_page: ClassVar[str]
    outer: ClassVar[Sequence[str]] = ()

    def __init__(self, target: Target) -> None:
        self.target = target
        self.base: Names = target.settings.namespace_levels()

    @abstractmethod
    def prepare(self) -> None:
        """Do what has to come before anything is dropped."""

    @abstractmethod
    def drop(self, resource: Resource) -> Exchange | None:
        """Ask the server to drop something; None when it cannot be asked."""

    @abstractmethod
    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Ask for something by an operation that answers with success when it exists."""

    @abstractmethod
    def children(self, namespace: Names) -> list[Resource]:
        """Ask what is in a namespace, the root included."""

    @abstractmethod
    def id_made(self, operation: Operation, exchange: Exchange) -> tuple[Any, ...]:
        """Return the id of what a request for one of `creates` or `renames` makes. Raises KeyError when it has none."""

    def made_by(self, exchange: Exchange) -> Resource | None:
        """Return what a request may make or give another name, None when that is nothing, or nothing that has one."""
        kind = {**self.creates, **self.renames}.get(exchange.operation)
        operation = self.target.document.operations.get(exchange.operation)
        if kind is None or operation is None:
            return None
        with suppress(KeyError, TypeError):  # of a body that is to be refused
            id = self.id_made(operation, exchange)
            if id and all(isinstance(level, str) for level in id):
                return Resource(kind, id)
        return None

    def made_otherwise(self, _exchange: Exchange) -> Resource | None:
        """Return what was made although the request named it by no text, None for nothing."""
        return None

    def roots(self) -> list[Resource]:
        """Ask what the run has at the first level; what lies in the given namespace counts as that."""
        return [resource for resource in self.children(self.base) if self.is_ours(resource.id)]

    def inside(self, namespace: Resource) -> list[Resource]:
        """Ask what is in a namespace of the run."""
        return [] if isinstance(namespace.id, str) else self.children(namespace.id)

    def is_there(self, resource: Resource) -> bool | None:
        """Ask whether something exists, None when nothing tells: 404 may also come from a server that cannot look."""
        looks = sorted(filter(self.may_offer, self.looks[resource.kind]), key=lambda name: not self.offers(name))
        answer = self.look(looks[0], resource) if looks and self.is_ours(resource.id) else None
        if answer and answer.status == 404 and self.offers(looks[0]):
            return False
        return True if answer and 200 <= answer.status < 300 else None

    def can_see(self, kind: str) -> bool:
        """True when the server has an operation that shows resources of a kind."""
        return any(map(self.offers, (*self.looks[kind], self.lists[kind])))

    def undroppable(self) -> list[str]:
        """Return the kinds of resources that the server makes and cannot drop."""
        return [
            kind
            for kind, makers in self.makers.items()
            if any(map(self.has, makers)) and not self.has(self.drops[kind])
        ]

    def can_drop(self, kind: str) -> bool:
        """True unless a probe said that the server lacks the operation that drops resources of a kind."""
        return self.offers(self.drops[kind])

    def is_ours(self, id: Names | str) -> bool:
        """True for what is named by this run: below a name of its own, or directly in the given namespace."""
        if isinstance(id, str):
            return id.startswith(self.target.prefix)
        rest = id[len(self.base) :] if self.base and id[: len(self.base)] == self.base else id
        return bool(rest) and str(rest[0]).startswith(self.target.prefix)

    def has(self, operation: str) -> bool:
        """True when the server has the operation, by its probe or because it has succeeded."""
        return self.target.state(operation) == OFFERED

    def offers(self, operation: str) -> bool:
        """True unless a probe said that the server does not have the operation, and it never succeeded."""
        return operation in self.target.document.operations and self.target.state(operation) in (None, OFFERED)

    def may_offer(self, operation: str) -> bool:
        """True unless the server refuses the operation: one that seems to be missing is worth another question."""
        return operation in self.target.document.operations and self.target.state(operation) != REFUSED

    def ask(self, action: Callable[[], object]) -> Exchange | None:
        """Send a request whatever comes of it; None when it could not be sent."""
        steps = self.target.client.steps
        before = len(steps)
        with suppress(Violation, Blocked, Unoffered, IdentifierError):
            action()
        return steps[-1] if len(steps) > before else None

    def listed(self, operation: str, field: str, fetch: Callable[[str | None], Answer]) -> list[Any]:
        """Return the items of a listing as far as the server shows it; `fetch` asks for a page by its token."""
        items: list[Any] = []
        if self.may_offer(operation):
            with suppress(Violation, Blocked, Unoffered, IdentifierError):
                for page in pages(fetch, self.next_page):
                    entries = page[field]
                    items += entries if isinstance(entries, list) else []
        return items
