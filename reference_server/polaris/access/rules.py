"""Rules of `privileges.toml` for one revision: conferred privileges, and privileges that a request needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from reference_server.api import RequestTarget
from reference_server.iceberg.catalog.names import changed_table
from reference_server.polaris.access.conditions import CONDITIONS, Exists, creates
from reference_server.polaris.access.targets import ROOT_PRINCIPAL_TARGET, Targets, targets_of
from reference_server.polaris.securables import ROOT, Securable, SecurableType, parent
from specs.files import read_toml
from specs.profiles import Profile

FILE = Path(__file__).parent / "privileges.toml"
UPDATE, TRANSACTION = "UPDATE_TABLE", "COMMIT_TRANSACTION"
WORD_END = re.compile(r"(?<=[a-z])(?=[A-Z])")
NOT_NAMED = frozenset({ROOT.kind, ROOT_PRINCIPAL_TARGET})  # targets that only rules use, and that always exist
Alternatives = tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class RequiredPrivilege:
    """A privilege on something."""

    privilege: str
    securable: Securable


@dataclass(frozen=True, slots=True)
class Demand:
    """Privileges for one step of a request: all of one of the alternatives. `name` is the step's name in refusals."""

    name: str
    alternatives: tuple[tuple[RequiredPrivilege, ...], ...]


@dataclass(frozen=True, slots=True)
class Questions:
    """Checks before a request is served: existing objects first, then privileges of the caller."""

    existing: tuple[Securable, ...]
    demands: tuple[Demand, ...]


@dataclass(frozen=True, slots=True)
class OperationRule:
    """A form of an operation, and its name in refusals. `absent` are the targets that need not exist."""

    name: str
    when: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AccessRules:
    """Authorization rules of one revision.

    `conferring` maps each privilege to those that confer it, and itself; `needs` maps each step to alternatives of
    pairs of a privilege and a target; `operations` has the forms of each operation, of which the first that matches
    counts; `updates` has the step of each update of a table with a privilege of its own.
    """

    conferring: Mapping[str, frozenset[str]]
    needs: Mapping[str, Alternatives]
    operations: Mapping[str, Sequence[OperationRule]]
    updates: Mapping[str, str]

    def questions(self, operation_id: str, target: RequestTarget, exists: Exists) -> Questions:
        """Return the checks for a request. Raises InvalidInput for an unreadable namespace."""
        targets = targets_of(operation_id, target)
        line = self._line(operation_id, target, targets, exists)
        if line.name == TRANSACTION:
            return self._of_transaction(target, targets[SecurableType.CATALOG])
        demands = tuple(self._demand(name, targets) for name in self._steps(line, target))
        there = [securable for name, securable in targets.items() if name not in line.absent and name not in NOT_NAMED]
        return Questions(tuple(_innermost(there)), demands)

    def names(self, operation_id: str) -> list[str]:
        """Return the possible names of an operation in refusals, without those for updates of a table."""
        return [line.name for line in self.operations.get(operation_id, ())] or [_capitals(operation_id)]

    def _line(self, operation_id: str, target: RequestTarget, targets: Targets, exists: Exists) -> OperationRule:
        for line in self.operations.get(operation_id, ()):
            if all(CONDITIONS[word](target, targets, exists) for word in line.when):
                return line
        return OperationRule(_capitals(operation_id))

    def _steps(self, line: OperationRule, target: RequestTarget) -> Sequence[str]:
        """Return the name of each kind of update in a commit; the one name of any other request."""
        if line.name != UPDATE:
            return [line.name]
        return list({self.updates.get(update.get("action"), UPDATE): None for update in target.body["updates"]}) or [
            UPDATE
        ]

    def _of_transaction(self, target: RequestTarget, catalog: Securable) -> Questions:
        """Return the same checks for each table of a transaction; for one without tables, those for the catalog.

        A table to be created need not exist, but its namespace must.
        """
        existing, tables = [], []
        for change in target.body["table-changes"]:
            table = Securable(SecurableType.TABLE, catalog.catalog, changed_table(change))
            namespace = Securable(SecurableType.NAMESPACE, catalog.catalog, table.path[:-1])
            existing.append(namespace if creates(change) else table)
            tables.append(table)
        demands = [self._demand(TRANSACTION, {SecurableType.TABLE: securable}) for securable in tables or [catalog]]
        return Questions(tuple(existing), tuple(demands))

    def _demand(self, name: str, targets: Targets) -> Demand:
        return Demand(
            name,
            tuple(
                tuple(RequiredPrivilege(privilege, targets[target]) for privilege, target in needs)
                for needs in self.needs[name]
            ),
        )


def _capitals(operation_id: str) -> str:
    return WORD_END.sub("_", operation_id).upper()


def chain(securable: Securable) -> Iterator[Securable]:
    """Yield a securable and everything around it, from the inside out; the root only for the root itself."""
    yield securable
    outer = parent(securable)
    while outer is not None and outer != ROOT:
        yield outer
        outer = parent(outer)


def _innermost(securables: Sequence[Securable]) -> Iterator[Securable]:
    """Yield the securables without those around another one: these exist if the inner one does."""
    around = {outer for inner in securables for outer in chain(inner) if outer != inner}
    yield from (securable for securable in securables if securable not in around)


@cache
def privileges() -> frozenset[str]:
    """Return the names of the privileges of all revisions."""
    return frozenset(_conferring(read_toml(FILE)["confers"]))


@cache
def rules_of(profile: Profile) -> AccessRules:
    """Return the rules of a profile: those of the file, and the changes of every revision up to it."""
    file = read_toml(FILE)
    later = [changes for since, changes in file["since"].items() if profile.has_reached(since)]
    parts = {name: _merged(name, [file, *later]) for name in ("needs", "operations", "updates")}
    return AccessRules(
        _conferring(file["confers"]),
        {name: _alternatives(needs) for name, needs in parts["needs"].items()},
        {id: [_read_line(line) for line in lines] for id, lines in parts["operations"].items()},
        parts["updates"],
    )


def _merged(name: str, tables: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {key: value for table in tables for key, value in table.get(name, {}).items()}


def _read_line(line: Mapping[str, Any]) -> OperationRule:
    return OperationRule(line["as"], tuple(line.get("when", ())), frozenset(line.get("absent", ())))


def _alternatives(needs: Sequence[Any]) -> Alternatives:
    lists = needs if needs and isinstance(needs[0], list) else [needs]
    return tuple(tuple(_pair(need) for need in alternative) for alternative in lists)


def _pair(need: str) -> tuple[str, str]:
    privilege, _, target = need.partition("@")
    return privilege, target


def _conferring(confers: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """Invert the map of conferred privileges, including indirectly conferred ones."""
    sources: dict[str, set[str]] = {}
    for privilege in confers:
        for conferred in _closure(privilege, confers):
            sources.setdefault(conferred, set()).add(privilege)
    names = {*sources, *confers}
    return {name: frozenset({name, *sources.get(name, ())}) for name in names}


def _closure(privilege: str, confers: Mapping[str, Sequence[str]]) -> set[str]:
    reached = {privilege}
    for conferred in confers.get(privilege, ()):
        reached |= _closure(conferred, confers)
    return reached
