"""Starts that requirements share: a furnished state that requirements of one worker begin with, in turn.

Most requests of a pair of commands, or of a refusal, would prepare it and clean up after it. So the first requirement
on some things furnishes the state, in a home that lasts as long as the run, and each of the next goes on from where the
last one ended. One that fails there is tried alone, with objects of its own: the shorter finding is the one to show.
What passes alone is tried once more after all that was done before, from the beginning, and reduced to the fewest plans
that show it. A start that a failure has touched is used no more.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

from conformance.author.suite import Suite
from conformance.common.model.planning import Plan
from conformance.common.model.rows import Model, ModelState
from conformance.common.model.running import ModelCatalog, ModelRun
from conformance.common.model.walks import raise_shortest
from conformance.values.exchange import Exchange
from conformance.values.outcomes import NotTested, Stopped, Violation

Planned = Callable[[ModelState], Plan | None]  # a plan that begins with a state; None where none does
MOST_TRIES = 12  # of fewer plans


@dataclass
class SharedStart:
    """A run of a model that requirements share, the state that it is in, and the plans that it has sent."""

    run: ModelRun[ModelCatalog]
    state: ModelState
    sent: list[Plan] = field(default_factory=list)

    def next_plan(self, alone: Plan, planned: Planned) -> Plan | None:
        """Return a plan that begins with the state, has the things and no fewer subjects; None where none does."""
        self.state = self.run.renew(self.state, alone.things)
        plan = planned(self.state)
        fits = plan and plan.things == alone.things and len(plan.subjects) >= len(alone.subjects)
        return plan if fits else None

    def send(self, plan: Plan) -> None:
        """Send a plan that begins with the state. Raises Violation for what is not due."""
        self.sent.append(plan)
        self.state = self.run.send(plan, state=self.state)


@dataclass
class SharedStarts:
    """The shared starts of a worker by their things; `used` are the requirements that have used one.

    A requirement that is tested once more is tested alone, and then after all that its failure came after, and one in a
    drawn world is tested alone. `failed` are the plans of the start in which the current one failed, with its violation
    and its steps, and `histories` the plans by requirements.
    """

    starts: dict[Hashable, SharedStart] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    failed: tuple[list[Plan], Violation | None, list[Exchange]] | None = None
    histories: dict[str, list[Plan]] = field(default_factory=dict)

    def pass_in_turn(
        self, suite: Suite, catalog: ModelCatalog, model: Model, alone: Plan | None, planned: Planned
    ) -> bool:
        """Test from a shared start what the plan `alone` tests from one of its own.

        Return False where that has to be tested alone, since it did not pass.
        """
        self.failed = None
        if alone is None or catalog.target.surroundings.world:
            return False
        if suite.subject in self.used:
            if history := self.histories.get(suite.subject):
                self.failed = history, None, []
            return False
        self.used.add(suite.subject)
        key = model.api, alone.things
        start = self.starts.pop(key, None)
        plan = start.next_plan(alone, planned) if start else None
        if start is None or plan is None:
            start = SharedStart(ModelRun(catalog.another(), model), model.start)
            plan = start.next_plan(alone, planned)
        if plan is None:
            catalog.begin_example()
            return False
        try:
            start.send(plan)
        except Stopped:
            raise
        except (Violation, NotTested) as error:
            if isinstance(error, Violation):
                self.failed = start.sent, error, list(catalog.client.steps)
                self.histories[suite.subject] = start.sent
            catalog.begin_example()
            return False
        catalog.target.sandbox.keep()
        suite.wandering.only_plain = True
        self.starts[key] = start
        return True

    def show_failure(self, catalog: ModelCatalog, model: Model) -> None:
        """Raise the violation that the last requirement showed from a shared start, after it passed alone.

        All that was sent there is sent again, with other objects, so that the steps of the finding are complete. Where
        that passes, the violation is shown as it was seen, once.
        """
        if self.failed is None:
            return
        (*earlier, last), error, steps = self.failed

        def failure(plans: Sequence[Plan]) -> Violation | None:
            catalog.begin_example()
            run, state = ModelRun(catalog, model), model.start
            try:
                for plan in (*plans, last):
                    state = run.send(plan, state=run.renew(state, plan.things))
            except Violation as error:
                return error
            except Stopped:
                raise
            except NotTested:
                pass
            return None

        raise_shortest(earlier, failure, MOST_TRIES)
        if error:
            catalog.client.steps = steps
            raise error
