"""Templates of requirements that several APIs share: a template is the test, an API declares id and clause.

    @template("wire.{}", must, clause="responses-declared", kind="wire")
    def answers_match_document(suite: Suite, case: Operation) -> None:
        \"\"\"Every response of {} has a declared status, media type and a body that matches its schema.\"\"\"

In conformance/<api>/requirements/test_wire.py, one line declares it for all operations of the API:

    test_answers_match_document = wire.answers_match_document.declare(__name__, OPERATIONS)

An API may declare it with a statement and a level of its own. The test itself exists only once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import ANY_WORLD, Declaration, Test, since_of
from conformance.values.worlds import Pins


@dataclass(frozen=True, slots=True)
class Template:
    """Test that APIs declare as their requirement. `id` follows the name of the API; `level` is must, should or may.

    With `reads` a read-only run tests it on existing objects; `world` are the values that it bears, and `twin` says
    that it compares what several operations show: see Requirement.
    """

    test: Test
    id: str
    level: Declaration
    clause: str
    kind: str
    reads: bool
    world: Pins
    twin: bool

    def declare(
        self,
        module: str,
        each: Mapping[str, Any],
        *,
        id: str = "",
        level: Declaration | None = None,
        clause: str | Callable[[Any], str] = "",
        statement: str = "",
        needs: Sequence[str] = (),
        reads: bool | None = None,
        world: Pins | None = None,
        since: str | Callable[[Any], str] = since_of,
    ) -> Test:
        """Declare one requirement of an API for each case, and return the test.

        `module` is the module of the declaration, which assigns the test to the name test_ + the template's name.
        Arguments that are not given come from the template. A case may have its own `clause`, `statement`, `needs`
        and `world`.
        """
        declared = (level or self.level)(
            f"{module.split('.')[1]}.{id or self.id}",
            clause=lambda case: getattr(case, "clause", clause(case) if callable(clause) else clause or self.clause),
            kind=self.kind,
            each=each,
            needs=lambda case: getattr(case, "needs", needs),
            statement=lambda case: getattr(case, "statement", statement or self.test.__doc__),
            where=f"{module}:test_{self.test.__name__}",
            reads=self.reads if reads is None else reads,
            world=lambda case: getattr(case, "world", self.world if world is None else world),
            twin=self.twin,
            since=since,
        )
        return declared(self.test)


def template(
    id: str,
    level: Declaration,
    *,
    clause: str = "",
    kind: str = "behaviour",
    reads: bool = False,
    world: Pins = ANY_WORLD,
    twin: bool = False,
) -> Callable[[Test], Template]:
    """Make a template of a test. The docstring of the test is the statement unless a case has one."""

    def make(test: Test) -> Template:
        return Template(test, id, level, clause, kind, reads, world, twin)

    return make
