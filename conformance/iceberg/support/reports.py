"""Reports on scans and commits, as reportMetrics takes them."""

from __future__ import annotations

from typing import Any

SCAN: dict[str, Any] = {
    "report_type": "scan-report",
    "table_name": "t",
    "snapshot_id": 1,
    "filter": {"type": "not-null", "term": "id"},
    "schema_id": 0,
    "projected_field_ids": [1],
    "projected_field_names": ["id"],
    "metrics": {"total-planning-duration": {"count": 1, "time-unit": "nanoseconds", "total-duration": 5}},
    "metadata": {},
}
COMMIT: dict[str, Any] = {
    "report_type": "commit-report",
    "table_name": "t",
    "snapshot_id": 1,
    "sequence_number": 1,
    "operation": "append",
    "metrics": {"attempts": {"unit": "count", "value": 1}},
    "metadata": {},
}
REPORTS = {"scan": SCAN, "commit": COMMIT}
