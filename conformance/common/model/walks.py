"""Random walks: long sequences of calls, each judged by the rows of the model; one that fails is reduced.

A walk chooses among the calls whose outcome the model knows, most of them calls that are done. The same seed walks the
same way. Commands that failed in a plain requirement are left out: a defect does not hide what lies behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from random import Random
from typing import TypeVar

from conformance.common.model.planning import Plan
from conformance.common.model.rows import CommandCall, Model, ModelState, Thing
from conformance.common.model.running import ModelCatalog, ModelRun
from conformance.values.outcomes import NotTested, Violation

LENGTHS = {"smoke": (1, 10), "gate": (2, 40), "deep": (20, 120)}  # walks and their calls, by depth
REFUSED_IN = 5  # one call of so many is one that is refused
MOST_TRIES = 40  # of shorter sequences
T = TypeVar("T")


def walk(model: Model, length: int, random: Random, left_out: Set[str]) -> list[CommandCall]:
    """Return the calls of a walk, without the commands of these ids, and without the refusals left out by theirs."""
    calls = [call for command in model.commands if command.id not in left_out for call in model.calls(command)]
    state, way = model.start, []
    for _ in range(length):
        done = [call for call in calls if call.due(state) == "done"]
        refused = [call for call in calls if call.due(state) == "refused" and not left_out & _reasons(call, state)]
        choices = refused if refused and (not done or not random.randrange(REFUSED_IN)) else done
        if not choices:
            break
        call = random.choice(choices)
        way.append(call)
        state = call.next(state)
    return way


def _reasons(call: CommandCall, state: ModelState) -> set[str]:
    """Return the refusals of a call in a state, as ids of requirements name them."""
    return {f"{call.command.id}.{refusal.name}" for refusal in call.refusals(state)}


def run_walk(catalog: ModelCatalog, model: Model, calls: Sequence[CommandCall]) -> None:
    """Send the calls of a walk and look through the views after each.

    Raises Violation of the shortest sequence that shows one.
    """
    things = frozenset((kind, id) for kind, known in model.kinds.items() for id in known.ids)
    raise_shortest(calls, lambda some: _failure(catalog, model, some, things), MOST_TRIES)


def raise_shortest(items: Sequence[T], failure_of: Callable[[Sequence[T]], Violation | None], tries: int) -> None:
    """Raise the violation that the fewest of some items show, in their order; nothing where all together show none.

    Its steps are those of the example. At least one item is left.
    """
    failure = failure_of(items)
    if failure is None:
        return
    size = max(len(items) // 2, 1)
    while size and tries:
        start = 0
        while start < len(items) and tries:
            fewer = [*items[:start], *items[start + size :]]
            tries -= 1
            if fewer and (other := failure_of(fewer)):
                items, failure = fewer, other
            else:
                start += size
        size //= 2
    failure_of(items)  # its steps are those of the finding
    raise failure


def _failure(
    catalog: ModelCatalog, model: Model, calls: Sequence[CommandCall], things: frozenset[Thing]
) -> Violation | None:
    """Return the violation that a sequence shows, None without one; the calls after it are not sent."""
    catalog.begin_example()
    try:
        ModelRun(catalog, model).send(Plan(tuple(calls), frozenset(range(len(calls))), things), blame=False)
    except Violation as error:
        return error
    except NotTested:
        return None
    return None
