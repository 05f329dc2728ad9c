"""The selection of a run's requirements: by kind, operation, clause, or words of their ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.author.requirement import REQUIREMENTS
from conformance.former_ids import present_ids
from conformance.values.kinds import KINDS
from conformance.values.requirement import Requirement
from conformance.values.results_files import results_file
from conformance.values.settings import Settings
from conformance.values.verdict import GOOD
from specs.clauses import clauses, clauses_of
from specs.openapi import Document
from specs.problems import Problem, did_you_mean
from specs.profiles import Profile

ALL = "all"

if TYPE_CHECKING:  # slow to import, and rarely needed
    from _pytest.mark.expression import Expression

    from conformance.values.results import Results


@dataclass(frozen=True)
class Scope:
    """The requirements of a profile: by its suites and its document."""

    document: Document
    suites: Mapping[str, Profile]

    @classmethod
    def of(cls, profile: Profile, document: Document) -> Scope:
        """Return the scope of a profile, tested against its document or another copy of it."""
        return cls(document, {part.api: part for part in profile.tested_by()})

    def has(self, requirement: Requirement) -> bool:
        """True when the requirement applies to servers of the profile.

        A check over all answers of a run applies to those of its operations that the document has.
        """
        profile = self.suites.get(requirement.api)
        if profile is None or not profile.has_reached(requirement.since):
            return False
        enough = any if requirement.kind == "wire" else all
        return enough(operation in self.document.operations for operation in requirement.operations) and (
            requirement.suite != requirement.api or requirement.clause in clauses_of(profile)
        )


@dataclass(frozen=True)
class Selection:
    """Selection among the requirements of a profile; an empty part selects all.

    `ids` are the only selected ones, None for all. `expression` is as in pytest -k: its words are matched against the
    id of a requirement, its kind and the place of its test. A whole id selects that requirement alone, a former one
    those that took its place.
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
    """The texts of a requirement that the words of an expression are matched against."""

    def __init__(self, requirement: Requirement) -> None:
        self._id = requirement.id
        self._text = "\n".join((requirement.id, requirement.kind, requirement.where)).lower()

    def __call__(self, name: str, /, **_: object) -> bool:
        if name in REQUIREMENTS:
            return name == self._id
        return self._id in present_ids(name) or name.lower() in self._text


def selection_of(
    settings: Settings, document: Document, profiles: Iterable[Profile], ids: Collection[str] | None = None
) -> Selection:
    """Return the selection of the settings. Raises Problem for an unknown operation or clause."""
    known = {clause for profile in profiles for clause in clauses(profile.api)}
    _check("operation", settings.operation, document.operations, "`lakeproof spec list` shows them all.")
    _check("clause", settings.clause, known, "`lakeproof list --json` shows the clause of each requirement.")
    if settings.last_failed:
        failed = failed_in(_last(settings.report))
        ids = failed if ids is None else failed & set(ids)
    return Selection(settings.kinds, settings.operation, settings.clause, expression_of(settings.select), ids)


def required_operations(settings: Settings, document: Document) -> set[str]:
    """Return the operations that --require names: themselves, by their resource, or all of the document.

    Raises Problem for a name of neither an operation nor a resource.
    """
    groups: dict[str, set[str]] = {ALL: set(document.operations)}
    for operation in document.operations.values():
        groups.setdefault(operation.resource, set()).add(operation.id)
        groups[operation.id] = {operation.id}
    _check("require", settings.require, groups, "`lakeproof spec list` shows the operations and their resources.")
    return {operation for name in settings.require for operation in groups[name]}


def narrows(settings: Settings) -> bool:
    """True when the settings leave out requirements of a default run."""
    chosen = (
        settings.operation or settings.clause or settings.select.strip() or settings.last_failed or settings.read_only
    )
    return bool(chosen) or not set(KINDS) <= set(settings.kinds)


def expression_of(text: str) -> Expression | None:
    """Return a compiled expression, None for none. Raises Problem for an invalid one."""
    if not text.strip():
        return None
    from _pytest.mark.expression import Expression  # noqa: PLC0415 - see above

    try:
        return Expression.compile(text)
    except SyntaxError as error:
        raise Problem(
            f"-k: the expression {text!r} cannot be parsed: {error.msg}.", "Example: -k 'table and not rename'"
        ) from None


def failed_in(results: Results) -> set[str]:
    """Return the requirements of a run that failed, were blocked, or were not reached."""
    return {entry.id for entry in results.requirements if entry.verdict not in (*GOOD, "known")} | {
        *results.run.not_reached
    }


def _last(report: str) -> Results:
    if not results_file(Path(report)).exists():
        raise Problem(f"There is no earlier run in {report}.", "Run once without --last-failed, or give its --report.")
    from conformance.values.results import load_results  # noqa: PLC0415 - see above

    return load_results(Path(report))


def _check(what: str, wanted: Iterable[str], known: Collection[str], hint: str) -> None:
    for name in wanted:
        if name not in known:
            kind = "operation or resource" if what == "require" else what
            raise Problem(f"--{what}: unknown {kind} {name!r}.", did_you_mean(name, known, hint))
