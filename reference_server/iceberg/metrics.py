"""reportMetrics."""

from __future__ import annotations

from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.keys import Kind


async def report_metrics(context: IcebergContext) -> None:
    """Take a report of what a client did with a table. Raises TableNotFound."""
    context.catalog.location(Kind.TABLE, context.object_path("table"))
