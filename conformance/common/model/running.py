"""Plans on the target: each call is sent and judged by the model, and what the views show is compared with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, Protocol, Self, TypeVar

from conformance.author.checks import one_of
from conformance.common.model.diagnosis import Observation, diagnose, fail_at
from conformance.common.model.planning import Plan
from conformance.common.model.rows import CommandCall, Model, ModelState, ModelView, Symbols, Thing
from conformance.http.answers import Answer
from conformance.http.client import Client, Successes
from conformance.target.target import Target
from conformance.values.outcomes import NotTested, Stopped, Violation
from specs.clauses import clauses_of
from specs.profiles import Profile

Mode = Literal["due", "seen", "wide", "harmless", "accepted"]


class ModelCatalog(Protocol):
    """The tested server as a model needs it."""

    client: Client
    target: Target

    def successes(self, operation: str) -> list[int]:
        """Return the statuses of success of an operation."""

    def begin_example(self) -> None:
        """Start an example with no steps and no home."""

    def another(self) -> Self:
        """Return a catalog of the same server with a home of its own."""

    def racing(self, client: Client) -> Self:
        """Return the same catalog for a client in another thread."""


C = TypeVar("C", bound=ModelCatalog)
T = TypeVar("T")


class ModelRun(Generic[C]):
    """The tested server with the names that stand for the symbols of a model."""

    def __init__(self, catalog: C, model: Model) -> None:
        self.catalog = catalog
        self.model = offered(catalog, model)
        self.names: dict[str, Any] = {}

    def name(self, symbol: str) -> Any:
        """Return the name of a symbol, a new one at its first use."""
        if symbol not in self.names:
            self.names[symbol] = self.model.named(self.catalog, symbol)
        return self.names[symbol]

    def symbols(self, names: Iterable[Any]) -> list[str]:
        """Return the symbols of names, sorted, without those of other tests."""
        known = {name: symbol for symbol, name in self.names.items()}
        return sorted(known[name] for name in names if name in known)

    def through(self, client: Client) -> ModelRun[C]:
        """Return the same run with the same names for a client in another thread."""
        other = copy(self)
        other.catalog = self.catalog.racing(client)
        return other

    def prepare(self, calls: Iterable[CommandCall]) -> ModelState:
        """Send calls that prepare a state, and return it."""
        state = self.model.start
        with self.catalog.client.preparing():
            for call in calls:
                state, _ = self.sent(call, state)
        return state

    def renew(self, state: ModelState, things: Iterable[Thing]) -> ModelState:
        """Return a state in which ended things have got new names: servers may not give a name again.

        Traces of what had a name before go with it.
        """
        traces, ids = self.model.traces, {id for kind, id in things if kind in self.model.renewed}
        for symbol in sorted({id[-1] for id in ids}):
            has = [thing for thing in state.things if symbol in thing[1]]
            ended = any(symbol in id for _, id in state.ended)
            if ended and all(kind in traces for kind, _ in has) and self.names.pop(symbol, None) is not None:
                kept = {thing: fields for thing, fields in state.things.items() if thing not in has}
                state = ModelState(kept, frozenset(thing for thing in state.ended if symbol not in thing[1]))
        return state

    def send(
        self, plan: Plan, mode: Mode = "due", state: ModelState | None = None, *, blame: bool = True
    ) -> ModelState:
        """Send the calls of a plan; after those that it is about, look through the views. Return the last state.

        With the mode "harmless" these may be answered in any way, and must change nothing; with "accepted" they have to
        be done even where the server decides. With "seen" the views that the first of them changes are read before it,
        too: what a server caches of an earlier answer is no answer to a later request; after the last every view is
        looked at. With "wide" every view is looked at after the first; after others, those that have to show a change,
        and after the last one some beside them. To `blame` an operation for what is wrong, the plan is tried once more
        on new objects, which needs all of its calls: a plan from a given state blames none.
        """
        blame = blame and state is None
        state = state or self.model.start
        first, last = min(plan.subjects, default=-1), max(plan.subjects, default=-1)
        for place, call in enumerate(plan.calls):
            if place not in plan.subjects:
                with self.catalog.client.preparing():
                    state, _ = self.sent(call, state)
                continue
            before, views = state, self.views(call, plan.things)
            if mode in ("seen", "wide") and place == first:
                with self.catalog.client.preparing():
                    for view, on in changing(views, before, call.next(before)):
                        view.look(self, on)
            state, answer = self.sent(call, before, mode)
            if (mode, place) not in (("wide", first), ("seen", last)):
                views = self._near(call, before, state, views, beside=place == last)
            repeated = Repetition(self, plan.calls[: place + 1]) if blame else None
            self._compare(call, answer, before, state, views, repeated)
        return state

    def compare_any(self, calls: Sequence[CommandCall], finals: Sequence[ModelState], things: frozenset[Thing]) -> None:
        """Check that the views show one of several states. Raises Violation with the state that fits most views."""
        views = {view.title + str(on): (view, on) for call in calls for view, on in self.views(call, things)}
        with self.catalog.client.looking():
            looks = [(view, on, view.look(self, on), self.catalog.client.steps[-1]) for view, on in views.values()]

        def wrong(state: ModelState) -> list[Observation]:
            seen = (
                Observation(view.title, on, None, view.shows(state, on), shown, step) for view, on, shown, step in looks
            )
            return [look for look in seen if not look.right]

        nearest = min(map(wrong, finals), key=len)
        if nearest:
            fail_at(self.catalog.client, nearest[0], "after concurrent requests")

    def sent(self, call: CommandCall, state: ModelState, mode: Mode = "due") -> tuple[ModelState, Answer]:
        """Send a call; return the state after it and the answer. Raises Violation for a status that is not due."""
        command, due = call.command, call.due(state) if mode != "accepted" else "done"
        if mode == "harmless":
            return state, command.send(self, call.on, command.values[call.value], None)
        statuses = {status for refusal in call.refusals(state) for status in refusal.statuses}
        successes = self.catalog.successes(command.operation)
        expect = Successes(successes) if due == "done" else statuses | set(successes) if due == "either" else statuses
        answer: Answer = command.send(self, call.on, command.values[call.value], expect)
        if not answer.succeeded:
            self._check_error(call, state, answer)
        return call.after(state) if answer.succeeded else state, answer

    def _check_error(self, call: CommandCall, state: ModelState, answer: Answer) -> None:
        """Check the code or type of a refusal, where every condition with its status states some."""
        due = [refusal.errors for refusal in call.refusals(state) if answer.status in refusal.statuses]
        if due and all(due):
            one_of(self.model.error(answer), [error for errors in due for error in errors], "the error of the refusal")

    def _compare(
        self,
        call: CommandCall,
        answer: Answer,
        before: ModelState,
        after: ModelState,
        views: Sequence[tuple[ModelView, Symbols]],
        repeated: Repetition[C] | None,
    ) -> None:
        """Compare what views show with the state. Raises Violation for the worst difference."""
        looks = [self._look(view, on, before, after) for view, on in views]
        diagnose(self.catalog.client, call, answer, [*self._answered(call, answer, before, after), *looks], repeated)

    def views(self, call: CommandCall, things: frozenset[Thing]) -> list[tuple[ModelView, Symbols]]:
        """Return the views, with their arguments, of all things that a call may concern."""
        kinds = self.model.kinds_around({kind for kind, _ in call.about} - self.model.places)
        known = {symbol for _, id in things for symbol in id}
        return [
            (view, on) for view in self.model.views if kinds & set(view.kinds) for on in view.on if known.issuperset(on)
        ]

    def _near(
        self,
        call: CommandCall,
        before: ModelState,
        after: ModelState,
        views: Sequence[tuple[ModelView, Symbols]],
        *,
        beside: bool,
    ) -> list[tuple[ModelView, Symbols]]:
        """Return the views that have to show a change, without any those of what a call names.

        With `beside` also one of each kind of things that the call does not name; without it one view of each place
        will do.
        """
        named = {(), *(id for _, id in call.about)}
        near = changing(views, before, after) or [(view, on) for view, on in views if on in named]
        if not beside:
            return list({on: (view, on) for view, on in reversed(near)}.values())[::-1]
        read = {on for _, on in near} | named
        others = {view.kinds[0]: (view, on) for view, on in reversed(views) if on not in read}
        return [*near, *others.values()]

    def shows(self, look: Observation, state: ModelState) -> bool:
        """True if a view shows a state at the place of an earlier look."""
        view = next((view for view in self.model.views if view.title == look.view), None)
        return view is not None and self._look(view, look.on, state, state).right

    def _look(self, view: ModelView, on: Symbols, before: ModelState, after: ModelState) -> Observation:
        with self.catalog.client.looking():
            shown = view.look(self, on)
        return Observation(
            view.title, on, view.shows(before, on), view.shows(after, on), shown, self.catalog.client.steps[-1]
        )

    def _answered(self, call: CommandCall, answer: Answer, before: ModelState, after: ModelState) -> list[Observation]:
        """Return the observation of an answer whose body has the content of a view; none of other answers."""
        if call.command.answered is None or not answer.succeeded or not answer.exchange.response_body:
            return []
        name, content = call.command.answered
        view = next((view for view in self.model.views if view.title == name), None)
        if view is None or view.read is None:
            return []
        on = call.on[: len(view.on[0])]
        shown = view.read(self, content(answer))
        return [
            Observation(
                call.command.operation, on, view.shows(before, on), view.shows(after, on), shown, answer.exchange
            )
        ]


@dataclass(frozen=True, slots=True)
class Repetition(Generic[C]):
    """Experiments about the last of some calls, on new objects. They leave no steps."""

    run: ModelRun[C]
    calls: Sequence[CommandCall]

    def right_before(self, looks: Sequence[Observation]) -> list[Observation]:
        """Return the looks whose views show what is due where the call is not sent; all where that is unknown."""
        found = self._tried(lambda again, state: [look for look in looks if again.shows(look, state)])
        return list(looks) if found is None else found

    def right_if_unread(self, look: Observation) -> bool:
        """True if a view shows the effect of the call where it was not read before."""
        return bool(self._tried(lambda again, state: again.shows(look, again.sent(self.calls[-1], state)[0])))

    def _tried(self, experiment: Callable[[ModelRun[C], ModelState], T]) -> T | None:
        """Return the outcome of an experiment after all calls but the last; None where it cannot be made."""
        client = self.run.catalog.client
        steps, client.steps = client.steps, []
        try:
            again = ModelRun(self.run.catalog, self.run.model)
            return experiment(again, again.prepare(self.calls[:-1]))
        except Stopped:
            raise
        except (NotTested, Violation):
            return None
        finally:
            client.steps = steps


def changing(
    views: Iterable[tuple[ModelView, Symbols]], before: ModelState, after: ModelState
) -> list[tuple[ModelView, Symbols]]:
    """Return the views that have to show something else in a later state."""
    return [(view, on) for view, on in views if view.shows(before, on) != view.shows(after, on)]


def offered(catalog: ModelCatalog, model: Model) -> Model:
    """Return the part of a model that the target offers, in the revision of the run."""
    operations = {command.operation for command in model.commands} | {view.operation for view in model.views}
    lacking = set(filter(catalog.client.lacks, operations))
    offered = (command for command in model.commands if command.operation not in lacking)
    lacking |= {command.id for command in offered if not command.offered(catalog)}
    profile = next(tested for tested in catalog.target.profile.tested_by() if tested.api == model.api)
    return _part(model, frozenset(lacking), profile)


@cache
def _part(model: Model, lacking: frozenset[str], profile: Profile) -> Model:
    return model.without(lacking, clauses_of(profile).keys())
