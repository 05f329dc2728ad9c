"""ListTableVersions, DescribeTableVersion and RestoreTable."""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

from conformance.author.checks import above, at_least, contains, equal, holds, keyed, number, one_of, same_items, text
from conformance.author.requirement import given, must, should
from conformance.author.strategies import tables
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.support.arrow import stream
from conformance.lance.support.checks import table_is_missing
from conformance.lance.support.listing import collect
from conformance.lance.support.ordinary import accepts
from conformance.lance.support.versions import check_transaction
from conformance.values.outcomes import Unoffered

LIST, DESCRIBE, RESTORE = ["ListTableVersions"], ["DescribeTableVersion"], ["RestoreTable"]

DAY_MILLIS = 86_400_000


def new_versioned(catalog: LanceCatalog, inserts: int = 3) -> tuple[Names, list[int]]:
    """Create a table with several versions; return its id and the versions, oldest first.

    The first version has 3 rows, each later one a row more.
    """
    id = catalog.new_table(rows=3)
    numbers = [catalog.version(id)]
    for place in range(inserts):
        catalog.insert_into_table(id, stream(tables(1, first=3 + place)))
        numbers.append(catalog.version(id))
    return id, numbers


def listed(catalog: LanceCatalog, id: Names, **query: Any) -> list[int]:
    """Return the listed versions, in the order of the listing."""
    versions = collect(lambda **page: catalog.list_table_versions(id, **page), "versions", **query)
    return [version["version"] for version in versions]


# ListTableVersions


@must("lance.version.list.all", operations=LIST, clause="list-versions")
@given(inserts=st.integers(0, 4))
def test_list_has_all_versions(catalog: LanceCatalog, inserts: int) -> None:
    """ListTableVersions returns every version once."""
    id, numbers = new_versioned(catalog, inserts)
    same_items(listed(catalog, id), numbers, "the listed versions")


@must("lance.version.list.descending", operations=LIST, clause="list-versions-descending")
@given(limit=st.sampled_from([None, 1, 2, 3]))
def test_newest_first(catalog: LanceCatalog, limit: int | None) -> None:
    """ListTableVersions with descending=true returns the newest versions first, across all pages."""
    id, numbers = new_versioned(catalog)
    equal(listed(catalog, id, descending=True, limit=limit), numbers[::-1], "the listed versions")


@must("lance.version.list.latest", operations=LIST, clause="list-versions-descending")
def test_latest_version_by_the_list(catalog: LanceCatalog) -> None:
    """ListTableVersions with descending=true and limit 1 returns the latest version."""
    id, numbers = new_versioned(catalog)
    page = catalog.list_table_versions(id, descending=True, limit=1)["versions"]
    equal([version["version"] for version in page], numbers[-1:], "the versions of the page")


@should("lance.version.list.times", operations=LIST, clause="version-times")
def test_times_rise(catalog: LanceCatalog) -> None:
    """ListTableVersions returns current timestamps in milliseconds that never decrease from version to version."""
    id, _ = new_versioned(catalog)
    versions = sorted(catalog.list_table_versions(id)["versions"], key=_number)
    times = [version["timestamp_millis"] for version in versions if version.get("timestamp_millis") is not None]
    if not times:
        raise Unoffered("the versions have no times")
    for earlier, later in pairwise(times):
        at_least(later, earlier, "the timestamp_millis of a version after another")
    latest = number(times[-1], "the timestamp_millis of the latest version")
    holds(abs(latest - time.time() * 1000) < DAY_MILLIS, f"the timestamp_millis {latest} is of today")


def _number(version: Any) -> int:
    return number(version["version"], "the number of a version")


@must("lance.version.list.manifests", operations=LIST, clause="version-manifests")
def test_manifests_differ(catalog: LanceCatalog) -> None:
    """ListTableVersions returns a different manifest_path for every version."""
    id, numbers = new_versioned(catalog)
    versions = catalog.list_table_versions(id)["versions"]
    paths = {text(version["manifest_path"], "the manifest_path of a version") for version in versions}
    at_least(len(versions), len(numbers), "the number of listed versions")
    equal(len(paths), len(versions), "the number of different manifests")


# DescribeTableVersion


@must("lance.version.describe.number", operations=DESCRIBE, clause="describe-version-number", twin=True)
def test_describe_any_version(catalog: LanceCatalog) -> None:
    """DescribeTableVersion describes any version by its number, with the manifest_path of the listing."""
    id, numbers = new_versioned(catalog)
    entries = keyed(catalog.list_table_versions(id)["versions"], "version")
    for wanted in numbers:
        described = catalog.describe_table_version(id, version=wanted)["version"]
        contains(entries, [wanted], "the listed versions")
        equal(described["version"], wanted, "the version")
        path = entries[wanted]["manifest_path"]
        equal(described["manifest_path"], path, f"the manifest_path of the version {wanted}")


@should("lance.version.describe.latest", operations=DESCRIBE, clause="describe-version-latest")
def test_describe_latest_version(catalog: LanceCatalog) -> None:
    """DescribeTableVersion without a number describes the latest version."""
    id, numbers = new_versioned(catalog)
    equal(catalog.describe_table_version(id)["version"]["version"], numbers[-1], "the latest version")
    catalog.insert_into_table(id, stream(tables(1)))
    above(catalog.describe_table_version(id)["version"]["version"], numbers[-1], "the version after the insert")


@should("lance.version.describe.size", operations=DESCRIBE, clause="version-manifests")
def test_manifest_size(catalog: LanceCatalog) -> None:
    """DescribeTableVersion returns a positive manifest_size, if it returns one."""
    id, _ = new_versioned(catalog)
    above(catalog.describe_table_version(id)["version"].get("manifest_size", 1), 0, "the manifest_size")


# RestoreTable


@must("lance.version.restore.rows", operations=RESTORE, clause="restore-table")
@given(place=st.integers(0, 2))
def test_restore_brings_rows_back(catalog: LanceCatalog, place: int) -> None:
    """RestoreTable brings back the rows of the restored version."""
    id, numbers = new_versioned(catalog, inserts=2)
    catalog.restore_table(id, version=numbers[place])
    equal(catalog.count_table_rows(id).json, 3 + place, "the count of rows")


@should("lance.version.restore.new_version", operations=RESTORE, clause="restore-version")
def test_restore_makes_a_version(catalog: LanceCatalog) -> None:
    """RestoreTable creates a new version and keeps the versions between."""
    id, numbers = new_versioned(catalog, inserts=2)
    catalog.restore_table(id, version=numbers[0])
    above(catalog.version(id), numbers[-1], "the version after the restore")
    equal(catalog.count_table_rows(id, version=numbers[-1]).json, 5, "the count of rows")
    versions = set(listed(catalog, id))
    contains(versions, numbers, "the listed versions")
    above(len(versions), len(set(numbers)), "the number of listed versions")


@should("lance.version.restore.undone", operations=RESTORE, clause="restore-version")
def test_restore_can_be_undone(catalog: LanceCatalog) -> None:
    """RestoreTable to the version before a restore undoes that restore."""
    id, numbers = new_versioned(catalog, inserts=1)
    catalog.restore_table(id, version=numbers[0])
    catalog.restore_table(id, version=numbers[1])
    equal(catalog.count_table_rows(id).json, 4, "the count of rows")


@must("lance.version.restore.latest", operations=RESTORE, clause="restore-table")
def test_restore_latest_version(catalog: LanceCatalog) -> None:
    """RestoreTable to the latest version succeeds repeatedly and changes no row."""
    id, _ = new_versioned(catalog, inserts=1)
    for _ in range(3):
        catalog.restore_table(id, version=catalog.version(id))
    equal(catalog.count_table_rows(id).json, 4, "the count of rows")


@should("lance.version.restore.transaction", operations=RESTORE, clause="transaction-known")
def test_restore_transaction_is_known(catalog: LanceCatalog) -> None:
    """DescribeTransaction knows the transaction_id that RestoreTable returns."""
    id, numbers = new_versioned(catalog, inserts=1)
    check_transaction(catalog, catalog.restore_table(id, version=numbers[0]))


# All operations

BODIES: dict[str, tuple[str, Any]] = {
    "list": ("ListTableVersions", None),
    "describe": ("DescribeTableVersion", {}),
    "restore": ("RestoreTable", {"version": 1}),
}


@must(
    "lance.version.{}.missing",
    operations=lambda case: [case[0]],
    clause="table-not-found",
    kind="error",
    each=BODIES,
    reads=True,
)
def test_versions_of_missing_table(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A version request ({}) on a missing table returns 404 with code 4, or 11 for its version."""
    refused = catalog.send(case[0], catalog.table_id("missing"), case[1], expect=404)
    table_is_missing(refused, case[0])


WRONG: dict[str, tuple[str, Any]] = {
    "describe_text": ("DescribeTableVersion", {"version": "latest"}),
    "restore_nothing": ("RestoreTable", {}),
    "restore_fraction": ("RestoreTable", {"version": 1.5}),
}


@must(
    "lance.version.body.{}",
    operations=lambda case: [case[0]],
    clause="request-schemas",
    kind="error",
    each=WRONG,
    reads=True,
)
def test_wrong_numbers(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A version request with an invalid or absent version ({}) returns 400 with code 13."""
    accepts(catalog, case[0])
    equal(catalog.send(case[0], catalog.new_table(), case[1], expect=400).code, 13, "the code of the error")


ODD: dict[str, tuple[str, Any]] = {
    f"{name}.{size}": (operation, {"version": number})
    for name, operation in (("describe", "DescribeTableVersion"), ("restore", "RestoreTable"))
    for size, number in (("negative", -1), ("zero", 0), ("largest", 2**63 - 1))
}


@must(
    "lance.version.{}",
    operations=lambda case: [case[0]],
    clause="version-numbers",
    kind="hostile",
    each=ODD,
    reads=True,
)
def test_numbers_of_no_version(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A request for a version number that the table lacks ({}) returns 400 or 404 and changes nothing."""
    id = catalog.new_table() if catalog.target.read_only else new_versioned(catalog, inserts=1)[0]
    before = catalog.version(id)
    refused = catalog.send(case[0], id, case[1], expect=(400, 404))
    one_of(refused.code, (11, 13), "the code of the error")
    equal(catalog.version(id), before, "the version of the table")


@should("lance.version.{}.declared", operations=lambda case: [case[0]], clause="versions-of-declared", each=BODIES)
def test_versions_of_declared_table(catalog: LanceCatalog, case: tuple[str, Any]) -> None:
    """A version request ({}) on a declared-only table returns an error or an empty list."""
    id = catalog.new_declared_table()
    answer = catalog.send(case[0], id, case[1], expect=(200, 404) if case[0] == "ListTableVersions" else (400, 404))
    if answer.succeeded:
        equal(answer["versions"], [], "the listed versions")
