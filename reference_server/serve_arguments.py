"""The named arguments of `lakeproof.serve`, which editors complete: fields of ServerSettings and options of the APIs.

`tests/reference_server/test_serve_arguments.py` compares them with both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict


class ServeArguments(TypedDict, total=False):
    """Arguments of `serve`; ServerSettings and the options classes of the APIs describe them."""

    host: str
    port: int
    storage: str
    auth: str
    token_lifetime: int
    expired_status: Literal[401, 419]
    credential_lifetime: int | None
    plan_lifetime: int
    faults: str | Sequence[str]
    rules: str | Sequence[Any]
    without: str | Sequence[str]
    like: str | Sequence[str]
    allow_faults: bool
    strict_requests: bool
    page_size: int
    max_body: int
    access_log: str | None
    journal: str
    seed: str | Mapping[str, Any] | None
    control_token: str
    tls: str
    tls_key: str
    tls_ca: str
    options: Mapping[str, Any]
    # options of single APIs
    managed_versions: bool
    warehouses: Sequence[str]
    namespaces: Sequence[str]
    functions: str
    scan_planning: Literal["sync", "async"]
    scan_bounds: Literal["bytes", "values"]
    require_prefix: bool
    namespace_separator: str
    no_default_properties: bool
    plain_locations: bool
    bootstrap: str
    realm: str
    allow_overlapping_locations: bool
    catalog_settings: Sequence[str]
    pages_by_size: bool
