"""Which requirements a run is about: those of some kinds, operations, clauses, or with a word in their names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.author.requirement import REQUIREMENTS
from conformance.values.kinds import KINDS
from conformance.values.requirement import Requirement
from conformance.values.results_files import results_file
from conformance.values.settings import Settings
from conformance.values.verdict import GOOD
from specs.clauses import clauses, clauses_of
from specs.openapi import Document
from specs.problems import Problem, did_you_mean
from specs.profiles import Profile

if TYPE_CHECKING:  # what few need, and takes a while to import
    from _pytest.mark.expression import Expression

    from conformance.values.results import Results


@dataclass(frozen=True)
class Scope:
    """The requirements that there are for a profile: by its suites, its document, its frozen set."""

    document: Document
    suites: Mapping[str, Profile]
    frozen: Collection[str] | None

    @classmethod
    def of(cls, profile: Profile, document: Document) -> Scope:
        """Return the scope of a profile, tested by its document or another copy of it."""
        return cls(document, {part.api: part for part in profile.tested_by()}, profile.frozen_requirements())

    def has(self, requirement: Requirement) -> bool:
        """True when servers of the profile are tested by this requirement.

        What is checked over all answers of a run is so for those operations of it that the document has.
        """
        profile = self.suites.get(requirement.api)
        if profile is None or not profile.has_reached(requirement.since):
            return False
        enough = any if requirement.kind == "wire" else all
        return enough(operation in self.document.operations for operation in requirement.operations) and (
            requirement.suite != requirement.api
            or (requirement.clause in clauses_of(profile) and (self.frozen is None or requirement.id in self.frozen))
        )


@dataclass(frozen=True)
class Selection:
    """What is wanted of the requirements of a profile; an empty part wants all.

    `ids` are the only ones that are wanted, None for all. `expression` is as in pytest -k: its words are looked for in
    the id of a requirement, its kind and the place of its test. A whole id means that requirement alone.
    """

    kinds: Collection[str] = KINDS
    operations: Collection[str] = ()
    clauses: Collection[str] = ()
    expression: Expression | None = None
    ids: Collection[str] | None = None

    def takes(self, requirement: Requirement) -> bool:
        """True when a requirement is selected."""
        return (
            requirement.kind in self.kinds
            and (not self.operations or not set(requirement.operations).isdisjoint(self.operations))
            and (not self.clauses or requirement.clause in self.clauses)
            and (self.ids is None or requirement.id in self.ids)
            and (self.expression is None or self.expression.evaluate(_Words(requirement)))
        )


class _Words:
    """What the words of an expression are compared with."""

    def __init__(self, requirement: Requirement) -> None:
        self._id = requirement.id
        self._text = "\n".join((requirement.id, requirement.kind, requirement.where)).lower()

    def __call__(self, name: str, /, **_: object) -> bool:
        return name == self._id if name in REQUIREMENTS else name.lower() in self._text


def selection_of(
    settings: Settings, document: Document, profiles: Iterable[Profile], ids: Collection[str] | None = None
) -> Selection:
    """Return what the settings select. Raises Problem for an operation or a clause that nothing has."""
    known = {clause for profile in profiles for clause in clauses(profile.api)}
    _check("operation", settings.operation, document.operations, "`lakeproof spec list` shows them all.")
    _check("clause", settings.clause, known, "`lakeproof list --json` shows the clause of each requirement.")
    if settings.last_failed:
        failed = failed_in(_last(settings.report))
        ids = failed if ids is None else failed & set(ids)
    return Selection(settings.kinds, settings.operation, settings.clause, expression_of(settings.select), ids)


def narrows(settings: Settings) -> bool:
    """True when the settings leave requirements out that a run has by default."""
    chosen = settings.operation or settings.clause or settings.select.strip() or settings.last_failed
    return bool(chosen) or not set(KINDS) <= set(settings.kinds)


def expression_of(text: str) -> Expression | None:
    """Return a compiled expression, None for none. Raises Problem for one that cannot be read."""
    if not text.strip():
        return None
    from _pytest.mark.expression import Expression  # noqa: PLC0415 - see above

    try:
        return Expression.compile(text)
    except SyntaxError as error:
        raise Problem(
            f"The expression {text!r} cannot be read: {error.msg}.", "Example: -k 'table and not rename'"
        ) from None


def failed_in(results: Results) -> set[str]:
    """Return the requirements that a run did not find to be met, could not test, or did not come to."""
    return {entry.id for entry in results.requirements if entry.verdict not in (*GOOD, "known")} | {
        *results.run.not_reached
    }


def _last(report: str) -> Results:
    if not results_file(Path(report)).exists():
        raise Problem(f"There is no earlier run in {report}.", "Run once without --last-failed, or give its --report.")
    from conformance.after.reading import read_results  # noqa: PLC0415 - see above

    return read_results(Path(report))


def _check(what: str, wanted: Iterable[str], known: Collection[str], hint: str) -> None:
    for name in wanted:
        if name not in known:
            raise Problem(f"There is no {what} {name!r}.", did_you_mean(name, known, hint))
