"""Large requests: bodies of a few megabytes and batches of many operations."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.checks import contains, equal, exactly
from conformance.author.requirement import must, should
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.listing import collect_tables
from conformance.lance.support.versions import new_table_with_versions, numbers

MANY = 60
LONG = "x" * 2_200_000  # common frameworks limit bodies to two mebibytes


def _declare(catalog: LanceCatalog) -> None:
    id = catalog.table_id()
    catalog.declare_table(id, properties={"long": LONG})
    catalog.table_exists(id)


def _count(catalog: LanceCatalog) -> None:
    equal(catalog.count_table_rows(catalog.new_table(), predicate=f"name = '{LONG}'").json, 0, "the count of rows")


def _set_metadata(catalog: LanceCatalog) -> None:
    answer = catalog.update_table_schema_metadata(catalog.new_table(), {"long": LONG})
    equal(answer.json, {"long": LONG}, "the metadata of the answer")


LARGE: dict[str, tuple[str, Callable[[LanceCatalog], None]]] = {
    "declare": ("DeclareTable", _declare),
    "count": ("CountTableRows", _count),
    "metadata": ("UpdateTableSchemaMetadata", _set_metadata),
}


@should("lance.body.large.{}", operations=lambda case: [case[0]], clause="json-large", each=LARGE)
def test_large_body(catalog: LanceCatalog, case: tuple[str, Callable[[LanceCatalog], None]]) -> None:
    """A request with a JSON body of more than two megabytes ({}) succeeds."""
    case[1](catalog)


@must("lance.batch.many", operations=["BatchCommitTables"], clause="batch-commit")
def test_commit_many(catalog: LanceCatalog) -> None:
    """BatchCommitTables with 60 operations applies all of them and returns one result for each."""
    ids = [catalog.table_id(f"t{number}") for number in range(MANY)]
    catalog.note_tables(ids)
    answer = catalog.batch_commit_tables(operations=[{"declare_table": {"id": id}} for id in ids])
    exactly(answer["results"], MANY, "the results of the batch")
    names = collect_tables(catalog, catalog.home, include_declared=True)
    contains(names, [id[-1] for id in ids], "the listed tables")


@must("lance.version.delete.many", operations=["BatchDeleteTableVersions"], clause="delete-versions-range")
def test_delete_many_ranges(catalog: LanceCatalog) -> None:
    """BatchDeleteTableVersions with 60 ranges, most of them without a version, applies every range."""
    id = new_table_with_versions(catalog)
    first, second, *rest = numbers(catalog, id)
    ranges = [{"start_version": 1000 + n, "end_version": 1001 + n} for n in range(MANY)]
    ranges[7], ranges[-1] = ({"start_version": version, "end_version": version + 1} for version in (first, second))
    catalog.batch_delete_table_versions(id, ranges=ranges)
    equal(numbers(catalog, id), rest, "the versions of the table")
