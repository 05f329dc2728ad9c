"""Earlier versions: described, queried and counted as they were, and restored whole."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, same_items, unequal
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import schema_of
from conformance.lance.support.listing import collect
from conformance.lance.support.queries import PLANS
from conformance.lance.support.versions import MISSING_VERSION
from conformance.lance.support.views import CHANGES, COLUMN_CHANGES, METADATA, Change, new_people, people
from conformance.lance.worlds import OFF_BRANCHES
from specs.openapi import Operation

ROWS = people(0, 5).to_pylist()
DETAILED = {"load_detailed_metadata": True}
# Changes after which the version before them is read.
LATER = {name: CHANGES[name] for name in ("insert_overwrite", "update", "delete", "merge_upsert", "restore")}
SCHEMA_CHANGES = {**COLUMN_CHANGES, "metadata": METADATA}


def _changed(catalog: LanceCatalog, change: Change) -> tuple[Names, int]:
    """Create a table of ROWS and change it; return its id and the version before the change."""
    with catalog.client.preparing():
        id, first = new_people(catalog)
        before = catalog.version(id)
        change.act(catalog, id, first)
    return id, before


@must(
    "lance.past.describe.{}",
    operations=["DescribeTable"],
    clause="version-past",
    each=SCHEMA_CHANGES,
    world={"data": ("plain",)},
)
def test_description_of_the_past(catalog: LanceCatalog, case: Change) -> None:
    """After {}, DescribeTable of the version before it returns the schema and the metadata of that version."""
    with catalog.client.preparing():
        id, first = new_people(catalog)
        before, schema = catalog.version(id), schema_of(catalog, id)
        case.act(catalog, id, first)
    unequal(schema_of(catalog, id), schema, "the schema of the latest version")
    described = catalog.describe_table(id, version=before, _query=DETAILED)
    equal(described["version"], before, "the version of the description")
    equal(described["schema"], schema, "the schema of the earlier version")


@must("lance.past.describe.stats", operations=["DescribeTable"], clause="version-past")
def test_stats_of_the_past(catalog: LanceCatalog) -> None:
    """After rows were inserted and deleted, DescribeTable of the version before returns the stats of that version."""
    with catalog.client.preparing():
        id, _ = new_people(catalog)
        before = catalog.describe_table(id, _query=DETAILED)
        catalog.insert_into_table(id, stream(people(7, 2)))
        catalog.delete_from_table(id, predicate="id = 1")
    described = catalog.describe_table(id, version=before["version"], _query=DETAILED)
    equal(described["stats"], before["stats"], "the stats of the earlier version")


@must("lance.past.query.{}", operations=["QueryTable"], clause="version-past", each={**COLUMN_CHANGES, **LATER})
def test_query_of_the_past(catalog: LanceCatalog, case: Change) -> None:
    """After {}, QueryTable of the version before it returns all its columns and rows, and can filter on them."""
    id, before = _changed(catalog, case)
    same_items(catalog.rows(id, version=before), ROWS, "the rows of the earlier version")
    found = catalog.rows(id, version=before, filter="name = 'row 4' AND n = 4", columns={"column_names": ["name", "n"]})
    equal(found, [{"name": "row 4", "n": 4}], "the row that the filter finds")


COUNTED = {name: change for name, change in {**COLUMN_CHANGES, **LATER}.items() if name != "add_columns"}


@must("lance.past.count.{}", operations=["CountTableRows"], clause="version-past", each=COUNTED)
def test_count_of_the_past(catalog: LanceCatalog, case: Change) -> None:
    """After {}, CountTableRows of the version before it counts its rows, also with a predicate on its columns."""
    id, before = _changed(catalog, case)
    equal(catalog.count_table_rows(id, version=before).json, len(ROWS), "the count of rows")
    predicate = "name <> 'row 4' AND n > 1"
    equal(catalog.count_table_rows(id, version=before, predicate=predicate).json, 2, f"the count with {predicate}")


@must("lance.past.count.new_column", operations=["CountTableRows"], clause="predicate-invalid", kind="error")
def test_count_of_a_later_column(catalog: LanceCatalog) -> None:
    """CountTableRows of a version before a column was added returns 400 or 404 for a predicate on that column."""
    id, before = _changed(catalog, COLUMN_CHANGES["add_columns"])
    catalog.control(lambda: catalog.count_table_rows(id, predicate="a > 1"))
    catalog.count_table_rows(id, version=before, predicate="a > 1", expect=(400, 404))


@must("lance.past.plan.{}", clause="version-past", each=PLANS)
def test_plan_of_the_past(catalog: LanceCatalog, case: Operation) -> None:
    """{} of the version before a column was dropped accepts a filter on that column."""
    id, before = _changed(catalog, COLUMN_CHANGES["drop_columns"])
    query: dict[str, Any] = {"vector": {}, "k": 5, "filter": "n > 1", "version": before}
    catalog.send(case.id, id, {"query": query} if case.id == "ExplainTableQueryPlan" else query)


RESTORED = {
    name: change for name, change in CHANGES.items() if name not in ("create_overwrite", "restore", "insert_nothing")
}


@must("lance.past.restored.{}", operations=["RestoreTable"], clause="restore-equal", kind="data", each=RESTORED)
def test_restored_version_equals_the_past(catalog: LanceCatalog, case: Change) -> None:
    """RestoreTable to the version before {} brings back its columns and rows, to which later inserts add."""
    id, before = _changed(catalog, case)
    catalog.restore_table(id, version=before)
    same_items(catalog.rows(id), ROWS, "the rows of the table")
    catalog.insert_into_table(id, stream(people(5, 1)))
    same_items(catalog.rows(id), people(0, 6).to_pylist(), "the rows after the next insert")


DETAILS = {
    "detailed": DETAILED,
    "brief": {"load_detailed_metadata": False},
    "uri": {"with_table_uri": True},
    "everything": {"with_table_uri": True, **DETAILED},
}


@must(
    "lance.past.missing.{}",
    operations=["DescribeTable"],
    clause="version-not-found",
    kind="error",
    each=DETAILS,
    reads=True,
)
def test_missing_version_in_any_detail(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """DescribeTable of a missing version returns 404 with code 11, whatever detail it asks for ({})."""
    refused = catalog.describe_table(catalog.new_table(), version=MISSING_VERSION, _query=case, expect=404)
    equal(refused.code, 11, "the code of the error")


@must("lance.past.location.{}", operations=["DescribeTable"], clause="describe-location", each=DETAILS)
def test_location_of_the_past(catalog: LanceCatalog, case: dict[str, Any]) -> None:
    """DescribeTable of an earlier version returns the location of the table, whatever detail it asks for ({})."""
    id, before = _changed(catalog, CHANGES["insert"])
    latest = catalog.describe_table(id)["location"]
    described = catalog.describe_table(id, version=before, _query=case)
    equal(described["location"], latest, "the location in the description of the earlier version")


@must("lance.past.exists", operations=["TableExists", "DescribeTable"], clause="table-exists", world=OFF_BRANCHES)
def test_versions_exist_as_they_are_described(catalog: LanceCatalog) -> None:
    """TableExists with an earlier, the latest or a missing version returns the status that DescribeTable returns."""
    id, before = _changed(catalog, CHANGES["insert"])
    for version in (before, catalog.version(id), MISSING_VERSION):
        status = catalog.describe_table(id, version=version, expect=(200, 404)).status
        catalog.table_exists(id, version=version, expect=status)


RECORD = ("manifest_size", "e_tag", "timestamp_millis", "metadata")


@must("lance.past.record", operations=["ListTableVersions"], clause="version-record")
def test_records_stay(catalog: LanceCatalog) -> None:
    """ListTableVersions returns the same time, size and metadata of a version after later changes and tags."""
    id, first = new_people(catalog)
    before = _records(catalog, id)
    contains(before, [first], "the listed versions")
    with catalog.client.preparing():
        catalog.create_table_tag(id, tag="old", version=first)
        for change in ("insert", "delete", "update", "restore"):
            CHANGES[change].act(catalog, id, first)
    after = _records(catalog, id)
    contains(after, before, "the listed versions")
    for version, record in before.items():
        equal(after[version], record, f"the record of the version {version}")


def _records(catalog: LanceCatalog, id: Names) -> dict[int, dict[str, Any]]:
    """Return the listed record of each version, by its number."""
    versions = collect(lambda **page: catalog.list_table_versions(id, **page), "versions")
    return {
        version["version"]: {name: version.get(name) for name in RECORD if version.get(name) is not None}
        for version in versions
    }
