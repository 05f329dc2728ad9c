"""reportMetrics."""

from __future__ import annotations

from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.context import IcebergContext


async def report_metrics(context: IcebergContext) -> None:
    """Accept and ignore a report about a table. Raises TableNotFound."""
    context.catalog.location(Kind.TABLE, context.object_path("table"))
