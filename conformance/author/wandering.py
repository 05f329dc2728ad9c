"""A requirement in drawn worlds: tested once in each, after it passed in the plain one.

A finding names the smallest difference from the plain world that shows it: the requirement is tested again without each
value of the world, and values that the failure does not need are left out. A world that the server does not create is
none for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.target.target import Target
from conformance.values.exchange import Exchange
from conformance.values.outcomes import Blocked, NotTested, Stopped, Violation, violation_of
from conformance.values.worlds import PLAIN_WORLD, Dimension, World, named, world_cell

MOST_REQUESTS = 20  # of a requirement in the plain world: those that need more are tested there alone, unless twins
FAILED = "500"  # as evidence has it


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure in a world: `met` are the values that the example met, `steps` its exchanges."""

    error: NotTested | Exception
    met: World
    steps: list[Exchange]


@dataclass
class Wandering:
    """Tests of requirements in drawn worlds.

    `failed` is the smallest world of the current requirement's failure, `tested` the worlds in which it was tested.
    The test of a twin sees each of its operations take effect: one that a world refuses, also while the test prepares
    something, is a violation. Drawn worlds go to it first, so it is tested in them however many requests it needs.
    `only_plain` is true for a requirement that needed few requests since it shared its preparation with others: alone,
    in a world, it would need many. Without `narrows` a finding names the whole world that it was seen in.
    """

    target: Target
    dimensions: Sequence[Dimension] = ()
    drawn: dict[str, list[World]] = field(default_factory=dict)
    failed: World = field(default_factory=dict)
    tested: list[str] = field(default_factory=list)
    narrows: bool = True
    only_plain: bool = False
    _twin: bool = False  # the current requirement is one

    def begin(self, *, twin: bool = False) -> None:
        """Start a requirement."""
        self.failed, self.tested, self.only_plain, self._twin = {}, [], False, twin

    def run(self, subject: str, attempt: Callable[[], None], fixtures: Iterable[Any], sent: int) -> None:
        """Test a requirement in its drawn worlds: `attempt` tests it once, and took `sent` requests in the plain one.

        Raises the violation of the smallest world in which it fails.
        """
        worlds = self.drawn.get(subject, ())
        if not worlds or self.only_plain or self.target.read_only or (sent > MOST_REQUESTS and not self._twin):
            return
        guides = [fixture for fixture in fixtures if hasattr(fixture, "enter_world")]
        for drawn in worlds:
            left = world = self._unrefused(drawn)
            failure = self._failure(world, attempt) if world else None
            if failure and len(left := self._possible(world, guides)) < len(world):
                failure = self._failure(left, attempt) if left else None
            if failure and isinstance(failure.error, NotTested) and len(left) > 1:
                failure = self._apart(left, attempt) or failure
            if met := failure.met if failure else self._met(left):
                self.tested.append(named(met))
            if failure is None or isinstance(failure.error, NotTested):
                rest = {name: value for name, value in self._unrefused(world).items() if name not in left}
                failure = self._apart(rest, attempt)
            if failure:
                raise self._smallest(failure, attempt)

    def _failure(self, world: World, attempt: Callable[[], None]) -> Failure | None:
        """Test a requirement in a world. Return None if it passes.

        The error of a failure may also say that the requirement cannot be tested in this world.
        """
        surroundings, recording = self.target.surroundings, self.target.client.recording
        with surroundings.within(world):
            try:
                attempt()
            except Stopped:
                raise
            except (NotTested, Exception) as error:
                return Failure(self._blamed(error), self._met(world), recording.steps)
            finally:
                self._note(self._met(world))
        return None

    def _blamed(self, error: NotTested | Exception) -> NotTested | Exception:
        """Return the violation that blocks a twin where it is one by its subject, else the error itself."""
        by_subject = self._twin and isinstance(error, Blocked) and error.by in self.target.client.subjects
        return (violation_of(error) or error) if by_subject else error

    def _apart(self, world: World, attempt: Callable[[], None]) -> Failure | None:
        """Return the violation in a world of one value: what cannot be prepared with all is tested with each."""
        alone = ({name: value} for name, value in world.items())
        return next(filter(None, (self._violation(one, attempt) for one in alone)), None)

    def _met(self, world: World) -> World:
        """Return the values of a world that the last test met."""
        return {name: value for name, value in world.items() if name in self.target.surroundings.entered}

    def _violation(self, world: World, attempt: Callable[[], None]) -> Failure | None:
        """Return the failure in a world, None if the requirement passes or cannot be tested in it."""
        failure = self._failure(world, attempt)
        return None if failure and isinstance(failure.error, NotTested) else failure

    def _smallest(self, failure: Failure, attempt: Callable[[], None]) -> NotTested | Exception:
        """Return the failure of the smallest world, and keep its steps.

        A failure that the plain world shows, too, when it is tried again depends on no world.
        """
        if again := self._violation(PLAIN_WORLD, attempt):
            return again.error
        world = failure.met
        for name in list(world) if self.narrows and len(world) > 1 else ():
            smaller = {other: value for other, value in world.items() if other != name}
            if smaller and (again := self._violation(smaller, attempt)):
                world, failure = smaller, again
        self.target.client.recording.steps, self.failed = failure.steps, world
        return failure.error

    def _unrefused(self, world: World) -> World:
        """Return the part of a world that the server is not known to refuse."""
        refused = self.target.surroundings.refused
        return {name: value for name, value in world.items() if (name, value) not in refused}

    def _possible(self, world: World, guides: Sequence[Any]) -> World:
        """Return the part of a world that the server creates, with its values together."""
        alone = {name: value for name, value in world.items() if self._is_possible(name, value, guides)}
        made = {name: value for name, value in alone.items() if not self._dimension(name).obliges(value)}
        if len(made) < 2 or self._enters(made, guides):
            return alone
        together: dict[str, str] = {}
        for name, value in made.items():
            if not together or self._enters({**together, name: value}, guides):
                together[name] = value
        return {name: value for name, value in alone.items() if name in together or name not in made}

    def _is_possible(self, name: str, value: str, guides: Iterable[Any]) -> bool:
        """True when the server creates what a value needs: found out at the first failure, with objects of its own."""
        dimension, surroundings = self._dimension(name), self.target.surroundings
        if value not in dimension.values:
            return False
        if dimension.obliges(value) or (name, value) in surroundings.known:
            return True
        if (name, value) in surroundings.refused:
            return False
        possible = self._enters({name: value}, guides)
        (surroundings.known if possible else surroundings.refused).add((name, value))
        return possible

    def _dimension(self, name: str) -> Dimension:
        """Return a dimension; one without values for that of an expectation of an older kit."""
        return next((entry for entry in self.dimensions if entry.name == name), Dimension(name, {}))

    def _enters(self, world: World, guides: Iterable[Any]) -> bool:
        """True when the server creates what a world needs, or answers 500, which the twin of its operation reports."""
        with self.target.surroundings.within(world):
            try:
                for guide in guides:
                    guide.begin_example()
                    guide.enter_world()
            except Stopped:
                raise
            except (NotTested, Violation, LookupError, TypeError, ValueError, AttributeError) as error:
                return _is_failure(error)
        return True

    def _note(self, entered: World) -> None:
        """Note the values with which the requirement sent its subjects."""
        client = self.target.client
        if client.recording.cells:
            for operation in {step.operation for step in client.steps} & client.subjects:
                client.recording.cells.enter(operation, [world_cell(*value) for value in entered.items()])


def _is_failure(error: BaseException) -> bool:
    """Return whether a server failed at a request, instead of refusing it."""
    cause = violation_of(error)
    return cause is not None and (cause.evidence.relation, cause.evidence.actual) == ("status", FAILED)
