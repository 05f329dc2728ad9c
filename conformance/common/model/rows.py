"""The parts of a model of an API: things and their state, commands that change it, and views that show it.

A model is data. Things have symbols for names ("principal 1"): the engine gives them names of the run. A state is a
value, and the effect of a command is a function from one state to the next. Nothing here sends a request: rows hold
the functions that do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from conformance.values.outcomes import Unoffered
from specs.clauses import Clause, clauses

Symbols = tuple[str, ...]
Thing = tuple[str, Symbols]  # its kind and its id
Fields = Mapping[str, Any]
MISSING = "missing"  # what a view shows of a thing that is not there
Due = Literal["done", "refused", "either"]


@dataclass(frozen=True)
class ModelState:
    """The things that are there with what they hold, and those that were there before."""

    things: Mapping[Thing, Fields] = field(default_factory=dict)
    ended: frozenset[Thing] = frozenset()

    def has(self, thing: Thing) -> bool:
        """True for a thing that is there."""
        return thing in self.things

    def of(self, kind: str, place: Symbols = ()) -> list[Symbols]:
        """Return the ids of all things of a kind, sorted; only those that begin with a `place`."""
        return sorted(id for known, id in self.things if known == kind and id[: len(place)] == place)

    def fields(self, thing: Thing) -> Fields:
        """Return the fields of a thing. Raises KeyError without it."""
        return self.things[thing]

    def shown(self, thing: Thing) -> Any:
        """Return the fields of a thing as a view shows them, or MISSING."""
        return dict(self.things[thing]) if thing in self.things else MISSING

    def put(self, thing: Thing, **fields: Any) -> ModelState:
        """Return the state with a thing that holds these fields and no others."""
        return replace(self, things={**self.things, thing: fields})

    def less(self, gone: Collection[Thing]) -> ModelState:
        """Return the state after the end of things."""
        ended = {thing for thing in gone if thing in self.things}
        left = {thing: fields for thing, fields in self.things.items() if thing not in ended}
        return ModelState(left, self.ended | ended)

    def changed(self, after: ModelState) -> set[Thing]:
        """Return the things that a later state lacks, has besides, or has with other fields."""
        both = self.things.keys() | after.things.keys()
        return {thing for thing in both if self.things.get(thing) != after.things.get(thing)}

    @cached_property
    def key(self) -> frozenset[Any]:
        """A value that is equal for equal states."""
        held = (("there", thing, repr(sorted(fields.items()))) for thing, fields in self.things.items())
        return frozenset([*held, *(("ended", thing, "") for thing in self.ended)])


@dataclass(frozen=True, slots=True)
class ModelKind:
    """Kind of things: the ids that the model has of it, and the things that one hangs on, with which it ends."""

    ids: Sequence[Symbols]
    hangs_on: Callable[[Symbols], Sequence[Thing]] = lambda _: ()


def two(kind: str) -> tuple[Symbols, Symbols]:
    """Return the ids of two things of a kind that have a name alone."""
    return (f"{kind} 1",), (f"{kind} 2",)


def end(kinds: Mapping[str, ModelKind], state: ModelState, thing: Thing) -> ModelState:
    """Return the state after the end of a thing and of all that hangs on it, at any distance."""
    gone = [thing]
    for one in gone:
        gone += [known for known in state.things if known not in gone and one in kinds[known[0]].hangs_on(known[1])]
    return state.less(gone)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Condition in which a command is refused, with a name for ids and words behind the operation.

    `holds` takes the state, the arguments and the value of a call. `statuses` are those of the refusal, and `clause`
    states it; `harmless` is the clause that a refused command changes nothing, where it has another level. Of an
    `optional` one the server decides; `rather` is the clause that the command is done all the same, if one says so.
    `errors` are the codes or types that its body may have, as `Model.error` returns them; without them any will do.
    """

    name: str
    words: str
    statuses: Sequence[int]
    clause: str
    holds: Callable[[ModelState, Symbols, Any], bool]
    harmless: str = ""
    optional: bool = False
    rather: str = ""
    errors: Collection[Any] = ()


def taken(
    thing: Callable[[Symbols], Thing],
    words: str,
    clause: str,
    name: str = "taken",
    *,
    harmless: str = "",
    errors: Collection[Any] = (),
) -> Refusal:
    """Return the refusal of a name that a thing has: 409."""
    return Refusal(
        name, words, (409,), clause, lambda state, on, _: state.has(thing(on)), harmless=harmless, errors=errors
    )


def again(
    thing: Callable[[Symbols], Thing], words: str, statuses: Sequence[int], clause: str, rather: str = ""
) -> Refusal:
    """Return the refusal of a name that a thing had before, which a server may also give again."""
    return Refusal(
        "again",
        words,
        statuses,
        clause,
        lambda state, on, _: thing(on) in state.ended and not state.has(thing(on)),
        optional=True,
        rather=rather,
    )


@dataclass(frozen=True, slots=True)
class Precondition:
    """Thing that has to be there for a command: without it the command is refused as by a Refusal.

    Without a `clause` no requirement follows: another command is refused for the same reason.
    """

    thing: Callable[[Symbols], Thing]
    clause: str
    words: str
    name: str = MISSING
    statuses: Sequence[int] = (404,)
    errors: Collection[Any] = ()

    def refusal(self) -> Refusal:
        """Return the refusal of a command without the thing."""
        return Refusal(
            self.name,
            self.words,
            self.statuses,
            self.clause,
            lambda state, on, _: not state.has(self.thing(on)),
            errors=self.errors,
        )


@dataclass(frozen=True, slots=True)
class ModelView:
    """Reading operation: what it shows.

    `kinds` are those of the things that an answer depends on, first the one that it is about, `on` the arguments that
    the model knows. `shows` returns what an answer has to show in a state, as JSON with symbols for names, and `look`
    what the server shows in this form. `read` does so for another answer with the same content.
    """

    operation: str
    kinds: Sequence[str]
    on: Sequence[Symbols]
    shows: Callable[[ModelState, Symbols], Any]
    look: Callable[[Any, Symbols], Any]
    name: str = ""
    read: Callable[[Any, Any], Any] | None = None

    @property
    def title(self) -> str:
        """The operation, with the name of the view where one operation has several."""
        return f"{self.operation} ({self.name})" if self.name else self.operation


@dataclass(frozen=True)
class Command:
    """Writing operation: when it is refused, and what it does.

    `id` is its name in ids of requirements, `on` the arguments that the model knows, `values` what a call sends beside
    them, by a label. `makes` is the thing that comes into being, `needs` those that have to be there, and `names` those
    that it is about whether they are there or not, as functions of the arguments. `effect` is the state after a call
    that was done, which `clause` states. `send` sends a call and expects the given statuses. `answered` names a view
    whose content an answer shows, and takes it from the answer. `exclusive` is the clause that only one of several
    equal calls is done, where it is another one. With `prepares` false no plan reaches a state by it: a server may lack
    it. `offered` takes the catalog: it is false for a server that offers the operation without what the command needs
    of it. `like` is the id of the command that stands for it in pairs with commands that are not like that one.
    """

    id: str
    operation: str
    clause: str
    on: Sequence[Symbols]
    send: Callable[[Any, Symbols, Any, Any], Any]
    effect: Callable[[ModelState, Symbols, Any], ModelState]
    needs: Sequence[Precondition] = ()
    makes: Callable[[Symbols], Thing] | None = None
    refusals: Sequence[Refusal] = ()
    values: Mapping[str, Any] = field(default_factory=lambda: {"": None})
    answered: tuple[str, Callable[[Any], Any]] | None = None
    exclusive: str = ""
    names: Callable[[Symbols], Sequence[Thing]] = lambda _: ()
    prepares: bool = True
    offered: Callable[[Any], bool] = lambda _: True
    like: str = ""

    def __hash__(self) -> int:
        return hash(self.id)

    def stands_beside(self, other: Command) -> bool:
        """True unless other commands stand for them in pairs."""
        return not (self.like or other.like) or (self.like or self.id) == (other.like or other.id)

    def about(self, on: Symbols) -> list[Thing]:
        """Return the things that a call names."""
        made = [self.makes(on)] if self.makes else []
        return [*made, *(need.thing(on) for need in self.needs), *self.names(on)]

    @cached_property
    def every_refusal(self) -> list[Refusal]:
        """The conditions in which it is refused."""
        return [*(need.refusal() for need in self.needs), *self.refusals]


@dataclass(frozen=True, slots=True)
class CommandCall:
    """One use of a command, with its arguments and the label of its value."""

    command: Command
    on: Symbols
    value: str = ""

    def __str__(self) -> str:
        words = ", ".join([*self.on, *([self.value] if self.value else [])])
        return f"{self.command.id}({words})"

    @property
    def about(self) -> list[Thing]:
        """The things that it names."""
        return self.command.about(self.on)

    def refusals(self, state: ModelState) -> list[Refusal]:
        """Return the conditions that hold in a state."""
        value = self.command.values[self.value]
        return [refusal for refusal in self.command.every_refusal if refusal.holds(state, self.on, value)]

    def due(self, state: ModelState) -> Due:
        """Return its due outcome in a state; "either" where the server decides."""
        refusals = self.refusals(state)
        if any(not refusal.optional for refusal in refusals):
            return "refused"
        return "either" if refusals else "done"

    def after(self, state: ModelState) -> ModelState:
        """Return the state after it was done."""
        return self.command.effect(state, self.on, self.command.values[self.value])

    def next(self, state: ModelState) -> ModelState:
        """Return the state after it, where it is certain whether it is done."""
        return self.after(state) if self.due(state) == "done" else state


@dataclass(frozen=True)
class Model:
    """The model of an API: kinds of things, commands and views.

    `given` are the things that are there before any command, with what they hold; those that hold nothing are places,
    which no command changes. `named` returns the name of the run for a symbol. Of several ways to a state a plan takes
    the one whose commands stand first. `renewed` are the kinds whose things get new names after their end, since a
    server may refuse the former ones, and `traces` those that only tell what had a name before. `error` returns the
    code or type of an answer that refuses, for rows that state it.
    """

    api: str
    kinds: Mapping[str, ModelKind]
    commands: Sequence[Command]
    views: Sequence[ModelView]
    named: Callable[[Any, str], Any]
    given: Mapping[Thing, Fields] = field(default_factory=dict)
    renewed: Collection[str] = ()
    traces: Collection[str] = ()
    error: Callable[[Any], Any] = lambda _: None

    def __hash__(self) -> int:
        return hash(self.api)

    @property
    def start(self) -> ModelState:
        """The state before any command."""
        return ModelState(self.given)

    @property
    def places(self) -> set[str]:
        """The kinds of the given things that hold nothing."""
        return {kind for (kind, _), fields in self.given.items() if not fields}

    def clause(self, id: str) -> Clause:
        """Return a clause of the API."""
        return clauses(self.api)[id]

    def command(self, id: str) -> Command:
        """Return a command. Raises Unoffered for one that this part of the model lacks."""
        found = next((command for command in self.commands if command.id == id), None)
        if found is None:
            raise Unoffered(f"the model has no {id} here")
        return found

    def calls(self, command: Command) -> list[CommandCall]:
        """Return every call of a command that the model knows."""
        return [CommandCall(command, on, value) for on in command.on for value in command.values]

    def parents(self, kind: str) -> list[str]:
        """Return the kinds of the things that one of a kind hangs on."""
        ids = self.kinds[kind].ids
        return [parent for parent, _ in self.kinds[kind].hangs_on(ids[0])] if ids else []

    def hangs(self, thing: Thing, other: Thing | None) -> bool:
        """True for a thing that is the other one, or that hangs on it at any distance."""
        return thing == other or any(self.hangs(parent, other) for parent in self.kinds[thing[0]].hangs_on(thing[1]))

    def is_linked(self, thing: Thing) -> bool:
        """True for a thing that hangs on others than the given ones."""
        kind, id = thing
        return any(parent not in self.given for parent in self.kinds[kind].hangs_on(id))

    def is_link(self, call: CommandCall) -> bool:
        """True for a call that makes or ends a link: a thing that hangs on several others."""
        kinds = (name for name, kind in self.kinds.items() if call.on in kind.ids)
        return len(call.on) > 1 and any(self.is_linked((name, call.on)) for name in kinds)

    def kinds_around(self, kinds: Collection[str]) -> set[str]:
        """Return kinds and those whose things hang on them."""
        return {*kinds, *(name for name in self.kinds if set(kinds) & set(self.parents(name)))}

    def without(self, lacking: Collection[str], clauses: Collection[str]) -> Model:
        """Return the model without the commands and operations that a server lacks, and with these clauses alone."""
        commands = [
            replace(command, refusals=[refusal for refusal in command.refusals if refusal.clause in clauses])
            for command in self.commands
            if not {command.operation, command.id} & {*lacking}
        ]
        return replace(self, commands=commands, views=[view for view in self.views if view.operation not in lacking])
