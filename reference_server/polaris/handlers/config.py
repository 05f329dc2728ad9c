"""getConfig: what a client has to know of a catalog before anything else."""

from __future__ import annotations

from typing import Any

from reference_server.errors import InvalidInput, NotFound
from reference_server.polaris.context import ManagementContext
from reference_server.polaris.entities.catalogs import find_catalog
from specs.identifiers import encode_segment


async def get_config(context: ManagementContext) -> dict[str, Any]:
    """Return the properties of a catalog, which the request must name, and the prefix of its paths."""
    context.reusable = True
    name = context.query("warehouse")
    if not name:
        raise InvalidInput("Please specify a warehouse")
    record = find_catalog(context.polaris.storage, name)
    if record is None:
        raise NotFound(f"Unable to find warehouse {name:.300}")
    return {"defaults": record["properties"], "overrides": {"prefix": encode_segment(name)}}
