"""Freedoms of Iceberg catalogs that decide for themselves: ids, places, mended requests, the order of refusals."""

from __future__ import annotations

from tests.conformance.different_iceberg import API, changes, refusal
from tests.conformance.different_server import Call, before
from tests.conformance.proxy import Answer


@before(API)
def order_ids_wanted(call: Call) -> Answer | None:
    """A parser wants the id of a sort order, which its schema requires, and gives those of schemas and specs itself."""
    orders = [update["sort-order"] for _, update in changes(call) if isinstance(update.get("sort-order"), dict)]
    nameless = [order for order in orders if "fields" in order and "order-id" not in order]
    return refusal(400, "BadRequestException", "Cannot parse missing int: order-id") if nameless else None
