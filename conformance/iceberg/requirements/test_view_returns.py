"""replaceView: views that go back to an earlier definition."""

from __future__ import annotations

import time
from typing import Any

from conformance.author.checks import above, listed, shows
from conformance.author.checks import number as number_of
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.content import sql, view_body, view_version
from conformance.iceberg.support.metadata import current_version
from conformance.iceberg.support.updates import LAST_ADDED, update

REPLACE = ["replaceView"]
KEPT = ["iceberg.view.commit.kept"]
FIRST, SECOND = sql("SELECT 1"), sql("SELECT 2")
PAUSE_SECONDS = 1.1  # for servers whose clock counts seconds


def _replace(catalog: IcebergCatalog, id: Names, text: dict[str, Any], number: int) -> Any:
    added = update("add-view-version", view_version=view_version(catalog.home, text, id=number))
    current = update("set-current-view-version", view_version_id=LAST_ADDED)
    return catalog.replace_view(id, [added, current])["metadata"]


def _choose(catalog: IcebergCatalog, id: Names, version: int) -> Any:
    return catalog.replace_view(id, [update("set-current-view-version", view_version_id=version)])["metadata"]


def _times(metadata: Any) -> tuple[int, int]:
    """Return the times of the first and the last entry of the history of a view."""
    times = [entry["timestamp-ms"] for entry in listed(metadata["version-log"], "the version-log")]
    return number_of(times[0], "the time of the first entry"), number_of(times[-1], "the time of the last entry")


@must("iceberg.view_again.definition", operations=REPLACE, clause="replace-view-version", needs=KEPT)
def test_earlier_definition_comes_back(catalog: IcebergCatalog) -> None:
    """A view version with the definition of an earlier one is accepted and becomes current."""
    id = catalog.new_view(**view_body(catalog.home, FIRST))
    for number, text in ((2, SECOND), (3, FIRST), (4, SECOND)):
        metadata = _replace(catalog, id, text, number)
        shows(current_version(metadata)["representations"], [text], "the representations of the current version")


@must("iceberg.view_again.time", operations=REPLACE, clause="replace-view-log-time", needs=KEPT)
def test_return_is_logged_with_its_time(catalog: IcebergCatalog) -> None:
    """When a view goes back to an earlier version, version-log has the time of the change, not of that version."""
    id = catalog.new_view(**view_body(catalog.home, FIRST))
    first = catalog.view_metadata(id)["current-version-id"]
    second = _replace(catalog, id, SECOND, 2)["current-version-id"]
    start, end = _times(_choose(catalog, id, first))
    if end <= start:
        time.sleep(PAUSE_SECONDS)
        _choose(catalog, id, second)
        start, end = _times(_choose(catalog, id, first))
    above(end, start, "the time of the last entry of the version-log")
