"""Scans: requests bound to the metadata of their table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from reference_server.errors import InvalidInput
from reference_server.iceberg.metadata.columns import Column, Columns
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.snapshots import PARENT, ancestors
from reference_server.iceberg.scans.expressions import ALWAYS, Expression
from reference_server.iceberg.scans.filters import read_filter
from reference_server.iceberg.scans.names import ColumnNames
from reference_server.iceberg.scans.partitions import Spec, all_columns, bound_specs, current_schema

MAIN = "main"
SNAPSHOT, START, END = "snapshot-id", "start-snapshot-id", "end-snapshot-id"
APPEND = "append"


@dataclass(frozen=True)
class Scan:
    """A scan: of one snapshot, or of the appends after `start` up to it.

    `stats` are the ids of the columns whose statistics are requested; `enough` is the number of rows after which the
    scan may stop, None for all.
    """

    metadata: Json
    snapshot: Json | None
    start: int | None
    schema: Json
    filter: Expression
    stats: frozenset[int]
    enough: int | None

    @property
    def pin(self) -> Pin:
        """The ids with which the same scan can be made again later."""
        return Pin(self.snapshot["snapshot-id"] if self.snapshot else None, self.schema["schema-id"])

    @cached_property
    def columns(self) -> Mapping[int, Column]:
        """The present and former columns of the table by id, in the form of the scan's schema where it has them."""
        return all_columns(self.metadata, self.schema)

    @cached_property
    def specs(self) -> Mapping[int, Spec]:
        """The partition specs of the table, by id."""
        return bound_specs(self.metadata, self.schema)

    def appends(self) -> list[Json]:
        """Return the snapshots of a range that only added rows, the newest first."""
        later = takewhile(lambda snapshot: snapshot["snapshot-id"] != self.start, _walk(self.metadata, self.snapshot))
        return [snapshot for snapshot in later if snapshot.get("summary", {}).get("operation", APPEND) == APPEND]


@dataclass(frozen=True, slots=True)
class Pin:
    """Ids of the snapshot and the schema of a scan plan, independent of later changes of the table."""

    snapshot: int | None
    schema: int


def read_scan(metadata: Json, request: Json, pin: Pin | None = None) -> Scan:
    """Return the scan of a request; `pin` has the ids of its first planning.

    Raises InvalidInput for unknown snapshots, columns and filters, and for one snapshot together with a range.
    """
    _check_choice(request)
    snapshot = _pinned_snapshot(metadata, pin) if pin else _snapshot(metadata, request)
    start = request.get(START)
    if start is not None:
        _check_range(metadata, snapshot, start)
    of_snapshot = snapshot.get("schema-id") if request.get("use-snapshot-schema") and snapshot else None
    schema = _schema(metadata, pin.schema if pin else of_snapshot)
    names = ColumnNames(Columns(schema), case_sensitive=request.get("case-sensitive", True))
    names.check(request.get("select") or ())
    expression = read_filter(request["filter"], names) if "filter" in request else ALWAYS
    rows = request.get("min-rows-requested")
    return Scan(
        metadata=metadata,
        snapshot=snapshot,
        start=start,
        schema=schema,
        filter=expression,
        stats=names.ids_below(request.get("stats-fields") or ()),
        enough=rows if rows and rows > 0 else None,
    )


def _check_choice(request: Json) -> None:
    start, end = request.get(START), request.get(END)
    if (start is None) != (end is None):
        raise InvalidInput(f"{START} and {END} belong together; one of them is missing.")
    if end is not None and request.get(SNAPSHOT) is not None:
        raise InvalidInput(f"A scan reads either one snapshot ({SNAPSHOT}) or a range ({START}, {END}).")


def _snapshot(metadata: Json, request: Json) -> Json | None:
    """Return the snapshot to read, or the last one of the range; None for a table without snapshots."""
    requested = request.get(END, request.get(SNAPSHOT))
    snapshot_id = requested
    if snapshot_id is None:
        main = metadata.get("refs", {}).get(MAIN)
        snapshot_id = main["snapshot-id"] if main else None
    snapshot = next((candidate for candidate in metadata["snapshots"] if candidate["snapshot-id"] == snapshot_id), None)
    if snapshot is None and requested is not None:
        raise InvalidInput(f"The table has no snapshot {requested}.")
    return snapshot


def _check_range(metadata: Json, end: Json | None, start: int) -> None:
    """Raise InvalidInput unless the start of a range is an ancestor of its end; the start may have expired."""
    if any(start in (snapshot["snapshot-id"], snapshot.get(PARENT)) for snapshot in _walk(metadata, end)):
        return
    raise InvalidInput(f"The snapshot {start} is not an ancestor of the last one of the range.")


def _walk(metadata: Json, snapshot: Json | None) -> Iterator[Json]:
    return ancestors(snapshot, {known["snapshot-id"]: known for known in metadata["snapshots"]})


def _pinned_snapshot(metadata: Json, pin: Pin) -> Json | None:
    return None if pin.snapshot is None else _snapshot(metadata, {SNAPSHOT: pin.snapshot})


def _schema(metadata: Json, schema_id: int | None) -> Json:
    """Return the schema with an id; the current one for None, and for a removed schema."""
    schema: Json | None = next(
        (candidate for candidate in metadata["schemas"] if candidate["schema-id"] == schema_id), None
    )
    return schema or current_schema(metadata)
