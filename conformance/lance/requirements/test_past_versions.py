"""Earlier versions: described, queried and counted as they were, and restored whole."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal
from conformance.author.requirement import must
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.listing import collect
from conformance.lance.support.queries import PLANS
from conformance.lance.support.versions import MISSING_VERSION
from conformance.lance.support.views import CHANGES, COLUMN_CHANGES, Change, new_people, people
from conformance.lance.worlds import OFF_BRANCHES
from specs.openapi import Operation

ROWS = people(0, 5).to_pylist()
DETAILED = {"load_detailed_metadata": True}
# Changes after which the version before them is read.
LATER = {name: CHANGES[name] for name in ("insert_overwrite", "update", "delete", "merge_upsert", "restore")}


def _changed(catalog: LanceCatalog, change: Change) -> tuple[Names, int]:
    """Create a table of ROWS and change it; return its id and the version before the change."""
    with catalog.client.preparing():
        id, first = new_people(catalog)
        before = catalog.version(id)
        change.act(catalog, id, first)
    return id, before


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
