"""Requirements that follow from the model of Lance, and random command sequences on namespaces and tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)

from conformance.author.checks import contains, ends_with, equal, one_of, same_items, within
from conformance.author.requirement import must
from conformance.author.strategies import tables
from conformance.author.suite import Suite
from conformance.common.model import requirements
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.model import kinds
from conformance.lance.model.whole import MODEL
from conformance.lance.support.arrow import stream
from conformance.lance.support.listing import collect_namespaces, collect_tables
from conformance.lance.support.model import (
    NAMESPACE_EXISTS,
    NAMESPACE_MISSING,
    NAMESPACE_NOT_EMPTY,
    TABLE_EXISTS,
    TABLE_MISSING,
    LanceModel,
    Outcome,
    Path,
)
from conformance.target.target import OFFERED
from specs.lance.identifiers import join_parts

PATHS = st.lists(st.sampled_from(["a", "b"]), min_size=1, max_size=2).map(tuple)
TABLES = st.tuples(st.lists(st.sampled_from(["a", "b"]), max_size=1).map(tuple), st.sampled_from(["t", "u"]))
ROWS = st.integers(1, 3)
INTO_DECLARED = "lance.rows.insert.declared"
# Requirements on refusals, by command and outcome: where one is not met, the command would find the same defect again.
REFUSALS: dict[tuple[str, Outcome], tuple[str, ...]] = {
    ("create namespace", NAMESPACE_MISSING): ("lance.namespace.create.parent_missing",),
    ("create namespace", NAMESPACE_EXISTS): ("lance.namespace.create.conflict",),
    ("drop namespace", NAMESPACE_NOT_EMPTY): (
        "lance.namespace.drop.restrict_table",
        "lance.namespace.drop.restrict_namespace",
    ),
    ("create table", NAMESPACE_MISSING): ("lance.refusal.create_table.namespace_missing",),
    ("create table", TABLE_EXISTS): ("lance.table.create.conflict",),
    ("declare table", NAMESPACE_MISSING): ("lance.table.declare.namespace_missing",),
    ("declare table", TABLE_EXISTS): ("lance.table.declare.conflict_created", "lance.table.declare.conflict_declared"),
}


class LanceMachine(RuleBasedStateMachine):
    """The commands on namespaces and tables. The requirement below sets `catalog` and `unmet` for the run."""

    catalog: LanceCatalog
    unmet: frozenset[str] = frozenset()

    def __init__(self) -> None:
        super().__init__()
        self.catalog.begin_example()
        self.model = LanceModel(self.catalog.home)

    @rule(path=PATHS)
    def create_namespace(self, path: Path) -> None:
        """Run CreateNamespace."""
        id = self.model.home + path
        self._same(
            self.model.create_namespace(id),
            lambda: self.catalog.create_namespace(id, mode="Create", expect=None),
            of="create namespace",
        )

    @rule(path=PATHS)
    def drop_namespace(self, path: Path) -> None:
        """Run DropNamespace; for a missing namespace the document has 400, its error list 404."""
        id = self.model.home + path
        also = (400,) if id not in self.model.namespaces else ()
        drop = partial(self.catalog.drop_namespace, id, expect=None)
        self._same(self.model.drop_namespace(id), drop, also, of="drop namespace")

    @rule(table=TABLES, rows=ROWS)
    def create_table(self, table: tuple[Path, str], rows: int) -> None:
        """Run CreateTable, except on a declared table: the document leaves that open."""
        id = self._id(table)
        if id in self.model.tables and self.model.tables[id] is None:
            return
        data = stream(tables(rows))
        self._same(
            self.model.create_table(id, rows),
            lambda: self.catalog.create_table(id, data, mode="Create", expect=None),
            of="create table",
        )

    @rule(table=TABLES)
    def declare_table(self, table: tuple[Path, str]) -> None:
        """Run DeclareTable."""
        id = self._id(table)
        declare = partial(self.catalog.declare_table, id, expect=None)
        self._same(self.model.declare_table(id), declare, of="declare table")

    @rule(table=TABLES, rows=ROWS)
    def insert(self, table: tuple[Path, str], rows: int) -> None:
        """Run InsertIntoTable, on a declared table only if the requirement on that is met."""
        id = self._id(table)
        if INTO_DECLARED in self.unmet and self.model.tables.get(id, 0) is None:
            return
        data = stream(tables(rows))
        self._same(self.model.insert(id, rows), lambda: self.catalog.insert_into_table(id, data, expect=None))

    @rule(table=TABLES)
    def drop_table(self, table: tuple[Path, str]) -> None:
        """Run DropTable."""
        id = self._id(table)
        self._same(self.model.drop_table(id), lambda: self.catalog.drop_table(id, expect=None))

    @precondition(lambda self: self.catalog.target.probes["RenameTable"].state == OFFERED)
    @rule(table=TABLES, new=TABLES)
    def rename_table(self, table: tuple[Path, str], new: tuple[Path, str]) -> None:
        """Run RenameTable with another name."""
        id, renamed = self._id(table), self._id(new)
        if id == renamed:
            return
        rename = partial(self.catalog.rename_table, id, new_table_name=renamed[-1], new_namespace_id=list(renamed[:-1]))
        self._same(self.model.rename_table(id, renamed), lambda: rename(expect=None))

    @rule(table=TABLES)
    def count_rows(self, table: tuple[Path, str]) -> None:
        """Run CountTableRows on a table that has data or does not exist."""
        id = self._id(table)
        rows = self.model.tables.get(id, -1)
        if rows is None:
            return
        if rows == -1:
            self._same(TABLE_MISSING, lambda: self.catalog.count_table_rows(id, expect=None))
        else:
            equal(self.catalog.count_table_rows(id).json, rows, "the count of rows")

    @invariant()
    def lists_agree(self) -> None:
        """Check the listings of every namespace of the model; declared-only tables may be listed or not."""
        for path in sorted(self.model.namespaces):
            name = join_parts(path)
            namespaces = collect_namespaces(self.catalog, path)
            same_items(namespaces, self.model.child_namespaces(path), f"the listed namespaces of {name}")
            names = collect_tables(self.catalog, path, include_declared=True)
            contains(names, self.model.child_tables(path, declared=False), f"the listed tables of {name}")
            within(names, self.model.child_tables(path, declared=True), f"the listed tables of {name}")

    def _id(self, table: tuple[Path, str]) -> Path:
        return (*self.model.home, *table[0], table[1])

    def _same(self, expected: Outcome, command: Callable[[], Answer], also: tuple[int, ...] = (), of: str = "") -> None:
        """Check that the target answers like the model; for a missing namespace it may report a missing table.

        `also` are other statuses that the document allows. A refusal that an unmet requirement is about is not sent;
        `of` is the command in REFUSALS.
        """
        if self.unmet.intersection(REFUSALS.get((of, expected), ())):
            return
        answer = command()
        status, code = expected
        ends_with(answer, (status, *also))
        if code is not None:
            one_of(answer.code, (1, 4) if code in (1, 4) else (code,), "the code of the error")


SUBJECTS = [
    "CreateNamespace",
    "ListNamespaces",
    "DropNamespace",
    "CreateTable",
    "DeclareTable",
    "ListTables",
    "DropTable",
    "InsertIntoTable",
    "CountTableRows",
]


NEEDS = [*(need for needs in REFUSALS.values() for need in needs), INTO_DECLARED]


@must("lance.model.catalog", operations=SUBJECTS, clause="operations-compose", kind="model", needs=NEEDS)
def test_catalog_model(suite: Suite, catalog: LanceCatalog) -> None:
    """Every sequence of commands on namespaces and tables has the outcome that a simple model predicts."""
    catalog.require_nested()
    for operation in SUBJECTS:
        catalog.client.require(operation)
    suite.run_machine(LanceMachine, catalog=catalog, unmet=suite.unmet)


test_effect = requirements.effect.declare(__name__, requirements.effects_of(MODEL))
test_lives = requirements.lives.declare(__name__, requirements.lives_of(MODEL, kinds.LIVES))
test_refusal = requirements.refusal.declare(__name__, requirements.refusals_of(MODEL))
test_after = requirements.after.declare(__name__, requirements.afters_of(MODEL))
