"""Random commits to two tables, one at a time and in transactions, compared with a model."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from conformance.author.requirement import should
from conformance.author.suite import Suite
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.committing import NEEDS, TRANSACTIONS, Committer
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.updates import TOUCH

FIRST, SECOND = "first", "second"


class CommitMachine(RuleBasedStateMachine):
    """State machine of commits to two tables. The requirement below sets `catalog` and `unmet` for the run."""

    catalog: IcebergCatalog
    unmet: frozenset[str] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self.catalog.begin_example()
        self.committer = Committer(self.catalog, {}, unmet=self.unmet)
        for name, version in ((FIRST, 2), (SECOND, self.catalog.revision.format_version)):
            id = self.catalog.table_id(name)
            self.catalog.create_table(id, schema=SCHEMA, properties={"format-version": str(version)})
            self.committer.note(id, self.catalog.update_table(id, [TOUCH])["metadata"])

    @rule(name=st.sampled_from([FIRST, SECOND]), data=st.data())
    def commit(self, name: str, data: st.DataObject) -> None:
        """Commit random updates to one of the tables."""
        self.committer.commit(self.catalog.table_id(name), data)

    @precondition(
        lambda self: "commitTransaction" in self.catalog.target.offered() and not self.unmet & {*TRANSACTIONS}
    )
    @rule(data=st.data())
    def commit_both(self, data: st.DataObject) -> None:
        """Commit random updates to both tables in one transaction."""
        self.committer.transaction(list(self.committer.tables), data)


@should("iceberg.model.commits", operations=["updateTable"], clause="operations-compose", kind="model", needs=NEEDS)
def test_commit_model(suite: Suite, catalog: IcebergCatalog) -> None:
    """Any sequence of commits and transactions produces the table metadata that a simple model predicts."""
    suite.run_machine(CommitMachine, catalog=catalog, unmet=suite.unmet)
