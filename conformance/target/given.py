"""Objects that existed before the run: a read-only run tests them instead of creating its own.

They are named by --namespace, --table and --view. Without a table or a view, a bounded walk through the listings finds
some: it opens MOST_OPENED namespaces at most.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from conformance.values.exchange import Exchange
from conformance.values.resources import NAMESPACE, TABLE, VIEW, Names, Resource
from conformance.values.settings import Settings, flag
from specs.problems import Problem

MOST_OPENED = 8
MOST_OF_A_KIND = 20
NAMED_BY = {TABLE: "table", VIEW: "view"}  # kind -> setting


class Browsable(Protocol):
    """The inventory as the walk uses it."""

    base: Names

    @property
    def looks(self) -> Mapping[str, Sequence[str]]:
        """The operations that show whether a resource exists, by kind."""

    def children(self, namespace: Names) -> list[Resource]:
        """List the resources in a namespace, the root included."""

    def look(self, operation: str, resource: Resource) -> Exchange | None:
        """Request a resource by an operation that succeeds if it exists."""

    def offers(self, operation: str) -> bool:
        """True unless the server lacks the operation."""


@dataclass(frozen=True, slots=True)
class Given:
    """Existing objects by kind. `home` is the namespace with the most kinds of them."""

    home: Names = ()
    ids: Mapping[str, tuple[Names, ...]] = field(default_factory=dict)

    def with_ids(self, ids: Mapping[str, tuple[Names, ...]]) -> Given:
        """Return these objects and others."""
        return Given(self.home, {**self.ids, **ids})

    def of(self, kind: str, home: Names | None = None) -> list[Names]:
        """Return the ids of a kind, the children of a namespace if one is given."""
        return [id for id in self.ids.get(kind, ()) if home is None or id[:-1] == home]


def find_given(inventory: Browsable, settings: Settings) -> Given:
    """Return the objects that the settings name, or those that listings show.

    Raises Problem when the server reports that a named object does not exist.
    """
    named = [Resource(kind, id) for kind, name in NAMED_BY.items() for id in settings.object_ids(name)]
    for resource in named:
        _check_there(inventory, resource)
    return _sorted(named, inventory.base) if named else _walk(inventory)


def _check_there(inventory: Browsable, resource: Resource) -> None:
    """Raise Problem when the server reports that a resource does not exist."""
    operation = next(filter(inventory.offers, inventory.looks.get(resource.kind, ())), None)
    answer = inventory.look(operation, resource) if operation else None
    if answer is None or answer.status == 404:
        name = flag(NAMED_BY[resource.kind])
        raise Problem(
            f"{name}: there is no {resource.kind} {resource.name}" + (f" ({answer.url})." if answer else "."),
            f"Name an existing one with {name}, with dots between its levels.",
        )


def _walk(inventory: Browsable) -> Given:
    """Open namespaces from the base of the run down, and return the objects that they list."""
    found: list[Resource] = []
    ahead = [inventory.base]
    for _ in range(MOST_OPENED):
        if not ahead:
            break
        kinds: dict[str, list[Resource]] = {}
        for resource in inventory.children(ahead.pop(0)):
            kinds.setdefault(resource.kind, []).append(resource)
        inside = [resource for resources in kinds.values() for resource in resources[:MOST_OF_A_KIND]]
        found += inside
        ahead += [tuple(resource.id) for resource in inside if resource.kind == NAMESPACE]
    return _sorted(found, inventory.base)


def _sorted(found: Collection[Resource], base: Names) -> Given:
    ids: dict[str, list[Names]] = {NAMESPACE: [base] if base else []}
    for resource in found:
        ids.setdefault(resource.kind, []).append(tuple(resource.id))
        if resource.kind in NAMED_BY and (above := tuple(resource.id[:-1])) and above not in ids[NAMESPACE]:
            ids[NAMESPACE].append(above)
    homes = {id[:-1]: None for kind in NAMED_BY for id in ids.get(kind, ())}
    home = max(homes, key=lambda home: _worth(home, ids), default=next(iter(ids[NAMESPACE]), base))
    return Given(home, {kind: tuple(names) for kind, names in ids.items()})


def _worth(home: Names, ids: Mapping[str, Iterable[Names]]) -> tuple[int, int]:
    """Return the number of kinds in a namespace, and of the objects of its largest kind."""
    counts = [sum(id[:-1] == home for id in ids.get(kind, ())) for kind in NAMED_BY]
    return sum(map(bool, counts)), max(counts, default=0)
