"""The model of an Iceberg catalog: effects, refusals, commands that follow each other, and random sequences of them."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from conformance.author.checks import ends_with, equal, same_items
from conformance.author.requirement import should
from conformance.author.suite import Suite
from conformance.common.model import requirements
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.model.whole import MODEL
from conformance.iceberg.support.committing import Committer, agree
from conformance.iceberg.support.content import SCHEMA, sql, view_body, view_version
from conformance.iceberg.support.listing import tables_in, views_in
from conformance.iceberg.support.metadata import current_version
from conformance.iceberg.support.model import NEEDS, TRANSACTIONS, CatalogModel, Path, Statuses, ViewModel
from conformance.iceberg.support.updates import LAST_ADDED, update
from conformance.target.target import OFFERED

NAMESPACES = st.sampled_from(["a", "b"])
PLACES = st.tuples(st.sampled_from(["", "a", "b"]), st.sampled_from(["t", "u"]))
TEXTS = st.sampled_from(["SELECT 1", "SELECT 2", "SELECT 3"])
ALL_VERSIONS = {"version.history.num-entries": "100"}


test_effect = requirements.effect.declare(__name__, requirements.effects_of(MODEL))
test_refusal = requirements.refusal.declare(__name__, requirements.refusals_of(MODEL))
test_after = requirements.after.declare(__name__, requirements.afters_of(MODEL))


class CatalogMachine(RuleBasedStateMachine):
    """State machine of catalog commands. The requirement below sets `catalog` and `unmet` for the run."""

    catalog: IcebergCatalog
    unmet: frozenset[str] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self.catalog.begin_example()
        self.model = CatalogModel({self.catalog.home})
        self.committer = Committer(self.catalog, self.model.tables, unmet=self.unmet)

    # Namespaces

    @rule(name=NAMESPACES)
    def create_namespace(self, name: str) -> None:
        """Create a namespace."""
        id = self.catalog.namespace_id(name)
        answer = self.catalog.create_namespace(id, expect=None)
        self._same(self.model.namespace_creation(id), answer)
        if answer.succeeded:
            self.model.namespaces.add(id)

    @rule(name=NAMESPACES)
    def drop_namespace(self, name: str) -> None:
        """Drop a namespace."""
        id = self.catalog.namespace_id(name)
        self._same(self.model.drop_namespace(id), self.catalog.drop_namespace(id, expect=None))

    # Tables

    @rule(place=PLACES, newest=st.booleans())
    def create_table(self, place: tuple[str, str], newest: bool) -> None:
        """Create a table of format version 2 or of the newest one."""
        id = self._id(place)
        version = {"format-version": str(self.catalog.revision.format_version if newest else 2)}
        answer = self.catalog.create_table(id, schema=SCHEMA, properties=version, expect=None)
        self._same(self.model.creation(id), answer)
        if answer.succeeded:
            self.committer.note(id, answer["metadata"])

    @rule(place=PLACES)
    def drop_table(self, place: tuple[str, str]) -> None:
        """Drop a table."""
        id = self._id(place)
        self._same(self.model.drop(self.model.tables, id), self.catalog.drop_table(id, expect=None))

    @precondition(lambda self: self._has("renameTable"))
    @rule(place=PLACES, new=PLACES)
    def rename_table(self, place: tuple[str, str], new: tuple[str, str]) -> None:
        """Rename a table to another name."""
        id, target = self._id(place), self._id(new)
        if id != target:
            expected = self.model.rename(self.model.tables, id, target)
            self._same(expected, self.catalog.rename_table(id, target, expect=None))

    @precondition(lambda self: self.model.tables)
    @rule(data=st.data())
    def commit(self, data: st.DataObject) -> None:
        """Commit random updates to an existing table."""
        self.committer.commit(data.draw(st.sampled_from(sorted(self.model.tables))), data)

    @precondition(
        lambda self: self.model.tables and self._has("commitTransaction") and not self.unmet & {*TRANSACTIONS}
    )
    @rule(data=st.data())
    def commit_transaction(self, data: st.DataObject) -> None:
        """Commit random updates to all existing tables in one transaction."""
        self.committer.transaction(sorted(self.model.tables), data)

    # Views

    @precondition(lambda self: self._has("createView"))
    @rule(place=PLACES, text=TEXTS)
    def create_view(self, place: tuple[str, str], text: str) -> None:
        """Create a view."""
        id = self._id(place)
        body = {**view_body(self.catalog.home, sql(text)), "properties": ALL_VERSIONS}
        answer = self.catalog.create_view(id, expect=None, **body)
        self._same(self.model.creation(id), answer)
        if answer.succeeded:
            self.model.views[id] = ViewModel([text])

    @precondition(lambda self: self._has("createView"))
    @rule(place=PLACES)
    def drop_view(self, place: tuple[str, str]) -> None:
        """Drop a view."""
        id = self._id(place)
        self._same(self.model.drop(self.model.views, id), self.catalog.drop_view(id, expect=None))

    @precondition(lambda self: self._has("renameView"))
    @rule(place=PLACES, new=PLACES)
    def rename_view(self, place: tuple[str, str], new: tuple[str, str]) -> None:
        """Rename a view to another name."""
        id, target = self._id(place), self._id(new)
        if id != target:
            expected = self.model.rename(self.model.views, id, target)
            self._same(expected, self.catalog.rename_view(id, target, expect=None))

    @precondition(lambda self: self.model.views and self._has("replaceView"))
    @rule(data=st.data(), text=TEXTS)
    def replace_view(self, data: st.DataObject, text: str) -> None:
        """Replace the version of a view by one with a new SQL text."""
        id = data.draw(st.sampled_from(sorted(self.model.views)))
        text = f"{text} -- {len(self.model.views[id].texts)}"
        version = view_version(self.catalog.home, sql(text), id=len(self.model.views[id].texts) + 1)
        added = [update("add-view-version", view_version=version)]
        self.catalog.replace_view(id, [*added, update("set-current-view-version", view_version_id=LAST_ADDED)])
        self.model.views[id].texts.append(text)

    # Invariants

    @invariant()
    def lists_agree(self) -> None:
        """Check that every namespace lists the tables and views of the model."""
        for id in sorted(self.model.namespaces):
            same_items(tables_in(self.catalog, id), self.model.listed(self.model.tables, id), "the listed tables")
            if self._has("listViews"):
                same_items(views_in(self.catalog, id), self.model.listed(self.model.views, id), "the listed views")

    @invariant()
    def tables_agree(self) -> None:
        """Check that every table has the metadata that the model predicts."""
        for id, table in self.model.tables.items():
            agree(table, self.catalog.metadata(id))

    @invariant()
    def views_agree(self) -> None:
        """Check that every view has the versions that the model predicts."""
        for id, view in self.model.views.items():
            metadata = self.catalog.view_metadata(id)
            current = current_version(metadata)["representations"][0]["sql"]
            equal(current, view.texts[-1], "the sql of the current version of the view")
            texts = [version["representations"][0]["sql"] for version in metadata["versions"]]
            same_items(texts, view.texts, "the sql of the versions of the view")

    def _id(self, place: tuple[str, str]) -> Path:
        namespace, name = place
        return (*(self.catalog.namespace_id(namespace) if namespace else self.catalog.home), name)

    def _has(self, operation: str) -> bool:
        return self.catalog.target.probes[operation].state == OFFERED

    def _same(self, expected: Statuses, answer: Answer) -> None:
        ends_with(answer, expected)


SUBJECTS = [
    *("createNamespace", "dropNamespace", "createTable", "loadTable", "listTables", "dropTable", "updateTable"),
]


@should("iceberg.model.catalog", operations=SUBJECTS, clause="operations-compose", kind="model", needs=NEEDS)
def test_catalog_model(suite: Suite, catalog: IcebergCatalog) -> None:
    """Any sequence of operations on namespaces, tables and views produces the results that a simple model predicts."""
    for operation in SUBJECTS:
        catalog.client.require(operation)
    suite.run_machine(CatalogMachine, catalog=catalog, unmet=suite.unmet)
