"""CreateTableVersion and BatchDeleteTableVersions: managed versioning."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.checks import contains, equal, holds, keyed, lacks, same_items
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.arrow import stream
from conformance.lance.support.staging import stage
from conformance.lance.support.versions import VERSIONS, new_table_with_versions, numbers
from conformance.lance.worlds import UNTAGGED
from conformance.target import hostile
from conformance.target.hostile import Canary
from conformance.target.target import OFFERED

CREATE = ["CreateTableVersion"]
DELETE = ["BatchDeleteTableVersions"]


# CreateTableVersion


@must("lance.version.create.latest", operations=CREATE, clause="create-version", twin=True)
def test_created_version_is_the_latest(catalog: LanceCatalog) -> None:
    """CreateTableVersion with a staged manifest creates the latest version: it is listed, described and read."""
    id = catalog.new_table(rows=3)
    staged = stage(catalog, id, rows=2)
    catalog.create_table_version(id, **staged)
    equal(catalog.describe_table_version(id)["version"]["version"], staged["version"], "the latest version")
    equal(numbers(catalog, id)[-1], staged["version"], "the greatest listed version")
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")


@must("lance.version.create.answer", operations=CREATE, clause="create-version-answer")
def test_created_version_is_answered(catalog: LanceCatalog) -> None:
    """CreateTableVersion returns the number of the created version, if it returns a version."""
    id = catalog.new_table()
    staged = stage(catalog, id)
    version = catalog.create_table_version(id, **staged).get("version")
    if version is not None:
        equal(version["version"], staged["version"], "the version in the answer")


@must("lance.version.create.taken", operations=CREATE, clause="create-version-conflict", kind="error")
def test_version_that_exists_is_not_replaced(catalog: LanceCatalog) -> None:
    """CreateTableVersion of an existing version returns 409 with code 14 and replaces nothing."""
    id = catalog.new_table(rows=3)
    staged = stage(catalog, id, rows=2)
    catalog.insert_into_table(id, stream(tables(1)))
    refused = catalog.create_table_version(id, **staged, expect=409)
    equal(refused.code, 14, "the code of the error")
    equal(catalog.count_table_rows(id, version=staged["version"]).json, 4, "the count of rows")


@must("lance.version.create.twice", operations=CREATE, clause="create-version-conflict", kind="error")
def test_version_is_not_made_twice(catalog: LanceCatalog) -> None:
    """Repeating a completed CreateTableVersion request returns 409."""
    id = catalog.new_table(rows=3)
    staged = stage(catalog, id, rows=2)
    catalog.create_table_version(id, **staged)
    catalog.create_table_version(id, **staged, expect=409)
    equal(catalog.count_table_rows(id).json, 5, "the count of rows")


@must("lance.version.create.next", operations=CREATE, clause="create-version-conflict")
def test_loser_makes_the_next_version(catalog: LanceCatalog) -> None:
    """After CreateTableVersion returns 409, a version staged on the new latest version succeeds."""
    id = catalog.new_table(rows=3)
    lost = stage(catalog, id, rows=2)
    catalog.insert_into_table(id, stream(tables(1)))
    catalog.create_table_version(id, **lost, expect=409)
    catalog.create_table_version(id, **stage(catalog, id, rows=2))
    equal(catalog.count_table_rows(id).json, 6, "the count of rows")


@should("lance.version.create.unstaged", operations=CREATE, clause="create-version-staged", kind="error")
def test_version_of_missing_manifest(catalog: LanceCatalog) -> None:
    """CreateTableVersion with a missing manifest returns 400 and leaves the table readable."""
    id = catalog.new_table(rows=3)
    staged = stage(catalog, id)
    path = staged["manifest_path"] + "x"
    catalog.create_table_version(id, **{**staged, "manifest_path": path}, expect=400)
    lacks(numbers(catalog, id), [staged["version"]], "the listed versions")
    equal(catalog.count_table_rows(id).json, 3, "the count of rows")


OUTSIDE: dict[str, Callable[[str, Canary], str]] = {
    "other_table": lambda base, canary: f"{base}/../{{prefix}}_other.lance/_versions/1.manifest-x",
    "root": lambda base, canary: str(canary.path).lstrip("/"),
    "parent": lambda base, canary: canary.climbing,
}


@should(
    "lance.version.create.outside.{}", operations=CREATE, clause="create-version-inside", kind="error", each=OUTSIDE
)
def test_manifest_outside_of_the_table(catalog: LanceCatalog, case: Callable[[str, Canary], str]) -> None:
    """CreateTableVersion with a manifest outside of the table ({}) returns 400 and leaves the file in place."""
    id = catalog.new_table()
    staged = stage(catalog, id)
    canary = catalog.target.canaries.new("1.manifest")
    place = case(staged["manifest_path"].rpartition("/_versions/")[0], canary)
    body = {**staged, "manifest_path": hostile.own(place, catalog.target.prefix)}
    catalog.create_table_version(id, **body, expect=None)
    holds(canary.untouched, "the server leaves a file outside of the table as it is")
    catalog.client.check_status(catalog.client.steps[-1], 400)
    lacks(numbers(catalog, id), [staged["version"]], "the listed versions")


@should("lance.version.create.told", operations=CREATE, clause="create-version-record")
def test_what_is_told_of_a_version_is_kept(catalog: LanceCatalog) -> None:
    """CreateTableVersion stores e_tag and metadata; ListTableVersions and DescribeTableVersion return them."""
    id = catalog.new_table()
    details: dict[str, Any] = {"e_tag": '"of-the-client"', "metadata": {"writer": "a client", "": "ö"}}
    staged = stage(catalog, id)
    catalog.create_table_version(id, **staged, **details)
    entries = keyed(catalog.list_table_versions(id)["versions"], "version")
    contains(entries, [staged["version"]], "the listed versions")
    described = catalog.describe_table_version(id, version=staged["version"])["version"]
    for place, version in (("listed", entries[staged["version"]]), ("described", described)):
        for field, value in details.items():
            equal(version.get(field), value, f"the {field} of the {place} version")


@should("lance.version.create.scheme", operations=CREATE, clause="create-version-scheme", kind="error")
def test_unknown_naming_scheme(catalog: LanceCatalog) -> None:
    """CreateTableVersion with an unknown naming_scheme returns 400 with code 13 and creates no version."""
    id = catalog.new_table()
    staged = stage(catalog, id)
    refused = catalog.create_table_version(id, **{**staged, "naming_scheme": "V999"}, expect=400)
    equal(refused.code, 13, "the code of the error")
    lacks(numbers(catalog, id), [staged["version"]], "the listed versions")
    catalog.create_table_version(id, **staged)


@must("lance.version.create.readable", operations=CREATE, clause="create-version", kind="data")
def test_any_naming_scheme_leaves_the_table_readable(catalog: LanceCatalog) -> None:
    """CreateTableVersion with naming_scheme V1 or V2 returns 400, or the table has the rows of the new version."""
    for scheme in ("V1", "V2"):
        id = catalog.new_table(scheme.lower())
        body = {**stage(catalog, id), "naming_scheme": scheme}
        answer = catalog.create_table_version(id, **body, expect=(200, 400))
        equal(catalog.count_table_rows(id).json, 5 if answer.succeeded else 3, "the count of rows")


MANAGED = ("CreateTableVersion", "ListTableVersions", "DescribeTableVersion")


@must("lance.version.managed", operations=["DescribeTable"], clause="managed-versioning")
def test_managed_versions_are_served(catalog: LanceCatalog) -> None:
    """A server that returns managed_versioning offers the operations that create, list and describe versions."""
    managed = catalog.describe_table(catalog.new_table()).get("managed_versioning")
    missing = [name for name in MANAGED if catalog.target.probes[name].state != OFFERED]
    holds(not (managed and missing), f"a server with managed_versioning has {', '.join(missing)}")


# BatchDeleteTableVersions


RANGES: dict[str, Any] = {
    "one": ([(1, 2)], [0]),
    "several": ([(1, 3)], [0, 1]),
    "none": ([(2, 2)], []),
    "two_ranges": ([(1, 2), (3, 4)], [0, 2]),
    "overlapping": ([(1, 3), (2, 4)], [0, 1, 2]),
    "from_zero": ([(0, 3)], [0, 1]),
    "beyond": ([(1000, 2000)], []),
    "no_range": ([], []),
}


@must("lance.version.delete.range.{}", operations=DELETE, clause="delete-versions-range", each=RANGES, world=UNTAGGED)
def test_delete_versions(catalog: LanceCatalog, case: Any) -> None:
    """BatchDeleteTableVersions deletes exactly the versions of its ranges, without their ends ({})."""
    id = new_table_with_versions(catalog)
    before = numbers(catalog, id)
    ranges, gone = case
    shift = before[0] - 1
    body = [{"start_version": span[0] + shift * (span[0] > 0), "end_version": span[1] + shift} for span in ranges]
    catalog.batch_delete_table_versions(id, ranges=body)
    left = [version for place, version in enumerate(before) if place not in gone]
    equal(numbers(catalog, id), left, "the listed versions")
    equal(catalog.count_table_rows(id).json, VERSIONS, "the count of rows")


@must(
    "lance.version.delete.count",
    operations=DELETE,
    clause="delete-versions-count",
    world=UNTAGGED,
)
def test_deleted_versions_are_counted(catalog: LanceCatalog) -> None:
    """BatchDeleteTableVersions counts each deleted version once in deleted_count, if it returns one."""
    id = new_table_with_versions(catalog)
    first = numbers(catalog, id)[0]
    ranges = [
        {"start_version": first, "end_version": first + 2},
        {"start_version": first + 1, "end_version": first + 3},
    ]
    answer = catalog.batch_delete_table_versions(id, ranges=ranges)
    equal(answer.get("deleted_count", 3), 3, "the deleted_count")


@must("lance.version.delete.gone", operations=DELETE, clause="delete-versions-range", world=UNTAGGED, twin=True)
def test_deleted_version_is_gone(catalog: LanceCatalog) -> None:
    """DescribeTableVersion of a deleted version returns 404 with code 11."""
    id = new_table_with_versions(catalog)
    first = numbers(catalog, id)[0]
    catalog.batch_delete_table_versions(id, ranges=[{"start_version": first, "end_version": first + 1}])
    equal(catalog.describe_table_version(id, version=first, expect=404).code, 11, "the code of the error")


@should("lance.version.delete.all", operations=DELETE, clause="delete-versions-all", world=UNTAGGED)
def test_delete_all_versions(catalog: LanceCatalog) -> None:
    """BatchDeleteTableVersions from 0 to -1 deletes all versions, and the table can still be dropped."""
    id = new_table_with_versions(catalog)
    catalog.batch_delete_table_versions(id, ranges=[{"start_version": 0, "end_version": -1}])
    equal(numbers(catalog, id), [], "the listed versions")
    catalog.drop_table(id)
    catalog.table_exists(id, expect=404)


@must("lance.version.delete.all_rows", operations=DELETE, clause="delete-versions-data", world=UNTAGGED)
def test_rows_outlive_the_records_of_versions(catalog: LanceCatalog) -> None:
    """After BatchDeleteTableVersions of all versions, the rows can still be counted and read."""
    id = new_table_with_versions(catalog, rows=2)
    before = catalog.rows(id)
    catalog.batch_delete_table_versions(id, ranges=[{"start_version": 0, "end_version": -1}])
    equal(catalog.count_table_rows(id).json, len(before), "the count of rows")
    same_items(catalog.rows(id), before, "the rows")


NO_RANGES = {"reversed": (3, 1), "negative_start": (-2, 2), "negative_end": (1, -2)}


@should(
    "lance.version.delete.range.{}", operations=DELETE, clause="delete-versions-no-range", kind="error", each=NO_RANGES
)
def test_delete_no_range(catalog: LanceCatalog, case: tuple[int, int]) -> None:
    """BatchDeleteTableVersions with an invalid range ({}) returns 400 and deletes nothing."""
    id = new_table_with_versions(catalog)
    before = numbers(catalog, id)
    start, end = case
    body = [{"start_version": start, "end_version": end}]
    catalog.batch_delete_table_versions(id, ranges=body, expect=400)
    equal(numbers(catalog, id), before, "the listed versions")
