"""The worlds of a run: which requirement is tested in which, besides the plain one.

They cover, and do not multiply: each requirement has few worlds, chosen so that over the suite each operation occurs
with each value of each dimension, and values of different dimensions occur together. The choice follows from the seed
and the requirements of an API alone; the selection of a run and the number of its jobs do not change it.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from conformance.values.requirement import Requirement
from conformance.values.settings import DRAWN, PLAIN, Settings
from conformance.values.worlds import Dimension, World
from specs.problems import Problem

NUMBER = {"smoke": 0, "gate": 1, "deep": 4}  # of drawn worlds for a requirement, by the depth of the run
MAIN = ("behaviour", "data", "pagination")  # kinds that vary most
BESIDE = ("error", "auth")  # kinds that have a world where it covers something new
OFTEN = 2  # as often each operation meets each value in requirements of MAIN, twins included
MOSTLY = 0.5  # the share of a world that has to be new for a requirement of MAIN to get it
MOST_MORE = 20  # worlds of an operation beyond those
_DRAWN: dict[Hashable, dict[str, list[World]]] = {}  # a choice takes a second, and a process may make many runs
CANDIDATES = 6  # worlds to choose the best one of


def drawn_worlds(
    settings: Settings,
    requirements: Collection[Requirement],
    dimensions: Sequence[Dimension],
    own: Collection[str] = (),
) -> dict[str, list[World]]:
    """Return the drawn worlds of requirements by their ids, which cover the `own` operations, or else every one.

    Raises Problem for an unknown dimension or value.
    """
    if PLAIN in settings.world or not dimensions:
        return {}
    if is_given(settings):
        world = given_world(settings.world, dimensions)
        drawn = {entry.id: [_bearable(entry, world, dimensions)] for entry in requirements if may_vary(entry)}
        return {name: worlds for name, worlds in drawn.items() if any(worlds)}
    number = NUMBER[settings.depth] or int(DRAWN in settings.world)
    if not number:
        return {}
    key = (
        settings.seed,
        number,
        tuple(dimensions),
        frozenset((entry.id, *entry.world.items()) for entry in requirements),
        frozenset(own),
    )
    if key not in _DRAWN:
        draws = random.Random(settings.seed)  # noqa: S311
        _DRAWN[key] = Covering(dimensions, draws, own).draw(requirements, number)
    return _DRAWN[key]


def is_given(settings: Settings) -> bool:
    """True when the settings name values of a world."""
    return not {PLAIN, DRAWN}.issuperset(settings.world)


def given_world(texts: Iterable[str], dimensions: Sequence[Dimension]) -> World:
    """Return the world that a setting names. Raises Problem for an unknown dimension or value."""
    known = {dimension.name: dimension for dimension in dimensions}
    world = {}
    for text in (text for text in texts if text not in (PLAIN, DRAWN)):
        name, _, value = text.partition("=")
        if name not in known:
            hint = " ".join(f"{entry.name}={'|'.join(entry.values)}" for entry in dimensions)
            raise Problem(f"--world {text}: the API has no dimension {name!r}.", f"Known: {hint}, plain or drawn.")
        if value not in known[name].values:
            raise Problem(f"--world {text}: {name} has no value {value!r}.", f"Known: {', '.join(known[name].values)}.")
        world[name] = value
    return world


@dataclass
class Covering:
    """A covering choice of worlds: the values that occurred so far, alone and in pairs.

    `own` are the operations to cover, every one if none is given: a suite leaves those of another one to it.
    """

    dimensions: Sequence[Dimension]
    random: random.Random
    own: Collection[str] = ()
    _alone: Counter[tuple[str, str, str]] = field(default_factory=Counter)  # operation, dimension, value
    _pairs: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    def draw(self, requirements: Collection[Requirement], number: int) -> dict[str, list[World]]:
        """Return the worlds of requirements that may vary: first twins, then MAIN, then what covers more.

        Twins alone meet every value of their operations. With one world for each, those of MAIN have none whose values
        their operations mostly met OFTEN; with several each has them.
        """
        often = OFTEN if number == 1 else math.inf
        drawn: dict[str, list[World]] = {}
        varied = sorted(filter(may_vary, requirements), key=lambda entry: entry.id)
        main, others = ([entry for entry in varied if (entry.kind in MAIN) is first] for first in (True, False))
        self._complete([entry for entry in main if entry.twin], drawn)
        for done in range(number):
            for requirement in main:
                if len(drawn.get(requirement.id, ())) <= done:
                    self._draw(requirement, drawn, often, MOSTLY)
        self._complete(main, drawn)
        for _ in range(number):
            for requirement in others:
                self._draw(requirement, drawn, often=1)
        return drawn

    def _draw(self, requirement: Requirement, drawn: dict[str, list[World]], often: float, least: float = 0.0) -> None:
        """Draw a world for a requirement, if more than the `least` share of what it covers was not met so often yet."""
        world = self._best(requirement)
        met = self._met(requirement, world)
        if sum(times < often for times in met) > least * len(met):
            self._note(requirement, world)
            drawn.setdefault(requirement.id, []).append(world)

    def _complete(self, requirements: Sequence[Requirement], drawn: dict[str, list[World]]) -> None:
        """Add worlds of the values that no operation has met yet: an operation with few requirements has few worlds."""
        for operation in sorted({name for requirement in requirements for name in self._covered(requirement)}):
            known = [entry for entry in requirements if operation in entry.operations]
            for _ in range(MOST_MORE):
                known.sort(key=lambda entry: len(drawn.get(entry.id, ())))
                missing = ((entry, self._missing(entry, operation)) for entry in known)
                requirement, world = next(((entry, world) for entry, world in missing if world), (None, {}))
                if requirement is None:
                    break
                self._note(requirement, world)
                drawn.setdefault(requirement.id, []).append(world)

    def _missing(self, requirement: Requirement, operation: str) -> World:
        """Return a world of values that a requirement supports and that its operation has not met."""
        world = {}
        for dimension in self.dimensions:
            values = dimension.values_of(operation)
            missing = [value for value in values if not self._alone[operation, dimension.name, value]]
            choices = dimension.choices(requirement.operations, requirement.world) if missing else []
            if found := [value for value in choices if value in missing]:
                world[dimension.name] = found[0]
        return world

    def _best(self, requirement: Requirement) -> World:
        """Return the drawn world that covers most."""
        choices = {
            dimension.name: values
            for dimension in self.dimensions
            if (values := dimension.choices(requirement.operations, requirement.world))
            if dimension.share >= 1 or self.random.random() < dimension.share
        }
        if not choices:
            return {}
        candidates = [self._candidate(requirement, choices) for _ in range(CANDIDATES)]
        return max(candidates, key=lambda world: self._gain(requirement, world))

    def _candidate(self, requirement: Requirement, choices: Mapping[str, Sequence[str]]) -> World:
        """Return a world: for each dimension one of its values, rare ones of the operation more likely."""
        operation = requirement.operations[0]
        return {
            name: min(values, key=lambda value: (self._alone[operation, name, value], self.random.random()))
            if self.random.random() < 0.5
            else self.random.choice(values)
            for name, values in choices.items()
        }

    def _covered(self, requirement: Requirement) -> list[str]:
        """Return the operations of a requirement that are to cover."""
        return [operation for operation in requirement.operations if not self.own or operation in self.own]

    def _cells(self, requirement: Requirement, world: World) -> list[tuple[str, str, str]]:
        """Return the operations with values that a world of a requirement covers."""
        return [(operation, *value) for operation in self._covered(requirement) for value in world.items()]

    def _met(self, requirement: Requirement, world: World) -> list[int]:
        """Return the numbers of worlds in which the operations of a requirement met the values of a world."""
        return [self._alone[cell] for cell in self._cells(requirement, world)]

    def _gain(self, requirement: Requirement, world: World) -> tuple[float, int]:
        """Return the gain of a world: values of operations, rare ones more, and then pairs of values."""
        values = sum(1 / (1 + met) for met in self._met(requirement, world))
        return values, sum(not self._pairs[pair] for pair in _pairs(world))

    def _note(self, requirement: Requirement, world: World) -> None:
        self._alone.update(self._cells(requirement, world))
        self._pairs.update(_pairs(world))


def _pairs(world: World) -> Iterable[tuple[str, str, str, str]]:
    return ((*one, *other) for one, other in combinations(sorted(world.items()), 2))


def may_vary(requirement: Requirement) -> bool:
    """True for kinds whose requirements take objects for granted; those that draw arguments vary them already."""
    return requirement.kind in (*MAIN, *BESIDE) and not requirement.drawn and bool(requirement.operations)


def _bearable(requirement: Requirement, world: World, dimensions: Sequence[Dimension]) -> World:
    """Return the part of a world that a requirement supports and that concerns its operations."""
    return {
        dimension.name: world[dimension.name]
        for dimension in dimensions
        if world.get(dimension.name) in dimension.choices(requirement.operations, requirement.world)
    }
