"""reportMetrics."""

from __future__ import annotations

from typing import Any

from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.commits import same_metadata
from conformance.iceberg.support.errors import type_is
from conformance.iceberg.support.reports import COMMIT, REPORTS, SCAN

METRICS = ["reportMetrics"]


@must("iceberg.table.metrics.{}", operations=METRICS, clause="report-metrics", each=REPORTS)
def test_metrics_are_taken(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """The report of a {} is taken with 204."""
    catalog.report_metrics(catalog.new_table(), **case)


@should("iceberg.table.metrics.harmless", operations=METRICS, clause="report-metrics-harmless")
def test_metrics_change_nothing(catalog: IcebergCatalog) -> None:
    """A report leaves the table as it was."""
    id = catalog.new_table()
    before = catalog.metadata(id)
    catalog.report_metrics(id, **COMMIT)
    same_metadata(catalog, catalog.metadata(id), before, "the metadata of the table")


@must("iceberg.table.metrics.missing", operations=METRICS, clause="report-metrics-not-found", kind="error")
def test_metrics_of_missing_table(catalog: IcebergCatalog) -> None:
    """A report on a table that does not exist is refused with 404 of type NoSuchTableException."""
    refused = catalog.report_metrics(catalog.table_id("missing"), expect=404, **SCAN)
    type_is(refused, "NoSuchTableException")


LACKING = {"type": "report_type", "metrics": "metrics"}


@must("iceberg.table.metrics.without_{}", operations=METRICS, clause="report-metrics-bad", kind="error", each=LACKING)
def test_bad_metrics(catalog: IcebergCatalog, case: str) -> None:
    """A report without its {} is refused with 400."""
    report = {key: value for key, value in SCAN.items() if key != case}
    id = catalog.new_table()
    catalog.report_metrics(id, expect=400, **report)
    catalog.control(lambda: catalog.report_metrics(id, **SCAN))
