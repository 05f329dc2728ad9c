"""Starts that requirements share: a furnished state that the pairs of commands of one worker begin with, in turn.

Most requests of a pair would prepare it and clean up after it. So the first pair on some things furnishes the state,
and each of the next goes on from where the last one ended. A pair that fails there is tried alone, with objects of its
own: the shorter finding is the one to show. What shows only after all that was done before is shown as it was seen. A
start that a failure has touched is used no more.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace

from conformance.author.suite import Suite
from conformance.common.model.planning import Prepared, furnish, one_after_another, ways_of
from conformance.common.model.rows import Command, Model, ModelState, Thing
from conformance.common.model.running import ModelCatalog, ModelRun
from conformance.values.exchange import Exchange
from conformance.values.outcomes import NotTested, Stopped, Violation


@dataclass
class SharedStart:
    """A run of a model that requirements share, with the state that it is in."""

    run: ModelRun[ModelCatalog]
    state: ModelState


@dataclass
class SharedStarts:
    """The shared starts of a worker by their things; `used` are the requirements that have used one.

    A requirement that is tested once more, or in a drawn world, is tested alone.
    """

    starts: dict[Hashable, SharedStart] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    failure: tuple[Violation, list[Exchange]] | None = None  # of the last pair, with its steps

    def pass_in_turn(self, suite: Suite, catalog: ModelCatalog, model: Model, pair: tuple[Command, Command]) -> bool:
        """Test a pair from a shared start. Return False where it has to be tested alone, since it did not pass."""
        target, self.failure = catalog.target, None
        if target.surroundings.world or suite.subject in self.used:
            return False
        self.used.add(suite.subject)
        ways = ways_of(model, *pair)
        kinds = {kind for kind, _ in ways.things} - {kind for kind, _ in model.given}
        if not ways.begun or not kinds <= set(model.lasting):
            return False
        key = (model.api, frozenset(ways.things))
        start = self.starts.pop(key, None) or SharedStart(ModelRun(catalog, model), model.start)
        start.run.catalog, start.run.model = catalog, model
        state = _with_new_names(start, ways.things)
        first, _ = ways.begun[0][1][0]
        made = first.command.makes(first.on) if first.command.makes else None
        calls, state = furnish(model, {thing for thing in ways.things if not model.hangs(thing, made)}, state)
        plan = one_after_another(model, Prepared(calls, state), ways.begun[0][1], ways.things)
        if plan is None:
            return False
        try:
            start.state = start.run.send(plan, "near", start.state)
        except Stopped:
            raise
        except (Violation, NotTested) as error:
            self.failure = (error, list(catalog.client.steps)) if isinstance(error, Violation) else None
            catalog.begin_example()
            return False
        target.sandbox.keep()
        self.starts[key] = start
        return True

    def show_failure(self, catalog: ModelCatalog) -> None:
        """Raise the violation that the last pair showed from a shared start, after it passed alone."""
        if self.failure:
            error, catalog.client.steps = self.failure
            raise error


def _with_new_names(start: SharedStart, things: frozenset[Thing]) -> ModelState:
    """Return the state of a start after its ended things have got new names: servers may not give a name again."""
    state = start.state
    symbols = {id[0] for _, id in things if len(id) == 1 and start.run.forget(id[0], state)}
    kept = frozenset(thing for thing in state.ended if not symbols & set(thing[1]))
    start.state = replace(state, ended=kept)
    return start.state
