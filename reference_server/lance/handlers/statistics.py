"""GetTableStats."""

from __future__ import annotations

from typing import Any

from reference_server.lance.catalog.branches import chosen_table
from reference_server.lance.context import LanceContext

Answer = dict[str, Any]
PERCENTILES = (25, 50, 75, 99)


async def get_table_stats(context: LanceContext) -> Answer:
    """Return the numbers of a table's rows, bytes, indices and fragments."""
    table = await chosen_table(context)
    context.keep_while_unchanged(table)
    return await context.read(table, _stats)


def _stats(dataset: Any) -> Answer:
    stats = dataset.stats.dataset_stats()
    return {
        "total_bytes": sum(field.bytes_on_disk for field in dataset.stats.data_stats().fields),
        "num_rows": dataset.count_rows(),
        "num_indices": len(dataset.describe_indices()),
        "fragment_stats": {
            "num_fragments": stats["num_fragments"],
            "num_small_fragments": stats["num_small_files"],
            "lengths": summary([fragment.count_rows() for fragment in dataset.get_fragments()]),
        },
    }


def summary(lengths: list[int]) -> dict[str, int]:
    """Return smallest, largest, mean and percentiles of lengths; all 0 when there are none."""
    ordered = sorted(lengths) or [0]
    percentiles = {f"p{share}": ordered[(len(ordered) - 1) * share // 100] for share in PERCENTILES}
    return {"min": ordered[0], "max": ordered[-1], "mean": sum(ordered) // len(ordered), **percentiles}
