"""The inventory of a run as its sandbox uses it, the order of drops, and threads that share them."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, REGISTRATION, Names, Resource

T = TypeVar("T")


class Findable(Protocol):
    """The inventory as a sandbox uses it: inventory.py implements it for every API."""

    base: Names

    @property
    def creates(self) -> Mapping[str, str]:
        """The kind of resource that a call of an operation may create, by operation."""

    @property
    def renames(self) -> Mapping[str, str]:
        """The kind of resource that a call of an operation may rename, by operation."""

    @property
    def looks(self) -> Mapping[str, Sequence[str]]:
        """The operations that show whether a resource exists, by kind."""

    @property
    def drops(self) -> Mapping[str, str]:
        """The operation that drops a resource, by kind."""

    @property
    def outer(self) -> Sequence[str]:
        """The kinds that are dropped after namespaces."""

    def prepare(self) -> None:
        """Prepare the server for drops."""

    def keep(self) -> None:
        """Leave the present resources as they are, until `release`."""

    def release(self) -> None:
        """Let clean-ups prepare all resources again."""

    def drop(self, resource: Resource) -> Exchange | None:
        """Ask the server to drop a resource; None when no request can be sent."""

    def drop_with_contents(self, namespace: Resource) -> Exchange | None:
        """Ask the server to drop a namespace with its contents; None when the API has no such request."""

    def fork(self) -> Findable:
        """Return an inventory for another thread; `join` merges the recording of its client."""

    def join(self, other: Any) -> None:
        """Merge the recording of a forked inventory, and close its connections."""

    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Request a resource by an operation that succeeds when it exists."""

    def made_by(self, exchange: Exchange) -> Resource | None:
        """Return the resource that a request may create or rename, None for none."""

    def dropped_by(self, exchange: Exchange) -> tuple[str, Any] | None:
        """Return the operation and the id of the resource that a request drops, None for other requests."""

    def made_otherwise(self, exchange: Exchange, /) -> Resource | None:
        """Return the resource that was created although the request does not name it, None for none."""

    def only_stages(self, exchange: Exchange, /) -> bool:
        """True for a request whose success creates nothing yet."""

    def roots(self) -> list[Resource]:
        """List the resources of the run at the first level."""

    def inside(self, namespace: Resource) -> list[Resource]:
        """List the resources in a namespace of the run."""

    def is_there(self, resource: Resource) -> bool | None:
        """True when a resource exists, None when no operation shows it."""

    def is_ours(self, id: Names | str) -> bool:
        """True for ids of this run."""

    def can_see(self, kind: str) -> bool:
        """True when an operation of the server shows resources of a kind."""

    def only_shows(self) -> bool:
        """True when the server offers operations that show resources, and none that creates one."""

    def can_drop(self, kind: str) -> bool:
        """True unless the server lacks the operation that drops resources of a kind."""

    def undroppable(self) -> list[str]:
        """Return the kinds of resources that the server creates and cannot drop."""

    def offers(self, operation: str) -> bool:
        """True unless a probe showed that the server lacks the operation, and it never succeeded."""


def ordered(resources: Iterable[Resource], outer: Sequence[str] = ()) -> list[Resource]:
    """Return resources in drop order: contents first, namespaces from the deepest up.

    Registrations come before all others: one may share its files with a table, whose drop purges them. `outer` are the
    kinds that contain namespaces, or that they depend on: they come last, in this order.
    """
    ranks = {REGISTRATION: -1, NAMESPACE: 1, **{kind: place for place, kind in enumerate(outer, 2)}}
    return sorted(
        resources, key=lambda resource: (ranks.get(resource.kind, 0), -len(resource.id) * (resource.kind == NAMESPACE))
    )


def in_threads(inventory: Findable, count: int, things: Sequence[T], action: Callable[[Findable, T], None]) -> None:
    """Call an action for each thing, in as many threads as `count`, each with an inventory of its own.

    An interruption of the calling thread leaves the threads to their end: their next request fails.
    """
    count = min(count, len(things))
    if count < 2:
        for thing in things:
            action(inventory, thing)
        return
    left, failures = deque(things), list[BaseException]()

    def work(own: Findable) -> None:
        with suppress(IndexError):
            while not failures:
                thing = left.popleft()
                try:
                    action(own, thing)
                except BaseException as error:  # it is raised again below, in the calling thread
                    failures.append(error)

    forks = [inventory.fork() for _ in range(count)]
    threads = [threading.Thread(target=work, args=(fork,), daemon=True) for fork in forks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for fork in forks:
        inventory.join(fork)
    if failures:
        raise failures[0]
