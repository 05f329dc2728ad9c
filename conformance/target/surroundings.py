"""The world in which the current example is tested, as the catalogs of all APIs apply it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from conformance.values.worlds import PLAIN_WORLD, World


@dataclass
class Surroundings:
    """The current world of a target.

    `entered` are the values that the example has really met: a catalog asks for the value of a dimension where it
    applies it. `refused` are values that the server does not create, and `known` those that it does.
    """

    world: World = field(default_factory=dict)
    entered: set[str] = field(default_factory=set)
    refused: set[tuple[str, str]] = field(default_factory=set)
    known: set[tuple[str, str]] = field(default_factory=set)

    def value(self, dimension: str) -> str:
        """Return the current value of a dimension, "" in the plain world, and note that the example depends on it."""
        value = self.world.get(dimension, "")
        if value:
            self.entered.add(dimension)
        return value

    @contextmanager
    def within(self, world: World) -> Iterator[None]:
        """Test in a world within the block."""
        before, self.world, self.entered = self.world, world, set()
        try:
            yield
        finally:
            self.world = before

    @contextmanager
    def plain(self) -> Iterator[None]:
        """Create plain objects within the block: those that a world consists of."""
        before, self.world = self.world, PLAIN_WORLD
        try:
            yield
        finally:
            self.world = before
