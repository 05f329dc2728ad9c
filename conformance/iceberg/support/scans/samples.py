"""Samples for scans: schemas, rows for many different partitions, and partition layouts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import groupby
from typing import Any

from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import field, partition, schema, spec
from conformance.iceberg.support.scans.manifests import Row, WrittenFile
from conformance.iceberg.support.scans.tables import ScanTable, new_scan_table
from conformance.values.outcomes import Skipped
from conformance.values.resources import TABLE

NAN = float("nan")
MOST_LOADED = 5  # existing tables that a read-only run loads to find one with a snapshot
PLACE = {"type": "struct", "fields": [field(8, "x", "int"), field(9, "town", "string")]}
EVENTS = schema(
    field(1, "id", required=True),
    field(2, "name", "string"),
    field(3, "day", "date"),
    field(4, "amount", "double"),
    field(5, "at", "timestamptz"),
    field(6, "price", "decimal(9, 2)"),
    field(7, "place", PLACE),
)
TYPES = {
    "id": "long",
    "name": "string",
    "day": "date",
    "amount": "double",
    "at": "timestamptz",
    "price": "decimal(9, 2)",
    "place.x": "int",
    "place.town": "string",
}


def event(id: int, name: str | None, at: datetime | None, amount: float | None, price: str | None) -> dict[str, Any]:
    """Return a row of EVENTS; its day follows from `at`, its place from its id."""
    return {
        "id": id,
        "name": name,
        "day": at.date() if at else None,
        "amount": amount,
        "at": at,
        "price": None if price is None else Decimal(price),
        "place": {"x": id % 3, "town": f"town {id % 2}"} if id % 4 else None,
    }


ROWS = (
    event(-21, "apple", datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), -0.5, "-0.01"),
    event(-1, "apricot", datetime(1970, 1, 1, 0, 0, 0, 0, UTC), 0.0, "0.00"),
    event(0, None, None, None, None),
    event(1, "", datetime(2023, 12, 31, 23, 0, 0, 1, UTC), NAN, "9.99"),
    event(9, "banana", datetime(2024, 1, 1, 0, 30, 0, 0, UTC), 1.25, "10.00"),
    event(10, "bananas", datetime(2024, 2, 29, 12, 0, 0, 5, UTC), 1e300, "10.01"),
    event(34, "Zürich ✓", datetime(2024, 2, 29, 13, 0, 0, 5, UTC), 7.0, "1234567.89"),
    event(9_007_199_254_740_993, "zebra", datetime(2026, 8, 31, 23, 59, 59, 999999, UTC), None, "-1234567.89"),
)

# Partition specs, and the columns that filters on each use.
LAYOUTS: dict[str, tuple[Mapping[str, Any] | None, tuple[str, ...]]] = {
    "none": (None, ("id", "name", "amount", "price", "place.x")),
    "identity": (spec(partition(2, "name_part")), ("name", "id")),
    "identity_long": (spec(partition(1, "id_part")), ("id",)),
    "identity_date": (spec(partition(3, "day_part")), ("day", "at")),
    "identity_double": (spec(partition(4, "amount_part")), ("amount",)),
    "identity_decimal": (spec(partition(6, "price_part")), ("price",)),
    "bucket": (spec(partition(2, "name_bucket", "bucket[4]")), ("name",)),
    "bucket_long": (spec(partition(1, "id_bucket", "bucket[3]")), ("id",)),
    "bucket_decimal": (spec(partition(6, "price_bucket", "bucket[5]")), ("price",)),
    "bucket_timestamp": (spec(partition(5, "at_bucket", "bucket[5]")), ("at",)),
    "truncate": (spec(partition(2, "name_start", "truncate[2]")), ("name",)),
    "truncate_long": (spec(partition(1, "id_tens", "truncate[10]")), ("id",)),
    "truncate_decimal": (spec(partition(6, "price_units", "truncate[100]")), ("price",)),
    "year": (spec(partition(5, "at_year", "year")), ("at",)),
    "month": (spec(partition(3, "day_month", "month")), ("day",)),
    "day": (spec(partition(5, "at_day", "day")), ("at",)),
    "hour": (spec(partition(5, "at_hour", "hour")), ("at",)),
    "void": (spec(partition(2, "name_void", "void")), ("name",)),
    "several": (spec(partition(5, "at_day", "day"), partition(2, "name_bucket", "bucket[3]")), ("at", "name")),
}


def new_events(catalog: IcebergCatalog, layout: str = "none", *, version: int = 2) -> ScanTable:
    """Return a table of ROWS in one snapshot, with files of one partition and at most two rows each."""
    table = new_scan_table(catalog, EVENTS, LAYOUTS[layout][0], version=version)
    table.commit(*files_of(table, ROWS))
    return table


def any_events(catalog: IcebergCatalog) -> Names:
    """Return a table with a snapshot: a new one of ROWS, an existing one if the run is read-only.

    Raises Skipped where none of the existing tables has a snapshot.
    """
    if not catalog.target.read_only:
        return new_events(catalog).id
    with catalog.client.preparing():
        for id in catalog.target.given.of(TABLE, catalog.home)[:MOST_LOADED]:
            if catalog.metadata(id).get("current-snapshot-id") not in (None, -1):
                return id
    raise Skipped("the run found no table with a snapshot", "--table")


def files_of(table: ScanTable, rows: Sequence[Row]) -> list[WrittenFile]:
    """Write data files of rows, each of one partition of the default spec and at most two rows."""
    spec_id = table.metadata["default-spec-id"]

    def key(row: Row) -> str:
        return repr(table.partition(row, spec_id))

    groups = [list(group) for _, group in groupby(sorted(rows, key=key), key)]
    return [table.data(*pair) for group in groups for pair in _pairs(group)]


def _pairs(rows: Sequence[Row]) -> Iterable[Sequence[Row]]:
    return (rows[start : start + 2] for start in range(0, len(rows), 2))


def plain_rows(*ids: int) -> list[dict[str, Any]]:
    """Return rows of SCHEMA: id, name, day."""
    return [{"id": id, "name": f"n{id}", "day": date(2024, 1, 1)} for id in ids]
