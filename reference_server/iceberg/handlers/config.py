"""getConfig: the settings that a client needs before any other request."""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.catalog.endpoints import endpoints
from reference_server.iceberg.catalog.idempotency import lifetime
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import WarehouseNotFound
from reference_server.iceberg.handlers.signing import SIGN, signs
from specs.iceberg.identifiers import SEPARATOR_OVERRIDE
from specs.identifiers import encode_separator

GET_TOKEN = "getToken"  # noqa: S105 - an operation
TOKEN_ENDPOINT = "oauth2-server-uri"  # noqa: S105 - the property by which clients know it


async def get_config(context: IcebergContext) -> dict[str, Any]:
    """Return the settings for a warehouse, given by name or URI; by default the default one."""
    services = context.services
    endpoint = _token_endpoint(context) if services.auth.client is not None else None
    context.reusable = endpoint is None
    overrides = {SEPARATOR_OVERRIDE: encode_separator(services.separator)}
    requested = context.query("warehouse")
    warehouse = _warehouse(context, requested) if requested else services.default_warehouse
    if requested or services.require_prefix:
        overrides["prefix"] = warehouse.name
    defaults = {} if endpoint is None else {TOKEN_ENDPOINT: endpoint}
    answer: dict[str, Any] = {"defaults": defaults, "overrides": overrides}
    handled = services.handled if signs(warehouse) else services.handled - {SIGN}
    answer |= endpoints(services.document, handled)
    if keys_hold := lifetime(services.document):
        answer["idempotency-key-lifetime"] = keys_hold
    return answer


def _token_endpoint(context: IcebergContext) -> str | None:
    """Return the URL of getToken from the client's view of the server, None for a request without a host.

    It is a default: a client's own setting overrides it. A proxy in front of the server, which may terminate TLS,
    passes scheme and host on in headers of its own.
    """
    headers, operations = context.request.headers, context.services.document.operations
    host = _first(headers.get("X-Forwarded-Host")) or headers.get("Host")
    forwarded = _first(headers.get("X-Forwarded-Proto")).lower()
    scheme = forwarded if forwarded in ("http", "https") else context.request.scheme
    mount = context.request.path.rsplit("/", context.operation.own_path.count("/"))[0].rstrip("/")
    return f"{scheme}://{host}{mount}{operations[GET_TOKEN].own_path}" if host else None


def _first(header: str | None) -> str:
    """Return the first of the values that a chain of proxies has added to a header."""
    return (header or "").partition(",")[0].strip()


def _warehouse(context: IcebergContext, name_or_uri: str) -> Warehouse:
    for warehouse in context.services.warehouses.values():
        if name_or_uri.rstrip("/") in (warehouse.name, warehouse.uri):
            return warehouse
    raise WarehouseNotFound(f"Warehouse does not exist: {name_or_uri:.300}")
