"""Worlds: what requirements take for granted, as values of dimensions.

A world says in which place, under which names, in which state and form of request a requirement is tested. In the plain
world every dimension has its first value. A drawn world has other values in some of them; a requirement that passes in
the plain world and fails in a drawn one shows a deviation that depends on these values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache

from specs.openapi import Document, Operation

World = Mapping[str, str]
PLAIN_WORLD: World = {}
Pins = Mapping[str, tuple[str, ...]]  # the values that a requirement supports, by dimension


@dataclass(frozen=True, slots=True)
class Dimension:
    """One part of a world.

    `values` are its values with the words for a finding that occurs in one of them alone, "for a renamed table"; the
    first is the plain one. `operations` are patterns of the operations whose requests depend on it, `except_for` those
    of exceptions; a requirement on one of `fixed_by` does not vary in it at all. `only` has such patterns for values
    that concern fewer operations than the others. A server may refuse to create what a value needs, and is not tested
    with it then; with `always` the norms oblige it to accept every value but the `refusable` ones. `share` is the share
    of the drawn worlds that differ in it from the plain one. A revision without the operation that it `needs` has no
    such dimension.
    """

    name: str
    values: Mapping[str, str]
    operations: tuple[str, ...] = ("*",)
    except_for: tuple[str, ...] = ()
    fixed_by: tuple[str, ...] = ()
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    always: bool = False
    refusable: tuple[str, ...] = ()
    share: float = 1.0
    needs: str = ""

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def plain(self) -> str:
        """The plain value."""
        return next(iter(self.values))

    @property
    def others(self) -> list[str]:
        """The values that are not plain."""
        return list(self.values)[1:]

    def obliges(self, value: str) -> bool:
        """True for a value that every server has to accept."""
        return self.always and value not in self.refusable

    def touches(self, operation: str) -> bool:
        """True when requests of an operation depend on the dimension."""
        return _matches(operation, self.operations) and not _matches(operation, (*self.except_for, *self.fixed_by))

    def values_of(self, operation: str) -> list[str]:
        """Return the values, without the plain one, on which requests of an operation depend."""
        some = self.others if self.touches(operation) else []
        return [value for value in some if _matches(operation, self.only.get(value, ("*",)))]

    def choices(self, operations: Collection[str], pins: Pins) -> list[str]:
        """Return the values with which a requirement on these operations and with these pins may be tested."""
        if any(_matches(name, self.fixed_by) for name in operations):
            return []
        concerned = {value for operation in operations for value in self.values_of(operation)}
        return [value for value in self.bearable(pins) if value in concerned]

    def bearable(self, pins: Pins) -> list[str]:
        """Return the values, without the plain one, that a requirement with these pins bears."""
        allowed = pins.get(self.name, tuple(self.values))
        return [value for value in self.others if value in allowed]


def all_but(dimensions: Iterable[Dimension], **values: Collection[str]) -> Pins:
    """Return the pins of a requirement that bears all values of dimensions but these, by the dimension's name."""
    return {
        dimension.name: tuple(value for value in dimension.values if value not in values[dimension.name])
        for dimension in dimensions
        if dimension.name in values
    }


def only_in(world: World, dimensions: Iterable[Dimension]) -> str:
    """Return the words of a finding that occurs in a world alone: "only for a renamed table in the root"."""
    words = [dimension.values[world[dimension.name]] for dimension in dimensions if dimension.name in world]
    return " and ".join(("only " + ", ".join(words[:-1]), words[-1])) if len(words) > 1 else f"only {''.join(words)}"


def named(world: World) -> str:
    """Return a world in the form of the setting: "names=dot, place=root"."""
    return ", ".join(f"{dimension}={value}" for dimension, value in sorted(world.items()))


def world_cell(dimension: str, value: str) -> str:
    """Return the cell of coverage for a value of a dimension."""
    return f"world {dimension}: {value}"


def world_cells(dimensions: Sequence[Dimension], operation: Operation) -> Iterator[str]:
    """Yield the cells of an operation: the values of every dimension that it depends on."""
    for dimension in dimensions:
        yield from (world_cell(dimension.name, value) for value in dimension.values_of(operation.id))


def cells_of_worlds(document: Document, dimensions: Sequence[Dimension]) -> dict[str, list[str]]:
    """Return the cells of all operations of a document."""
    return {operation.id: list(world_cells(dimensions, operation)) for operation in document.operations.values()}


@cache
def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
