"""A requirement: one statement about a server, with an id for life, a level and a test.

    @must("lance.namespace.create.conflict", operations=["CreateNamespace"], clause="create-mode-create")
    def test_create_existing_namespace(catalog: LanceCatalog) -> None:
        \"\"\"Creating a namespace that exists is refused with 409 and code 2.\"\"\"

The first line of the docstring is the statement that reports show. With `each` one function states
the same for several cases: every key makes a requirement, and `{}` stands for it in the id and the clause, and for
the case's own `id`, or the key in words, in the statement. A case says what its `operations` are, or is one of the
document's, unless the decorator says it. `@given` below it draws further arguments, as in Hypothesis.
What several APIs state is a template (common/template.py), which gives the statement and the place of its declaration.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any, Literal

from conformance.values.kinds import EVERY_KIND

if TYPE_CHECKING:
    import pytest
    from hypothesis.strategies import SearchStrategy

    from conformance.author.suite import Suite

VIEWS = ("spark", "fuzz")  # suites that look at an API through something else: their ids start with their name
Level = Literal["MUST", "SHOULD", "MAY"]
MARK = "lakeproof_requirement"
ID = r"^[a-z0-9_]+(\.[a-z0-9_-]+)+$"  # the form of ids, in results too
CASE, STRATEGIES = "case", "strategies"
Test = Callable[..., None]
Declaration = Callable[..., Callable[[Test], Test]]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One requirement.

    `operations` are its subjects: what else its test calls is a prerequisite. `needs` are requirements
    without which it says nothing new: where one of them is not met, it is blocked by it. `since` is the first revision
    of its API by which it is tested, "" for all. `drawn` tells whether its test draws arguments, or commands.
    """

    id: str
    level: Level
    kind: str
    operations: tuple[str, ...]
    clause: str
    statement: str
    where: str
    needs: tuple[str, ...] = ()
    since: str = ""
    drawn: bool = False

    @property
    def suite(self) -> str:
        """Whose requirement it is, and whose clauses it follows: the first part of its id."""
        return self.id.partition(".")[0]

    @property
    def api(self) -> str:
        """The API that the requirement is about: the first part of its id, or the second behind a view."""
        return self.id.split(".")[self.suite in VIEWS]

    @property
    def resource(self) -> str:
        """What the requirement is about: the part of its id behind the API."""
        return self.id.split(".")[1 + (self.suite in VIEWS)]


REQUIREMENTS: dict[str, Requirement] = {}
CODE: dict[str, CodeType] = {}  # of their tests


def requirement_of(item: pytest.Item) -> Requirement | None:
    """Return the requirement that an item judges, None for any other test."""
    marker = item.get_closest_marker(MARK)
    return marker.args[0] if marker else None


def given(**strategies: SearchStrategy[Any]) -> Callable[[Test], Test]:
    """Draw these arguments of the test; the suite decides how many examples a run can afford."""

    def decorate(function: Test) -> Test:
        function.__dict__[STRATEGIES] = strategies
        return function

    return decorate


def operations_of(case: Any) -> Sequence[str]:
    """Return the operations that a case is about: it is one, or names one by its `id`, or has several."""
    return getattr(case, "operations", None) or [case.id]


def _decorator(level: Level) -> Declaration:
    def declare(
        requirement_id: str,
        *,
        operations: Sequence[str] | Callable[[Any], Sequence[str]] = operations_of,
        clause: str | Callable[[Any], str],
        kind: str = "behaviour",
        each: Mapping[str, Any] | None = None,
        needs: Sequence[str] | Callable[[Any], Sequence[str]] = (),
        since: str = "",
        statement: Callable[[Any], str] | None = None,
        where: str = "",
    ) -> Callable[[Test], Test]:
        if kind not in EVERY_KIND:
            raise ValueError(f"{requirement_id}: there is no kind {kind!r}")

        def decorate(function: Test) -> Test:
            cases = each if each is not None else {"": None}
            declared = {
                key: _register(
                    Requirement(
                        requirement_id.replace("{}", key),
                        level,
                        kind,
                        tuple(operations(value) if callable(operations) else operations),
                        clause(value) if callable(clause) else clause.replace("{}", key),
                        _statement((statement(value) if statement else function.__doc__) or "", key, value),
                        where or f"{function.__module__}:{function.__name__}",
                        tuple(need.replace("{}", key) for need in (needs(value) if callable(needs) else needs)),
                        since,
                        kind == "model" or STRATEGIES in function.__dict__,
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


def _statement(text: str, key: str, case: Any) -> str:
    label = getattr(case, "id", key.replace("_", " "))
    return text.strip().splitlines()[0].replace("{}", label)


def _register(requirement: Requirement) -> Requirement:
    if not re.fullmatch(ID, requirement.id):
        raise ValueError(f"{requirement.id}: ids are in small letters, their parts with dots between them")
    known = REQUIREMENTS.setdefault(requirement.id, requirement)
    if known.where != requirement.where:
        raise ValueError(f"the requirement {known.id} is declared twice: {known.where} and {requirement.where}")
    return requirement


def _as_test(function: Test, declared: Mapping[str, Requirement], each: Mapping[str, Any] | None) -> Test:
    """Return what pytest collects: the test's fixtures without its drawn arguments, run by the suite."""
    import pytest  # noqa: PLC0415 - whoever only reads about requirements need not wait

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
