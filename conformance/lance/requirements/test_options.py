"""Options with every value: those that are off by default, sent as off, and modes for a name that is free."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import pyarrow as pa

from conformance.author.checks import contains, equal, lacks, same_items
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.http.routers import is_split
from conformance.lance.catalog import LanceCatalog
from conformance.lance.locations import check_place
from conformance.lance.support.arrow import stream
from conformance.lance.support.arrow_types import read_table
from conformance.lance.support.checks import routed
from conformance.lance.support.indexing import wait_for_index
from conformance.lance.support.listing import collect, collect_all_tables, collect_tables
from conformance.lance.support.merging import SOURCE, TARGET, UPSERT, new_target, rows_stream
from conformance.lance.support.ordinary import ordinary
from conformance.lance.support.queries import new_queried
from conformance.lance.support.versions import new_table_with_versions, numbers
from conformance.target import hostile
from specs.lance.identifiers import join_parts

# Merges


@dataclass(frozen=True, slots=True)
class Merge:
    """The clauses of a merge of SOURCE into TARGET, and the rows afterwards."""

    clauses: dict[str, Any]
    rows: list[dict[str, Any]]


ALL_OFF: dict[str, Any] = {
    "when_matched_update_all": False,
    "when_not_matched_insert_all": False,
    "when_not_matched_by_source_delete": False,
    "use_index": False,
}
MERGES = {
    "update": Merge({**ALL_OFF, "when_matched_update_all": True}, [TARGET[0], *SOURCE[:2]]),
    "insert": Merge({**ALL_OFF, "when_not_matched_insert_all": True}, [*TARGET, SOURCE[2]]),
    "delete": Merge({**ALL_OFF, "when_not_matched_by_source_delete": True}, TARGET[1:]),
    "upsert": Merge({**ALL_OFF, **UPSERT}, [TARGET[0], *SOURCE]),
    "replace": Merge({**ALL_OFF, **UPSERT, "when_not_matched_by_source_delete": True}, SOURCE),
    "use_index": Merge({**UPSERT, "use_index": True}, [TARGET[0], *SOURCE]),
}


@must("lance.option.merge.{}", operations=["MergeInsertIntoTable"], clause="merge-defaults", kind="data", each=MERGES)
def test_clauses_that_are_off(catalog: LanceCatalog, case: Merge) -> None:
    """A merge with every clause sent, all false except {}, changes rows by the clauses that are true only."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **case.clauses)
    same_items(catalog.rows(id), case.rows, "the rows of the table")


@must("lance.option.merge.none", operations=["MergeInsertIntoTable"], clause="merge-defaults", kind="data")
def test_merge_with_every_clause_off(catalog: LanceCatalog) -> None:
    """A merge with every clause sent as false returns 400 or changes no row."""
    id = new_target(catalog)
    catalog.merge_insert_into_table(id, rows_stream(SOURCE), on="id", **ALL_OFF, expect=(200, 400))
    same_items(catalog.rows(id), TARGET, "the rows of the table")


# Listings


@must("lance.option.include_declared.false", operations=["ListTables"], clause="list-declared-false")
def test_declared_tables_left_out(catalog: LanceCatalog) -> None:
    """ListTables with include_declared=false lists tables with data, also once declared, and no declared-only ones."""
    created, declared, filled = catalog.new_table("a"), catalog.new_declared_table("b"), catalog.new_declared_table("c")
    catalog.insert_into_table(filled, stream(tables(1)))
    entries = collect_tables(catalog, catalog.home, include_declared=False)
    contains(entries, [created[-1], filled[-1]], "the listed tables")
    lacks(entries, [declared[-1]], "the listed tables")


CODED = {  # names that a server may code where it stores tables
    key: name
    for key, name in hostile.NAMES.items()
    if not re.fullmatch(r"[\w.-]+", name, re.ASCII) and name.isprintable() and not is_split(name)
}


@must(
    "lance.option.include_declared.named.{}",
    operations=["ListTables"],
    clause="list-declared-false",
    kind="hostile",
    each=CODED,
)
def test_tables_with_unusual_names_are_not_left_out(catalog: LanceCatalog, case: str) -> None:
    """ListTables with include_declared=false lists a table with data whose name is unusual: {}."""
    id = catalog.hostile_id(case)
    with catalog.client.preparing():
        create = partial(catalog.create_table, id, stream(tables(1)))
        if not routed(id[-1], (200, 400), create).succeeded:
            catalog.new_table()
            return
    start = join_parts([*id[:-1], ""])
    entries = collect_tables(catalog, id[:-1], include_declared=False)
    contains([name.removeprefix(start) for name in entries], [id[-1]], "the listed tables")


@should("lance.option.include_declared.true", operations=["ListTables"], clause="list-declared-query")
def test_declared_tables_beside_created_ones(catalog: LanceCatalog) -> None:
    """ListTables with include_declared=true lists declared-only tables beside tables with data, each once."""
    created, declared = catalog.new_table("a"), catalog.new_declared_table("b")
    entries = collect_tables(catalog, catalog.home, include_declared=True, limit=1)
    same_items([name for name in entries if name in (created[-1], declared[-1])], [created[-1], declared[-1]], "tables")


@must("lance.option.include_declared.all_false", operations=["ListAllTables"], clause="list-all-tables")
def test_tables_with_data_among_all(catalog: LanceCatalog) -> None:
    """ListAllTables with include_declared=false lists tables with data, also those that were declared first."""
    created, filled = catalog.new_table("a"), catalog.new_declared_table("c")
    catalog.insert_into_table(filled, stream(tables(1)))
    contains(collect_all_tables(catalog, include_declared=False), map(join_parts, [created, filled]), "all tables")


@must("lance.option.descending.false", operations=["ListTableVersions"], clause="list-versions")
def test_versions_in_any_order(catalog: LanceCatalog) -> None:
    """ListTableVersions with descending=false lists every version once, in pages of one too."""
    id = new_table_with_versions(catalog)
    every = numbers(catalog, id)
    for limit in (None, 1):
        page = {} if limit is None else {"limit": limit}
        versions = collect(
            lambda **query: catalog.list_table_versions(id, **query), "versions", descending=False, **page
        )
        same_items([version["version"] for version in versions], every, "the listed versions")


# Descriptions

FLAGS = ("with_table_uri", "load_detailed_metadata")


@must("lance.option.describe.flags", operations=["DescribeTable"], clause="describe-flags")
def test_flags_of_a_description(catalog: LanceCatalog) -> None:
    """DescribeTable returns the same location, and no other properties, with every combination of its flags."""
    id = catalog.new_declared_table(properties={"owner": "somebody"})
    catalog.insert_into_table(id, stream(tables(1)))
    plain = catalog.describe_table(id)
    for uri in (True, False):
        for details in (True, False):
            flags = dict(zip(FLAGS, (uri, details), strict=True))
            described = catalog.describe_table(id, _query=flags)
            equal(described["location"], plain["location"], f"the location with {flags}")
            if described.get("properties") and plain.get("properties"):
                equal(described["properties"], plain["properties"], f"the properties with {flags}")


@must("lance.option.describe.credentials", operations=["DescribeTable"], clause="describe-flags")
def test_credentials_change_nothing_else(catalog: LanceCatalog) -> None:
    """DescribeTable accepts vend_credentials as true and as false, and returns the same location."""
    id = catalog.new_table()
    location = catalog.describe_table(id)["location"]
    for wanted in (True, False):
        described = catalog.describe_table(id, vend_credentials=wanted, expect=None)
        if wanted:
            catalog.supported(described, "credentials to hand out")
        catalog.client.check_status(catalog.client.steps[-1], 200)
        equal(described["location"], location, f"the location with vend_credentials={wanted}")


DECLARED_BY = {"declare": "DeclareTable", "create_empty": "CreateEmptyTable"}


@must(
    "lance.option.{}.credentials",
    operations=lambda case: [case],
    clause="declare-credentials",
    each=DECLARED_BY,
    twin=True,
)
def test_declared_with_and_without_credentials(catalog: LanceCatalog, case: str) -> None:
    """{} accepts vend_credentials as true and as false: the table is declared, and described at its location."""
    for name, wanted in (("a", True), ("b", False)):
        id = catalog.table_id(name)
        answer = catalog.send(case, id, {**catalog.defaults(case, {}), "vend_credentials": wanted}, expect=None)
        if wanted:
            catalog.supported(answer, "credentials to hand out")
        catalog.client.check_status(catalog.client.steps[-1], 200)
        check_place(answer.get("location"), catalog.describe_table(id)["location"], "the location of the answer")


# Queries


@dataclass(frozen=True, slots=True)
class Off:
    """Options of a query that are off or neutral, and the query that they are added to."""

    options: dict[str, Any]
    query: dict[str, Any]


SEARCH: dict[str, Any] = {"vector": {"single_vector": [0.0, 0.0]}, "vector_column": "vector", "k": 4}
SCAN: dict[str, Any] = {"vector": {}, "k": 100, "filter": "id >= 7"}
OFF = {
    "with_row_id": Off({"with_row_id": False}, SCAN),
    "with_row_id_search": Off({"with_row_id": False}, SEARCH),
    "offset": Off({"offset": 0}, SCAN),
    "offset_search": Off({"offset": 0}, SEARCH),
    "bypass_vector_index": Off({"bypass_vector_index": False}, SEARCH),
    "bypass_vector_index_scan": Off({"bypass_vector_index": True}, SCAN),
    "fast_search": Off({"fast_search": False}, SEARCH),
    "prefilter_without_filter": Off({"prefilter": True}, SEARCH),
    "prefilter_scan": Off({"prefilter": True}, SCAN),
    "postfilter_scan": Off({"prefilter": False}, SCAN),
    "wide_bounds": Off({"lower_bound": 0.0, "upper_bound": 1e6}, SEARCH),
    "no_columns": Off({"columns": None}, SCAN),
    "no_text": Off({"full_text_query": None}, SCAN),
}


@must("lance.option.query.{}", operations=["QueryTable"], clause="query-neutral", each=OFF)
def test_options_that_change_nothing(catalog: LanceCatalog, case: Off) -> None:
    """QueryTable returns the same columns and rows with an option that changes nothing ({}) as without it."""
    id = new_queried(catalog)
    with catalog.client.preparing():
        plain = catalog.rows(id, **case.query)
    rows = catalog.rows(id, **case.query, **case.options)
    same_items(rows, plain, "the rows, beside those of the query without the option")


@must("lance.option.query.row_ids", operations=["QueryTable"], clause="query-row-id")
def test_row_ids_beside_all_else(catalog: LanceCatalog) -> None:
    """QueryTable with with_row_id=true adds _rowid to scans, searches and chosen columns, and changes nothing else."""
    id = new_queried(catalog)
    for query in (SCAN, SEARCH, {**SCAN, "columns": {"column_names": ["id"]}}):
        plain = catalog.rows(id, **query)
        rows = catalog.rows(id, **query, with_row_id=True)
        same_items([{name: row[name] for name in row if name != "_rowid"} for row in rows], plain, "the rows")
        equal([name in row for row in rows for name in ("_rowid",)], [True] * len(plain), "whether rows have a _rowid")


@must("lance.option.query.unindexed", operations=["QueryTable"], clause="query-fast-search-off")
def test_search_of_rows_that_no_index_covers(catalog: LanceCatalog) -> None:
    """A vector search with fast_search=false finds rows that were inserted after the index was built."""
    rows = [{"id": at, "vector": [float(at), 1.0]} for at in range(300)]
    schema = pa.schema([("id", pa.int64()), ("vector", pa.list_(pa.float32(), 2))])
    id = catalog.new_table_of(pa.Table.from_pylist(rows, schema=schema))
    answer = catalog.create_table_index(id, column="vector", index_type="IVF_FLAT", name="idx", expect=None)
    catalog.supported(answer, "indices of type IVF_FLAT")
    wait_for_index(catalog, id, "idx")
    new = [{"id": 999, "vector": [-50.0, 1.0]}]
    catalog.insert_into_table(id, stream(pa.Table.from_pylist(new, schema=schema)))
    found = catalog.rows(id, vector={"single_vector": [-50.0, 1.0]}, vector_column="vector", k=1, fast_search=False)
    equal([row["id"] for row in found], [999], "the id of the nearest row")


# Modes for a name that is free, and drops of what is there


@dataclass(frozen=True, slots=True)
class Mode:
    """A request in a mode that decides about a conflict, where there is none: `act` takes the mode and a name."""

    id: str
    words: tuple[str, ...]
    act: Callable[[LanceCatalog, str, str], object]


def _table(catalog: LanceCatalog, mode: str, name: str) -> None:
    id = catalog.table_id(name)
    catalog.create_table(id, stream(tables(3)), mode=mode)
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


def _namespace(catalog: LanceCatalog, mode: str, name: str) -> None:
    id = catalog.namespace_id(name)
    catalog.create_namespace(id, mode=mode)
    catalog.describe_namespace(id)


def _registration(catalog: LanceCatalog, mode: str, name: str) -> None:
    request = ordinary(catalog, "RegisterTable", name).with_body(mode=mode)
    request.send(catalog, "RegisterTable", expect=200)
    equal(catalog.count_table_rows(request.id or ()).json, 3, "the count of rows")


def _insertion(catalog: LanceCatalog, mode: str, name: str) -> None:
    id = catalog.new_declared_table(name)
    catalog.insert_into_table(id, stream(tables(3)), mode=mode)
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


def _drop(option: str) -> Callable[[LanceCatalog, str, str], None]:
    def act(catalog: LanceCatalog, word: str, name: str) -> None:
        id = catalog.new_namespace(name)
        body: dict[str, Any] = {option: word}
        answer = catalog.drop_namespace(id, **body, expect=None)
        catalog.supported(answer, f"drops with {word}")
        catalog.namespace_exists(id, expect=404)

    return act


MODES = {
    "create_table.create": Mode("CreateTable", ("Create",), _table),
    "create_table.exist_ok": Mode("CreateTable", ("Exist", "Ok"), _table),
    "create_table.overwrite": Mode("CreateTable", ("Overwrite",), _table),
    "create_namespace.create": Mode("CreateNamespace", ("Create",), _namespace),
    "create_namespace.exist_ok": Mode("CreateNamespace", ("Exist", "Ok"), _namespace),
    "create_namespace.overwrite": Mode("CreateNamespace", ("Overwrite",), _namespace),
    "register.create": Mode("RegisterTable", ("Create",), _registration),
    "register.overwrite": Mode("RegisterTable", ("Overwrite",), _registration),
    "insert_declared.append": Mode("InsertIntoTable", ("Append",), _insertion),
    "insert_declared.overwrite": Mode("InsertIntoTable", ("Overwrite",), _insertion),
    "drop_namespace.fail": Mode("DropNamespace", ("Fail",), _drop("mode")),
    "drop_namespace.skip": Mode("DropNamespace", ("Skip",), _drop("mode")),
    "drop_namespace.restrict": Mode("DropNamespace", ("Restrict",), _drop("behavior")),
    "drop_namespace.cascade": Mode("DropNamespace", ("Cascade",), _drop("behavior")),
}


@must("lance.option.mode.{}", clause="modes-where-nothing-is-taken", each=MODES)
def test_modes_without_a_conflict(catalog: LanceCatalog, case: Mode) -> None:
    """{} takes effect in every mode and behavior where its target leaves nothing to decide, in any spelling."""
    pascal, snake = "".join(case.words), "_".join(case.words)
    case.act(catalog, pascal, "a")
    case.act(catalog, snake.lower(), "b")


@must("lance.option.mode.exist_ok_schema", operations=["CreateTable"], clause="create-table-mode-exist-ok", kind="data")
def test_exist_ok_keeps_the_schema(catalog: LanceCatalog) -> None:
    """CreateTable in mode ExistOk with other columns keeps the columns, rows and version of the existing table."""
    id = catalog.new_table(rows=3)
    before = catalog.version(id)
    catalog.create_table(id, stream(pa.table({"other": [1.5]})), mode="ExistOk")
    same_items(read_table(catalog, id).column_names, ["id", "name"], "the columns of the table")
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")
    equal(catalog.version(id), before, "the version of the table")
