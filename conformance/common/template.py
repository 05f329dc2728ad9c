"""Requirements that every API has: a template says what is tested, an API under which id and by which clause.

    @template("wire.{}", must, clause="responses-declared", kind="wire")
    def answers_match_document(suite: Suite, case: Operation) -> None:
        \"\"\"Every answer of {} has a declared status, media type and a body that fits its schema.\"\"\"

In conformance/<api>/requirements/test_wire.py, one line declares it for all operations of the API:

    test_answers_match_document = wire.answers_match_document.declare(__name__, OPERATIONS)

An API may state it in its own words, at its own level. Whether it is kept is decided in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.author.requirement import Declaration, Test


@dataclass(frozen=True, slots=True)
class Template:
    """See the module. `id` is what follows the name of the API, `level` declares: must, should or may."""

    test: Test
    id: str
    level: Declaration
    clause: str
    kind: str

    def declare(
        self,
        module: str,
        each: Mapping[str, Any],
        *,
        id: str = "",
        level: Declaration | None = None,
        clause: str = "",
        statement: str = "",
        needs: Sequence[str] = (),
    ) -> Test:
        """Return the requirements of an API, one for each case, to be named test_ and the template's name there.

        `module` is that of the API's requirements. What is not given is as in the template. A case may have a `clause`
        and a `statement` of its own.
        """
        declared = (level or self.level)(
            f"{module.split('.')[1]}.{id or self.id}",
            clause=lambda case: getattr(case, "clause", clause or self.clause),
            kind=self.kind,
            each=each,
            needs=lambda case: getattr(case, "needs", needs),
            statement=lambda case: getattr(case, "statement", statement or self.test.__doc__),
            where=f"{module}:test_{self.test.__name__}",
        )
        return declared(self.test)


def template(id: str, level: Declaration, *, clause: str = "", kind: str = "behaviour") -> Callable[[Test], Template]:
    """Make a template of a test, whose docstring is the statement unless a case has one."""

    def make(test: Test) -> Template:
        return Template(test, id, level, clause, kind)

    return make
