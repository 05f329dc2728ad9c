"""Inventory: finds and drops the resources of a run on a server; the part that all APIs share."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from itertools import islice
from typing import Any, ClassVar

from conformance.http.answers import Answer
from conformance.http.paging import pages
from conformance.target.sandbox import MOST_TRIES
from conformance.target.target import OFFERED, REFUSED, Target
from conformance.values.exchange import Exchange
from conformance.values.outcomes import NotTested, Violation
from conformance.values.resources import Names, Resource
from specs.identifiers import IdentifierError
from specs.openapi import Operation

FEW_PAGES = 2  # of a listing in a read-only run: it looks for some objects, not for all


class Inventory(ABC):
    """The resources of one run. It never names any other resource.

    By kind: `drops` is the operation that drops a resource, `makers` are those that create one, `looks` those that show
    whether one exists, `lists` is the one that lists them. By operation: `creates` and `renames` are the kinds of
    resource that a call may create or rename. `next_page` is the field with the token of the next page. `outer` are the
    kinds that are dropped after namespaces.
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
        self._in_vain: Counter[str] = Counter()
        self._most_pages = FEW_PAGES if target.read_only else None
        self._telling: dict[str, bool] = {}

    @abstractmethod
    def prepare(self) -> None:
        """Prepare the server for drops."""

    def keep(self) -> None:
        """Leave the present resources as they are, until `release`."""
        return

    def release(self) -> None:
        """Let clean-ups prepare all resources again."""
        return

    @abstractmethod
    def drop(self, resource: Resource) -> Exchange | None:
        """Ask the server to drop a resource; None when no request can be sent."""

    def drop_with_contents(self, _namespace: Resource) -> Exchange | None:
        """Ask the server to drop a namespace with its contents; None when the API has no such request."""
        return None

    def fork(self) -> Inventory:
        """Return an inventory for another thread; `join` merges the recording of its client."""
        other, other.target = copy(self), copy(self.target)
        other.target.client = self.target.client.fork(math.inf)
        return other

    def join(self, other: Inventory) -> None:
        """Merge the recording of a forked inventory, and close its connections."""
        self.target.client.join(other.target.client)

    @abstractmethod
    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Request a resource by an operation that succeeds when it exists."""

    @abstractmethod
    def children(self, namespace: Names) -> list[Resource]:
        """List the resources in a namespace, the root included."""

    @abstractmethod
    def id_made(self, operation: Operation, exchange: Exchange) -> tuple[Any, ...]:
        """Return the id of the resource that a request creates, renames or drops. Raises KeyError without an id."""

    def made_by(self, exchange: Exchange) -> Resource | None:
        """Return the resource that a request may create or rename, None for other requests and for invalid ids."""
        kind = {**self.creates, **self.renames}.get(exchange.operation)
        operation = self.target.document.operations.get(exchange.operation)
        if kind is None or operation is None:
            return None
        with suppress(KeyError, TypeError):  # of an invalid body
            id = self.id_made(operation, exchange)
            if id and all(isinstance(level, str) for level in id):
                return Resource(kind, id)
        return None

    def dropped_by(self, exchange: Exchange) -> tuple[str, Any] | None:
        """Return the operation and the id of the resource that a request drops, None for other requests."""
        operation = self.target.document.operations.get(exchange.operation)
        if operation is None or operation.id not in self._dropped:
            return None
        with suppress(KeyError, TypeError):
            return operation.id, self.id_made(operation, exchange)
        return None

    @property
    def _dropped(self) -> Mapping[str, str]:
        """A kind of resource that an operation drops, by operation."""
        return {operation: kind for kind, operation in self.drops.items()}

    def made_otherwise(self, _exchange: Exchange) -> Resource | None:
        """Return a resource that was created although the request names it by no text, None without one."""
        return None

    def only_stages(self, _exchange: Exchange) -> bool:
        """True for a request whose success creates nothing yet."""
        return False

    def roots(self) -> list[Resource]:
        """List the run's resources at the first level: that of the given namespace, if there is one."""
        return [resource for resource in self.children(self.base) if self.is_ours(resource.id)]

    def inside(self, namespace: Resource) -> list[Resource]:
        """List the resources in a namespace of the run."""
        return [] if isinstance(namespace.id, str) else self.children(namespace.id)

    def is_there(self, resource: Resource) -> bool | None:
        """Return whether a resource exists: True if any operation shows it, None if unknown.

        A server without the operation may return 404, too, and a success proves nothing if it also succeeds for a
        resource that never existed.
        """
        there: bool | None = None
        for operation in filter(self.may_offer, self.looks[resource.kind]) if self.is_ours(resource.id) else ():
            answer = self.look(operation, resource)
            if answer and answer.succeeded and self._tells_apart(operation, resource):
                return True
            if answer and answer.status == 404 and self.offers(operation):
                there = False
        return there

    def _tells_apart(self, operation: str, resource: Resource) -> bool:
        """True unless an operation that shows a resource also succeeds for one that never existed."""
        if operation not in self._telling and not isinstance(resource.id, str):
            missing = Resource(resource.kind, (*resource.id[:-1], self.target.missing_name))
            answer = self.look(operation, missing)
            self._telling[operation] = not (answer and answer.succeeded)
        return self._telling.get(operation, True)

    def can_see(self, kind: str) -> bool:
        """True when an operation of the server shows resources of a kind."""
        return any(map(self.offers, (*self.looks[kind], self.lists[kind])))

    def undroppable(self) -> list[str]:
        """Return the kinds of resources that the server creates and cannot drop."""
        return [
            kind
            for kind, makers in self.makers.items()
            if any(map(self.has, makers)) and not self.has(self.drops[kind])
        ]

    def only_shows(self) -> bool:
        """True when the server offers operations that show resources, and none that creates one."""
        makers = (maker for makers in self.makers.values() for maker in makers)
        looks = (looks[0] for looks in self.looks.values())  # whether others exist may be unclear: see `looks`
        return any(map(self.has, looks)) and not any(map(self.has, makers))

    def can_drop(self, kind: str) -> bool:
        """True unless a probe showed that the server lacks the operation that drops resources of a kind."""
        return self.offers(self.drops[kind])

    def is_ours(self, id: Names | str) -> bool:
        """True for names of this run: below a name with its prefix, or directly in the given namespace."""
        if isinstance(id, str):
            return id.startswith(self.target.prefix)
        rest = id[len(self.base) :] if self.base and id[: len(self.base)] == self.base else id
        return bool(rest) and str(rest[0]).startswith(self.target.prefix)

    def has(self, operation: str) -> bool:
        """True when the server has the operation, by its probe or by a success."""
        return self.target.state(operation) == OFFERED

    def offers(self, operation: str) -> bool:
        """True unless a probe showed that the server lacks the operation, and it never succeeded."""
        return operation in self.target.document.operations and self.target.state(operation) in (None, OFFERED)

    def may_offer(self, operation: str) -> bool:
        """True unless the server rejects the operation as unsupported: a missing one may be tried again."""
        return operation in self.target.document.operations and self.target.state(operation) != REFUSED

    def ask(self, action: Callable[[], object]) -> Exchange | None:
        """Send a request and ignore its outcome; None when it could not be sent."""
        steps = self.target.client.steps
        before = len(steps)
        with suppress(Violation, NotTested, IdentifierError):
            action()
        return steps[-1] if len(steps) > before else None

    def listed(self, operation: str, field: str, fetch: Callable[[str | None], Answer]) -> list[Any]:
        """Return the items of a listing as far as the server shows it; `fetch` requests a page by its token.

        A listing that failed some times and never succeeded in the run is not requested again.
        """
        items: list[Any] = []
        tried = self._in_vain[operation] < MOST_TRIES or operation in self.target.client.known.done
        if tried and self.may_offer(operation):
            try:
                for page in islice(pages(fetch, self.next_page), self._most_pages):
                    entries = page[field]
                    items += entries if isinstance(entries, list) else []
            except (Violation, NotTested, IdentifierError):
                self._in_vain[operation] += 1
        return items
