"""The requirements that follow from a model: effects, refusals, and commands that follow each other.

    test_effect = effect.declare(__name__, effects_of(MODEL))

The level and the first revision of each come from the clause of its row.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from random import Random

from conformance.author.requirement import leveled
from conformance.author.suite import Suite
from conformance.common.model.planning import (
    Plan,
    effects,
    life,
    pairs,
    refusals,
    refused_from,
    sequence_from,
    sequences,
)
from conformance.common.model.races import race_plan, races, run_race
from conformance.common.model.rows import Command, Model, Refusal
from conformance.common.model.running import Mode, ModelCatalog, ModelRun, offered
from conformance.common.model.sharing import Planned, SharedStarts
from conformance.common.model.walks import LENGTHS, run_walk, walk
from conformance.common.template import template
from conformance.values.outcomes import Unoffered
from conformance.values.requirement import Level

UNPREPARED = "the server offers nothing that prepares it"
LEVELS: Mapping[str, Level] = {"MUST": "MUST", "SHOULD": "SHOULD", "MAY": "MAY"}
by_clause = leveled(lambda case: case.level or LEVELS[case.model.clause(case.clause).level])
Planner = Callable[[Model, Sequence[Command], str], list[Plan]]


@dataclass(frozen=True, slots=True)
class ModelCase:
    """One requirement of a model: the commands that it is about, its clause, and its statement.

    `condition` is the name of a refusal, or the kind of a life. `operations` are those of its commands and of the views
    that show them. `needs` are requirements that state the same for one command alone. `level` is another one than that
    of the clause.
    """

    model: Model
    commands: Sequence[str]
    clause: str
    statement: str
    operations: Sequence[str]
    condition: str = ""
    needs: Sequence[str] = ()
    level: Level | None = None

    @property
    def since(self) -> str:
        """The first revision in which it holds."""
        return self.model.clause(self.clause).since


@cache
def _plans(planner: Planner, model: Model, commands: tuple[str, ...], condition: str) -> list[Plan]:
    """Return the plans of a requirement on the part of a model that a target offers."""
    return planner(model, [model.command(id) for id in commands], condition)


def _of_effect(model: Model, commands: Sequence[Command], _: str) -> list[Plan]:
    return effects(model, commands[0])


def _of_life(model: Model, _: Sequence[Command], kind: str) -> list[Plan]:
    return life(model, kind)


def _of_refusal(model: Model, commands: Sequence[Command], condition: str) -> list[Plan]:
    return refusals(model, commands[0], condition)


def _of_pair(model: Model, commands: Sequence[Command], _: str) -> list[Plan]:
    return sequences(model, *commands)


def _run(catalog: ModelCatalog, case: ModelCase, planner: Planner, mode: Mode = "due") -> None:
    """Run the plans of a requirement, each with names of its own. Raises Unoffered for a target that leaves none."""
    model, _ = _offered(catalog, case)
    _run_plans(catalog, case, _needed(_plans(planner, model, tuple(case.commands), case.condition)), mode)


def _run_plans(catalog: ModelCatalog, case: ModelCase, plans: Sequence[Plan], mode: Mode = "due") -> None:
    for plan in plans:
        ModelRun(catalog, case.model).send(plan, mode)


def _run_in_turn(suite: Suite, catalog: ModelCatalog, case: ModelCase, plans: Sequence[Plan], planned: Planned) -> None:
    """Run the first plan from a shared start where it passes there, and the others with names of their own."""
    shared = suite.shared.setdefault(SharedStarts, SharedStarts())
    passed = shared.pass_in_turn(suite, catalog, case.model, next(iter(plans), None), planned)
    if passed and plans[1:]:
        catalog.begin_example()  # else the steps of a finding lack what made the home
    _run_plans(catalog, case, plans[1:] if passed else plans)
    shared.show_failure(catalog, case.model)


def _needed(plans: list[Plan]) -> list[Plan]:
    """Return the plans of a requirement. Raises Unoffered without any."""
    if not plans:
        raise Unoffered(UNPREPARED)
    return plans


def _offered(catalog: ModelCatalog, case: ModelCase) -> tuple[Model, list[Command]]:
    """Return the part of the model that the target offers, with the commands. Raises Unoffered without one of these."""
    for id in case.commands:
        catalog.client.require(case.model.command(id).operation)
    model = offered(catalog, case.model)
    return model, [model.command(id) for id in case.commands]


@template("effect.{}", by_clause)
def effect(catalog: ModelCatalog, case: ModelCase) -> None:
    """After {} succeeds, every operation that shows its object shows its effect, and no other change."""
    model, _ = _offered(catalog, case)
    *alone, beside = _needed(_plans(_of_effect, model, tuple(case.commands), case.condition))
    _run_plans(catalog, case, alone)
    _run_plans(catalog, case, [beside], "wide")


@template("life.{}", by_clause, twin=True)
def lives(catalog: ModelCatalog, case: ModelCase) -> None:
    """The operations that show an object agree on it after its creation, after each change and after its end."""
    _run(catalog, case, _of_life, "seen")


@template("refusal.{}", by_clause, kind="error")
def refusal(suite: Suite, catalog: ModelCatalog, case: ModelCase) -> None:
    """{} is refused, and changes nothing."""
    model, (command,) = _offered(catalog, case)
    plans = _needed(_plans(_of_refusal, model, tuple(case.commands), case.condition))
    _run_in_turn(suite, catalog, case, plans, partial(refused_from, model, command, case.condition))


@template("refusal.harmless.{}", by_clause, kind="error")
def harmless(catalog: ModelCatalog, case: ModelCase) -> None:
    """{} changes nothing, whatever its answer is."""
    _run(catalog, case, _of_refusal, "harmless")


@template("accepted.{}", by_clause)
def accepted(catalog: ModelCatalog, case: ModelCase) -> None:
    """{} is done, although a server may refuse it."""
    _run(catalog, case, _of_refusal, "accepted")


@template("after.{}", by_clause)
def after(suite: Suite, catalog: ModelCatalog, case: ModelCase) -> None:
    """{} does what it does elsewhere, on the same object and beside it."""
    model, (first, second) = _offered(catalog, case)
    plans = _plans(_of_pair, model, tuple(case.commands), case.condition)
    _run_in_turn(suite, catalog, case, plans, partial(sequence_from, model, first, second))


@template("race.{}", by_clause, kind="race")
def concurrent(suite: Suite, catalog: ModelCatalog, case: ModelCase) -> None:
    """Some order of concurrent requests explains their answers and the state after them."""
    model, commands = _offered(catalog, case)
    plan = race_plan(model, *commands)
    if plan is None:
        raise Unoffered(UNPREPARED)
    run_race(suite, catalog, case.model, plan)


@template("walk.{}", by_clause, kind="model")
def random_walk(suite: Suite, catalog: ModelCatalog, case: ModelCase) -> None:
    """In random sequences of commands each has its due effect or refusal, and no other."""
    model = offered(catalog, case.model)
    left_out = {name for name in case.commands if f"{case.model.api}.effect.{name}" in suite.unmet}
    left_out |= {name for name in refusals_of(case.model) if f"{case.model.api}.refusal.{name}" in suite.unmet}
    walks, length = LENGTHS[suite.settings.depth]
    random = Random(suite.settings.seed if suite.settings.depth == "deep" else 0)  # noqa: S311 - no secret
    for _ in range(walks):
        run_walk(catalog, model, walk(model, length, random, left_out))


def walks_of(
    model: Model, clause: str, operations: Sequence[str] = (), level: Level = "SHOULD"
) -> dict[str, ModelCase]:
    """Return the case of `random_walk`: one for the whole model; `clause` says that views agree.

    A server needs these operations, by default those of all commands.
    """
    ids = [command.id for command in model.commands]
    return {
        "all": ModelCase(
            model,
            ids,
            clause,
            "In random sequences of commands each has its due effect or refusal, and no other.",
            operations or list(dict.fromkeys(command.operation for command in model.commands)),
            needs=[*_effects(model, *model.commands), *(f"{model.api}.refusal.{name}" for name in refusals_of(model))],
            level=level,
        )
    }


def effects_of(model: Model) -> dict[str, ModelCase]:
    """Return the cases of `effect`: one for each command."""
    return {
        command.id: ModelCase(
            model,
            [command.id],
            command.clause,
            f"After {command.operation} succeeds, every operation that shows its object shows its effect and no other "
            "change.",
            [command.operation, *_views(model, [command])],
        )
        for command in model.commands
    }


def lives_of(model: Model, kinds: Mapping[str, str] | None = None) -> dict[str, ModelCase]:
    """Return the cases of `lives`, which are tested in worlds first: one for each kind whose things change.

    `kinds` are these kinds, each with the clause that its operations agree. By default they are all kinds of the model,
    by the clauses of their first commands.
    """
    cases: dict[str, ModelCase] = {}
    for kind, clause in (kinds or dict.fromkeys(model.kinds, "")).items():
        for plan in life(model, kind):
            commands = list(dict.fromkeys(plan.calls[place].command for place in sorted(plan.subjects)))
            cases[kind.replace(" ", "_")] = ModelCase(
                model,
                [command.id for command in commands],
                clause or commands[0].clause,
                f"The operations that show a {kind} agree after its creation, after each change and after its end.",
                list(dict.fromkeys([*(command.operation for command in commands), *_views(model, commands)])),
                kind,
            )
    return cases


def refusals_of(model: Model) -> dict[str, ModelCase]:
    """Return the cases of `refusal`: one for each condition in which a command is refused."""
    return _conditions(
        model,
        lambda refused: "" if refused.optional else refused.clause,
        lambda refused: f"returns {_listed(refused.statuses)} and changes nothing",
    )


def harmless_of(model: Model) -> dict[str, ModelCase]:
    """Return the cases of `harmless`: one for each condition with a clause about what is left unchanged."""
    return _conditions(model, lambda refused: refused.harmless, lambda _: "changes nothing, whatever its answer")


def accepted_of(model: Model) -> dict[str, ModelCase]:
    """Return the cases of `accepted`: one for each optional refusal with a clause that the command is done."""
    return _conditions(model, lambda refused: refused.rather, lambda _: "succeeds and has its usual effect")


def _conditions(
    model: Model, clause: Callable[[Refusal], str], outcome: Callable[[Refusal], str]
) -> dict[str, ModelCase]:
    """Return a case for each condition of a command that has a clause, with the outcome that the clause states."""
    return {
        f"{command.id}.{refused.name}": ModelCase(
            model,
            [command.id],
            clause(refused),
            f"{command.operation} {refused.words} {outcome(refused)}.",
            [command.operation],
            refused.name,
        )
        for command in model.commands
        for refused in command.every_refusal
        if clause(refused)
    }


def afters_of(model: Model) -> dict[str, ModelCase]:
    """Return the cases of `after`: one for each ordered pair of commands that concern each other."""
    return {
        f"{first.id}.{second.id}": ModelCase(
            model,
            [first.id, second.id],
            clause,
            f"After {first.operation}, {second.operation} on the same object or beside it has its due effect or "
            "refusal, and no other.",
            list(dict.fromkeys([second.operation, first.operation])),
        )
        for first, second, clause in pairs(model)
    }


def races_of(model: Model) -> dict[str, ModelCase]:
    """Return the cases of `concurrent`: one for each pair of commands that can race about one thing."""
    return {
        f"{first.id}.{second.id}": ModelCase(
            model,
            [first.id, second.id],
            first.exclusive or first.clause if first is second else first.clause,
            f"When clients send {_both(first, second)} concurrently, some order explains all answers and the state "
            "after them.",
            list(dict.fromkeys([first.operation, second.operation])),
        )
        for first, second in races(model)
    }


def _both(first: Command, second: Command) -> str:
    return first.operation if first is second else f"{first.operation} and {second.operation}"


def _effects(model: Model, *commands: Command) -> list[str]:
    """Return the requirements about the effects of commands alone: what rests on a broken one would only repeat it.

    Only those of a MUST: a server that breaks a SHOULD may conform, so none of its requirements is blocked by that.
    """
    stated = (command for command in commands if model.clause(command.clause).level == "MUST")
    return list(dict.fromkeys(f"{model.api}.effect.{command.id}" for command in stated))


def _views(model: Model, commands: Collection[Command]) -> list[str]:
    """Return the operations that show the things that commands make, change or end."""
    kinds = {kind for command in commands for kind, known in model.kinds.items() if command.on[0] in known.ids}
    return [view.operation for view in model.views if view.kinds[0] in kinds]


def _listed(statuses: Sequence[int]) -> str:
    return " or ".join(map(str, statuses))
