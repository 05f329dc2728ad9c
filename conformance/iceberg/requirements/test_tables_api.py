"""Differences of the Tables API from the Iceberg REST catalog (specs/iceberg/clauses/tables_api.toml)."""

from __future__ import annotations

from conformance.author.checks import at_most, equal, only, same_items, text
from conformance.author.requirement import must, should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import SCHEMA, partition, spec
from conformance.iceberg.support.listing import LISTINGS, NEXT
from conformance.iceberg.support.metadata import column_names, default_spec
from conformance.iceberg.support.updates import CREATE, creation, update
from conformance.values.outcomes import Unoffered

TABLES = ["listTables"]
LISTING = LISTINGS["list_tables"]
PAGE = 2
LONGEST, LISTED = "the number of tables on the longest page", "the listed tables"


def _tables(catalog: IcebergCatalog, count: int, name: str = "t") -> list[Names]:
    """Create tables and return their identifiers in order."""
    return sorted(catalog.new_table(f"{name}{number}") for number in range(count))


def _longest(pages: list[Answer]) -> int:
    return max(len(LISTING.items(page)) for page in pages)


@must("iceberg.tables_api.exists", operations=["tableExists"], clause="tables-api-exists")
def test_table_exists(catalog: IcebergCatalog) -> None:
    """tableExists returns 200 without a body while the table exists, and 404 before and after."""
    id = catalog.table_id()
    catalog.table_exists(id, expect=404)
    catalog.new_table()
    equal(len(catalog.table_exists(id, expect=200).body), 0, "the bytes of the body")
    catalog.drop_table(id)
    catalog.table_exists(id, expect=404)


@must("iceberg.tables_api.page.default", operations=TABLES, clause="tables-api-page-default", kind="pagination")
def test_page_of_the_default_size(catalog: IcebergCatalog) -> None:
    """listTables without pageToken and pageSize returns a first page of at most 100 tables; the rest follows."""
    size = catalog.revision.page_size(TABLES[0])
    if size is None:
        raise Unoffered("this revision of the document has no size of pages")
    expected = _tables(catalog, size + 1)
    pages = LISTING.pages(catalog)
    at_most(_longest(pages), size, LONGEST)
    same_items(LISTING.ours(catalog, *pages), expected, LISTED)


@must("iceberg.tables_api.page.size", operations=TABLES, clause="tables-api-page-size", kind="pagination")
def test_page_size_without_token(catalog: IcebergCatalog) -> None:
    """listTables with pageSize returns pages of at most that many tables, also without pageToken; the rest follows."""
    expected = _tables(catalog, 2 * PAGE + 1)
    pages = LISTING.pages(catalog, pageSize=PAGE)
    at_most(_longest(pages), PAGE, LONGEST)
    for page in pages[:-1]:
        text(page.get(NEXT), f"the {NEXT} of a page before the last one")
    same_items(LISTING.ours(catalog, *pages), expected, LISTED)


@must("iceberg.tables_api.page.last", operations=TABLES, clause="tables-api-page-last", kind="pagination")
def test_last_page_has_null(catalog: IcebergCatalog) -> None:
    """The last page of listTables contains next-page-token with the value null, also if it is the only page."""
    _tables(catalog, 1)
    equal(LISTING.pages(catalog)[-1][NEXT], None, f"the {NEXT} of the only page")
    _tables(catalog, PAGE, "more")
    equal(LISTING.pages(catalog, pageSize=PAGE)[-1][NEXT], None, f"the {NEXT} of the last page")


@must("iceberg.tables_api.add_partition_spec", operations=["updateTable"], clause="tables-api-add-partition-spec")
def test_add_partition_spec(catalog: IcebergCatalog) -> None:
    """The update add-partition-spec adds a spec, and set-default-spec makes it the default."""
    id = catalog.new_table()
    wanted = spec(partition(3, "day", "day"), id=1)
    metadata = catalog.update_table(id, [update("add-partition-spec", spec=wanted)])["metadata"]
    added = only([entry for entry in metadata["partition-specs"] if entry["fields"]], "the partition specs with fields")
    metadata = catalog.update_table(id, [update("set-default-spec", spec_id=added["spec-id"])])["metadata"]
    equal(metadata["default-spec-id"], added["spec-id"], "the default-spec-id")
    partition_field = only(added["fields"], "the fields of the partition spec")
    equal(partition_field["source-id"], 3, "the source-id of the partition field")
    equal(partition_field["transform"], "day", "the transform of the partition field")


@should("iceberg.tables_api.stage", operations=["createTable", "updateTable"], clause="tables-api-stage-commit")
def test_staged_table_is_created(catalog: IcebergCatalog) -> None:
    """A commit with assert-create and the creation updates that this API supports creates the staged table."""
    id = catalog.table_id()
    layout = spec(partition(3, "day"))
    answer = catalog.create_table(id, SCHEMA, partition_spec=layout, properties={"a": "1"}, stage_create=True)
    staged = answer["metadata"]
    catalog.load_table(id, expect=404)
    known = [step for step in creation(staged) if catalog.revision.has_update(step["action"])]
    catalog.update_table(id, known, [CREATE])
    created = catalog.metadata(id)
    equal(column_names(created), column_names(staged), "the columns of the table")
    only(default_spec(created)["fields"], "the fields of the default partition spec")
    equal(created["properties"]["a"], "1", 'the property "a"')
