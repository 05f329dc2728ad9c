"""getConfig: the settings of a catalog that a client needs before any other request."""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.catalog.endpoints import endpoints
from reference_server.iceberg.catalog.idempotency import lifetime
from reference_server.polaris.catalog.served import served_catalog
from reference_server.polaris.context import CatalogContext
from specs.iceberg.identifiers import SEPARATOR_OVERRIDE
from specs.identifiers import UNIT_SEPARATOR, encode_segment

PREFIXED = "{prefix}"
OVERLAPPING = "lakeproof.allow-overlapping-locations"


async def get_config(context: CatalogContext) -> dict[str, Any]:
    """Return the properties of the catalog in the request, the prefix of its paths, and its endpoints.

    A property of the server reports that catalogs may overlap.
    """
    context.reusable = True
    catalog, document = served_catalog(context), context.services.document
    overrides = {"prefix": encode_segment(catalog.name), SEPARATOR_OVERRIDE: encode_segment(UNIT_SEPARATOR)}
    defaults = dict(catalog.properties)
    if context.polaris.rules.catalogs_may_overlap:
        defaults[OVERLAPPING] = "true"
    answer: dict[str, Any] = {"defaults": defaults, "overrides": overrides}
    handled = context.services.handled
    answer |= endpoints(document, {id for id in handled if PREFIXED in document.operation(id).path})
    if keys_hold := lifetime(document):
        answer["idempotency-key-lifetime"] = keys_hold
    return answer
