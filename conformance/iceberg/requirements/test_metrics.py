"""reportMetrics: scan and commit reports."""

from __future__ import annotations

from typing import Any

from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.assertions import same_metadata, type_is
from conformance.iceberg.support.content import COMMIT_REPORT, REPORTS, SCAN_REPORT

METRICS = ["reportMetrics"]


@must("iceberg.table.metrics.{}", operations=METRICS, clause="report-metrics", each=REPORTS, twin=True)
def test_metrics_are_taken(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """reportMetrics accepts a {} report with 204."""
    catalog.report_metrics(catalog.new_table(), **case)


@should("iceberg.table.metrics.harmless", operations=METRICS, clause="report-metrics-harmless")
def test_metrics_change_nothing(catalog: IcebergCatalog) -> None:
    """reportMetrics does not change the table's metadata."""
    id = catalog.new_table()
    before = catalog.metadata(id)
    catalog.report_metrics(id, **COMMIT_REPORT)
    same_metadata(catalog, catalog.metadata(id), before, "the metadata of the table")


@must("iceberg.table.metrics.missing", operations=METRICS, clause="report-metrics-not-found", kind="error")
def test_metrics_of_missing_table(catalog: IcebergCatalog) -> None:
    """reportMetrics on a missing table returns 404 with type NoSuchTableException."""
    refused = catalog.report_metrics(catalog.table_id("missing"), expect=404, **SCAN_REPORT)
    type_is(refused, "NoSuchTableException")


LACKING = {"type": "report_type", "metrics": "metrics"}


@must("iceberg.table.metrics.without_{}", operations=METRICS, clause="report-metrics-bad", kind="error", each=LACKING)
def test_bad_metrics(catalog: IcebergCatalog, case: str) -> None:
    """reportMetrics with a report without its {} returns 400."""
    report = {key: value for key, value in SCAN_REPORT.items() if key != case}
    id = catalog.new_table()
    catalog.report_metrics(id, expect=400, **report)
    catalog.control(lambda: catalog.report_metrics(id, **SCAN_REPORT))
