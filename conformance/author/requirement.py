"""A requirement: one statement about a server, with a permanent id, a level and a test.

    @must("lance.namespace.create.conflict", operations=["CreateNamespace"], clause="create-mode-create")
    def test_create_existing_namespace(catalog: LanceCatalog) -> None:
        \"\"\"CreateNamespace on an existing name returns 409 with code 2.\"\"\"

The first line of the docstring is the statement shown in reports. With `each` one function states the same for several
cases: every key makes a requirement. `{}` is replaced by the key in the id and the clause, and in the statement by the
case's own `id`, or the key in words. A case has `operations`, or is an operation of the document, unless the decorator
names them; one that not all revisions include has `since`. `@given` below it draws further arguments, as in Hypothesis.
With `reads=True` a read-only run tests it on existing objects: it must hold for any object, whoever created it, and
send nothing that writes. A requirement is tested in drawn worlds, too (conformance/values/worlds.py); `world={"state":
("new",)}` names the values that it supports, for one that takes more for granted than the objects that it
creates. With `twin=True` drawn worlds go to it first: its test sees each of its operations take effect through the
others. A statement shared by several APIs is a template (common/template.py), which provides the statement and the
place of its declaration.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

from conformance.values.kinds import EVERY_KIND
from conformance.values.requirement import ID, Level, Requirement
from conformance.values.worlds import Pins

if TYPE_CHECKING:
    import pytest
    from hypothesis.strategies import SearchStrategy

    from conformance.author.suite import Suite

MARK = "lakeproof_requirement"
CASE, STRATEGIES = "case", "strategies"
ANY_WORLD: Pins = {}
Test = Callable[..., None]
Declaration = Callable[..., Callable[[Test], Test]]


REQUIREMENTS: dict[str, Requirement] = {}
CODE: dict[str, CodeType] = {}  # of their tests


def requirement_of(item: pytest.Item) -> Requirement | None:
    """Return the requirement of a test item, None for any other test."""
    marker = item.get_closest_marker(MARK)
    return marker.args[0] if marker else None


def given(**strategies: SearchStrategy[Any]) -> Callable[[Test], Test]:
    """Draw these arguments of the test; the depth of the run limits the number of examples."""

    def decorate(function: Test) -> Test:
        function.__dict__[STRATEGIES] = strategies
        return function

    return decorate


def operations_of(case: Any) -> Sequence[str]:
    """Return the operations of a case: its `operations`, or its `id` alone."""
    return getattr(case, "operations", None) or [case.id]


def since_of(case: Any) -> str:
    """Return the first revision that includes a case, "" for all."""
    return getattr(case, "since", "")


def _decorator(level: Level | Callable[[Any], Level]) -> Declaration:
    def declare(
        requirement_id: str,
        *,
        operations: Sequence[str] | Callable[[Any], Sequence[str]] = operations_of,
        clause: str | Callable[[Any], str],
        kind: str = "behaviour",
        each: Mapping[str, Any] | None = None,
        needs: Sequence[str] | Callable[[Any], Sequence[str]] = (),
        since: str | Callable[[Any], str] = since_of,
        statement: Callable[[Any], str] | None = None,
        where: str = "",
        reads: bool = False,
        world: Pins | Callable[[Any], Pins] = ANY_WORLD,
        twin: bool = False,
    ) -> Callable[[Test], Test]:
        if kind not in EVERY_KIND:
            raise ValueError(f"{requirement_id}: unknown kind {kind!r}")

        def decorate(function: Test) -> Test:
            cases = each if each is not None else {"": None}
            declared = {
                key: _register(
                    Requirement(
                        requirement_id.replace("{}", key),
                        level(value) if callable(level) else level,
                        kind,
                        tuple(operations(value) if callable(operations) else operations),
                        clause(value) if callable(clause) else clause.replace("{}", key),
                        _statement((statement(value) if statement else function.__doc__) or "", key, value),
                        where or f"{function.__module__}:{function.__name__}",
                        tuple(need.replace("{}", key) for need in (needs(value) if callable(needs) else needs)),
                        since(value) if callable(since) else since,
                        kind == "model" or STRATEGIES in function.__dict__,
                        reads or kind == "wire",
                        world(value) if callable(world) else world,
                        twin,
                    )
                )
                for key, value in cases.items()
            }
            return _as_test(function, declared, each)

        return decorate

    return declare


must = _decorator("MUST")
should = _decorator("SHOULD")
may = _decorator("MAY")


def leveled(level: Callable[[Any], Level]) -> Declaration:
    """Return a decorator whose requirements have a level for each case."""
    return _decorator(level)


def _statement(text: str, key: str, case: Any) -> str:
    label = getattr(case, "id", key.replace("_", " "))
    return text.strip().splitlines()[0].replace("{}", label)


def _register(requirement: Requirement) -> Requirement:
    if not re.fullmatch(ID, requirement.id):
        raise ValueError(f"{requirement.id}: an id is lowercase, its parts separated by dots")
    known = REQUIREMENTS.setdefault(requirement.id, requirement)
    if known.where != requirement.where:
        raise ValueError(f"the requirement {known.id} is declared twice: {known.where} and {requirement.where}")
    return requirement


def _as_test(function: Test, declared: Mapping[str, Requirement], each: Mapping[str, Any] | None) -> Test:
    """Return the test for pytest: a function with the fixtures but not the drawn arguments, run by the suite."""
    import pytest  # noqa: PLC0415 - slow to import, and commands that only read requirements need none

    CODE.update({requirement.id: function.__code__ for requirement in declared.values()})
    strategies: Mapping[str, SearchStrategy[Any]] = function.__dict__.get(STRATEGIES, {})
    parameters = inspect.signature(function, eval_str=False).parameters
    fixtures = [parameter for name, parameter in parameters.items() if name not in strategies]

    def test(suite: Suite, **arguments: Any) -> None:
        arguments = {name: suite.as_documented(value) for name, value in arguments.items()}
        suite.run(function, {"suite": suite, **arguments} if "suite" in parameters else arguments, strategies)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    wanted = {"suite": inspect.Parameter("suite", kind)} | {
        parameter.name: parameter.replace(kind=kind) for parameter in fixtures
    }
    test.__signature__ = inspect.Signature(list(wanted.values()))  # type: ignore[attr-defined]
    test.__name__, test.__doc__, test.__module__ = function.__name__, function.__doc__, function.__module__
    if each is None:
        marked: Test = pytest.mark.lakeproof_requirement(declared[""])(test)
        return marked
    cases = [
        pytest.param(value, id=key, marks=pytest.mark.lakeproof_requirement(declared[key]))
        for key, value in each.items()
    ]
    parametrized: Test = pytest.mark.parametrize(CASE, cases)(test)
    return parametrized
