"""A requirement in drawn worlds: tested once in each, after it passed in the plain one.

A failure is told by the smallest difference from the plain world: with each dimension the requirement is tried without
it, and what is not needed for the failure is left out. A world that the server does not create is none for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.target.target import Target
from conformance.values.outcomes import NotTested, Stopped, Violation
from conformance.values.worlds import PLAIN_WORLD, Dimension, World, world_cell

MOST_REQUESTS = 16  # of a requirement in the plain world: those that need more are tested there alone


@dataclass
class Wandering:
    """Tests of requirements in drawn worlds. `failed` is the smallest world of the current requirement's failure."""

    target: Target
    dimensions: Sequence[Dimension] = ()
    drawn: dict[str, list[World]] = field(default_factory=dict)
    failed: World = field(default_factory=dict)

    def begin(self) -> None:
        """Start a requirement."""
        self.failed = {}

    def run(self, subject: str, attempt: Callable[[], None], fixtures: Iterable[Any], sent: int) -> None:
        """Test a requirement in its drawn worlds: `attempt` tests it once, and took `sent` requests in the plain one.

        Raises the violation of the smallest world in which it fails.
        """
        worlds = self.drawn.get(subject, ())
        if not worlds or self.target.read_only or sent > MOST_REQUESTS:
            return
        guides = [fixture for fixture in fixtures if hasattr(fixture, "enter_world")]
        for world in worlds:
            possible = {name: value for name, value in world.items() if self._is_possible(name, value, guides)}
            if possible and (error := self._failure(possible, attempt)):
                raise self._smallest(possible, error, attempt)

    def _failure(self, world: World, attempt: Callable[[], None]) -> Exception | None:
        """Return the failure in a world, None if the requirement passes or cannot be tested in it."""
        surroundings = self.target.surroundings
        with surroundings.within(world):
            try:
                attempt()
            except Stopped:
                raise
            except NotTested:
                return None
            except Exception as error:
                return error
            finally:
                entered = {name: world[name] for name in sorted(surroundings.entered & world.keys())}
                self._note(entered)
        return None

    def _smallest(self, world: World, error: Exception, attempt: Callable[[], None]) -> Exception:
        """Return the failure of the smallest world, and keep its steps.

        A failure that the plain world shows, too, when it is tried again depends on no world.
        """
        recording = self.target.client.recording
        steps = recording.steps
        world = {name: value for name, value in world.items() if name in self.target.surroundings.entered}
        if again := self._failure(PLAIN_WORLD, attempt):
            return again
        for name in list(world) if len(world) > 1 else ():
            smaller = {other: value for other, value in world.items() if other != name}
            if smaller and (again := self._failure(smaller, attempt)):
                world, error, steps = smaller, again, recording.steps
        recording.steps, self.failed = steps, world
        return error

    def _is_possible(self, name: str, value: str, guides: Iterable[Any]) -> bool:
        """True when the server creates what a value needs: found out once in a run, with objects of its own."""
        dimension = next(entry for entry in self.dimensions if entry.name == name)
        surroundings = self.target.surroundings
        if dimension.always or (name, value) in surroundings.known:
            return True
        if (name, value) in surroundings.refused:
            return False
        with surroundings.within({name: value}):
            try:
                for guide in guides:
                    guide.begin_example()
                    guide.enter_world()
            except Stopped:
                raise
            except (NotTested, Violation, LookupError, TypeError, ValueError, AttributeError):
                surroundings.refused.add((name, value))
                return False
        surroundings.known.add((name, value))
        return True

    def _note(self, entered: World) -> None:
        """Note the values with which the requirement sent its subjects."""
        client = self.target.client
        if client.recording.cells:
            for operation in {step.operation for step in client.steps} & client.subjects:
                client.recording.cells.enter(operation, [world_cell(*value) for value in entered.items()])
