"""Metadata in answers that contradict themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reference_server.faults import declare
from reference_server.iceberg.faults.blocks import TABLES_SHOWN, VIEWS_SHOWN, metadata_become
from reference_server.iceberg.metadata.reading import Json

LOAD_TABLE, LOAD_VIEW, UPDATE = ["loadTable"], ["loadView"], ["updateTable"]

CURRENT_IDS = ("current-schema-id", "default-spec-id", "default-sort-order-id")

UNBORN: Json = {"main": {"snapshot-id": -1, "type": "branch"}}


def _changed(name: str, edit: Callable[[Any], Any]) -> Any:
    """Return an edit of one field of metadata, where there is one."""
    return metadata_become(lambda found: {**found, name: edit(found[name])} if name in found else found)


def _statistics_numbered(found: Json) -> Json:
    entries = enumerate(found.get("statistics", ()), 1)
    return {**found, "statistics": [{**one, "snapshot-id": number} for number, one in entries]}


def _versions_from_zero(found: Json) -> Json:
    lists = {name: [_counted_down(one) for one in found[name]] for name in ("versions", "version-log")}
    return {**found, "current-version-id": found["current-version-id"] - 1, **lists}


def _counted_down(entry: Json) -> Json:
    return {**entry, "version-id": entry["version-id"] - 1}


declare(
    "metadata-incomplete",
    "Metadata of version 2 lack the last sequence number.",
    metadata_become(lambda found: {key: found[key] for key in found if key != "last-sequence-number"}),
    on=LOAD_TABLE,
)
declare(
    "metadata-ids-from-one",
    "The ids of what is current or default count from one, the ids of what they name from zero.",
    metadata_become(lambda found: {**found, **{name: found[name] + 1 for name in CURRENT_IDS}}),
    on=LOAD_TABLE,
)
declare(
    "metadata-main-unborn",
    "A table without snapshots has a branch main all the same, which points to -1.",
    _changed("refs", lambda refs: refs or UNBORN),
    on=LOAD_TABLE,
)
declare(
    "metadata-doubled",
    "Metadata show their partition specs twice.",
    _changed("partition-specs", lambda specs: specs + specs),
    on=LOAD_TABLE,
)
declare(
    "metadata-last-column-id-counted",
    "The last column id is the number of columns, less one.",
    metadata_become(lambda found: {**found, "last-column-id": len(found["schemas"][0]["fields"]) - 1}),
    on=LOAD_TABLE,
)
declare(
    "metadata-sequence-number-kept-at-zero",
    "The last sequence number stays 0, whatever snapshots there are.",
    _changed("last-sequence-number", lambda _: 0),
    on=UPDATE,
)
declare(
    "metadata-log-backwards",
    "The snapshot log has the latest entry first.",
    _changed("snapshot-log", lambda log: log[::-1]),
    on=TABLES_SHOWN,
)
declare(
    "metadata-statistics-numbered",
    "Statistics name the number of a snapshot instead of its id.",
    metadata_become(_statistics_numbered),
    on=TABLES_SHOWN,
)
declare(
    "metadata-row-ids-forgotten",
    "The next row id of a table of version 3 stays 0.",
    _changed("next-row-id", lambda _: 0),
    on=TABLES_SHOWN,
)

# Views
declare(
    "view-versions-from-zero",
    "Versions of a view count from zero.",
    metadata_become(_versions_from_zero),
    on=VIEWS_SHOWN,
)
declare(
    "view-current-off-by-one",
    "The current version of a view is the number of its versions, counted from zero.",
    metadata_become(lambda found: {**found, "current-version-id": len(found["versions"]) - 1}),
    on=LOAD_VIEW,
)
declare("view-log-empty", "A view shows no history.", _changed("version-log", lambda _: []), on=VIEWS_SHOWN)
declare(
    "view-metadata-doubled",
    "A view shows its versions twice.",
    _changed("versions", lambda versions: versions + versions),
    on=VIEWS_SHOWN,
)
