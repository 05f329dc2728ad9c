"""Random commits to tables, compared with their models after each commit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import ends_with, holds
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import change
from conformance.iceberg.support.assertions import IMPOSSIBLE, PLACE_REFUSED
from conformance.iceberg.support.commit_choices import COMMIT_NEEDS, Choice, requirements, updates
from conformance.iceberg.support.metadata import Metadata
from conformance.iceberg.support.staging import Stage, stage
from conformance.iceberg.support.table_model import MetadataModel, differences
from conformance.iceberg.support.updates import Updates
from conformance.values.outcomes import Skipped, Unoffered, Violation

Path = tuple[str, ...]
Statuses = frozenset[int]
# Where one of these fails, random commits leave out what it is about: they would only find the same defect again.
TRANSACTIONS = ("iceberg.refusal.commit_transaction.conflict_last", "iceberg.transaction.invalid.unknown_schema")
NEEDS = [*COMMIT_NEEDS, *TRANSACTIONS]
DONE, COMMITTED, CONFLICT = 200, 204, 409


def agree(expected: MetadataModel, metadata: Metadata) -> None:
    """Check that metadata are what the model predicts."""
    different = differences(expected, MetadataModel.of(metadata))
    if different:
        raise Violation(f"the metadata are not what the commits so far make: {'; '.join(different)}")


@dataclass
class Committer:
    """Commits to tables, together with the models of the tables.

    `shown` has the last loaded metadata of a table, `files` its stage for manifest lists; both by UUID.
    `snapshots` yields ids of new snapshots, never used before: a snapshot may refer to a parent that was removed.
    `unmet` are the requirements whose updates are left out.
    """

    catalog: IcebergCatalog
    tables: dict[Path, MetadataModel]
    shown: dict[str, Metadata] = field(default_factory=dict)
    files: dict[str, Stage | None] = field(default_factory=dict)
    snapshots: Iterator[int] = field(default_factory=lambda: count(1_001))
    unmet: frozenset[str] = frozenset()

    def note(self, id: Path, metadata: Metadata) -> None:
        """Start the model of a new table."""
        table = self.tables[id] = MetadataModel.of(metadata)
        holds(table.schemas.used, "a new table has the columns that it was created with")
        self.shown[table.uuid] = metadata
        try:
            self.files[table.uuid] = stage(self.catalog, id)
        except (Unoffered, Skipped):
            self.files[table.uuid] = None

    def commit(self, id: Path, data: st.DataObject) -> None:
        """Commit random updates to a table. Raises Violation for a result other than the model's."""
        wanted, claims, expected, after = self._choose(id, data)
        answer = self.catalog.update_table(id, wanted, claims, expect=None)
        ends_with(answer, expected)
        if not answer.succeeded:
            agree(self.tables[id], self.catalog.metadata(id))
        elif after is not None:
            agree(after, answer["metadata"])
            self._note_commit(id, after)

    def transaction(self, ids: Sequence[Path], data: st.DataObject) -> None:
        """Commit random updates to each of several tables in one transaction."""
        commits = {id: self._choose(id, data) for id in ids}
        expected = frozenset[int]().union(*(statuses for _, _, statuses, _ in commits.values())) - {DONE}
        right = all(after is not None for *_, after in commits.values())
        changes = [change(id, wanted, claims) for id, (wanted, claims, _, _) in commits.items()]
        answer = self.catalog.commit_transaction(changes, expect=None)
        ends_with(answer, expected | ({COMMITTED} if right else set()))
        for id, (*_, after) in commits.items():
            if not answer.succeeded:
                agree(self.tables[id], self.catalog.metadata(id))
            elif after is not None:
                self._note_commit(id, after)

    def _choose(self, id: Path, data: st.DataObject) -> tuple[Updates, Updates, Statuses, MetadataModel | None]:
        """Return updates and requirements for a table, the allowed statuses of the commit, and the table after it.

        A server may reject a new location: the table may have been renamed into another namespace.
        """
        table = self.tables[id]
        files, revision = self.files[table.uuid], self.catalog.revision
        choice = Choice(partial(_drawn, data), revision, files, self.snapshots, self.unmet)
        wanted, after = updates(table, choice)
        claims, hold = requirements(self.shown[table.uuid], table, choice)
        wrong: set[int] = set(IMPOSSIBLE if after is None else ()) | (set() if hold else {CONFLICT})
        moves = any(entry.get("location", table.location) != table.location for entry in wanted)
        expected = (wrong or {DONE}) | set(PLACE_REFUSED if moves else ())
        return wanted, claims, frozenset(expected), None if wrong else after

    def _note_commit(self, id: Path, after: MetadataModel) -> None:
        """Compare the table after a commit with the model, and take over the ids that the server assigned."""
        metadata = self.catalog.metadata(id)
        agree(after, metadata)
        self.tables[id] = MetadataModel.of(metadata)
        self.shown[after.uuid] = metadata


def _drawn(data: st.DataObject, options: Sequence[Any]) -> Any:
    return data.draw(st.sampled_from(options))
