"""Contents of requests: schemas, specs, orders, view versions, statistics, metrics reports, token forms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from conformance.values.settings import Settings


def now_ms() -> int:
    """Return the current time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


def field(id: int, name: str, type: Any = "long", *, required: bool = False, **more: Any) -> dict[str, Any]:
    """Return a column or a nested field; `more` are its further fields, with `_` for `-`."""
    return {"id": id, "name": name, "type": type, "required": required, **dashed(more)}


def schema(*fields: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return a schema; `more` are `schema_id` and `identifier_field_ids`."""
    return {"type": "struct", "fields": list(fields), **dashed(more)}


def partition(source: int, name: str, transform: str = "identity", **more: Any) -> dict[str, Any]:
    """Return a field of a partition spec."""
    return {"source-id": source, "name": name, "transform": transform, **dashed(more)}


def spec(*fields: dict[str, Any], id: int = 0) -> dict[str, Any]:
    """Return a partition spec."""
    return {"spec-id": id, "fields": list(fields)}


def sort_field(source: int, transform: str = "identity", direction: str = "asc") -> dict[str, Any]:
    """Return a field of a sort order."""
    nulls = "nulls-first" if direction == "asc" else "nulls-last"
    return {"source-id": source, "transform": transform, "direction": direction, "null-order": nulls}


def order(*fields: dict[str, Any], id: int = 1) -> dict[str, Any]:
    """Return a sort order."""
    return {"order-id": id if fields else 0, "fields": list(fields)}


def layout(*fields: dict[str, Any]) -> dict[str, Any]:
    """Return a partition spec or a sort order without an id: the server assigns one when a commit adds it."""
    return {"fields": list(fields)}


def dashed(fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields with `-` for `_` in their names."""
    return {key.replace("_", "-"): value for key, value in fields.items()}


# Ids as a server assigns them, so that they are the same whether it assigns new ids or keeps the requested ones.
SCHEMA = schema(field(1, "id", required=True), field(2, "name", "string"), field(3, "day", "date"))
WIDER = schema(*SCHEMA["fields"], field(4, "extra", "double"))
NESTED_SCHEMA = schema(
    field(1, "id", required=True, doc="the key"),
    field(2, "place", {"type": "struct", "fields": [field(5, "x", "float", required=True), field(6, "y", "float")]}),
    field(3, "tags", {"type": "list", "element-id": 7, "element": "string", "element-required": False}),
    field(
        4,
        "counts",
        {"type": "map", "key-id": 8, "key": "string", "value-id": 9, "value": "int", "value-required": True},
    ),
)
VIEW_SCHEMA = schema(field(1, "id"), field(2, "name", "string"))


def sql(text: str = "SELECT id, name FROM t", dialect: str = "spark") -> dict[str, Any]:
    """Return the SQL representation of a view in one dialect."""
    return {"type": "sql", "sql": text, "dialect": dialect}


def view_version(namespace: Sequence[str], *texts: dict[str, Any], id: int = 1, schema_id: int = 0) -> dict[str, Any]:
    """Return a version of a view."""
    return {
        "version-id": id,
        "timestamp-ms": now_ms(),
        "schema-id": schema_id,
        "summary": {"engine-name": "lakeproof"},
        "representations": list(texts or (sql(),)),
        "default-namespace": list(namespace),
    }


def view_body(namespace: Sequence[str], *texts: dict[str, Any]) -> dict[str, Any]:
    """Return the body that creates a view, without its name."""
    return {
        "schema": {**VIEW_SCHEMA, "schema-id": 0},
        "view-version": view_version(namespace, *texts),
        "properties": {},
    }


# Statistics files


def statistics(location: str, snapshot: int, name: str = "a") -> dict[str, Any]:
    """Return statistics of a snapshot with a path below a location; no file exists there."""
    blob = {"type": "apache-datasketches-theta-v1", "snapshot-id": snapshot, "sequence-number": 1, "fields": [1]}
    return {
        "snapshot-id": snapshot,
        "statistics-path": f"{location}/{name}.puffin",
        "file-size-in-bytes": 413,
        "file-footer-size-in-bytes": 42,
        "blob-metadata": [blob],
    }


def partition_statistics(location: str, snapshot: int, name: str = "a") -> dict[str, Any]:
    """Return partition statistics of a snapshot with a path below a location; no file exists there."""
    return {"snapshot-id": snapshot, "statistics-path": f"{location}/{name}.parquet", "file-size-in-bytes": 43}


# Metrics reports

SCAN_REPORT: dict[str, Any] = {
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
COMMIT_REPORT: dict[str, Any] = {
    "report_type": "commit-report",
    "table_name": "t",
    "snapshot_id": 1,
    "sequence_number": 1,
    "operation": "append",
    "metrics": {"attempts": {"unit": "count", "value": 1}},
    "metadata": {},
}
REPORTS = {"scan": SCAN_REPORT, "commit": COMMIT_REPORT}

# Token forms

EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"  # noqa: S105 - the name of a kind of tokens
Form = dict[str, str]


def credentials_form(settings: Settings) -> Form:
    """Return the form that requests a token for the credential of the run."""
    id, secret = settings.client_credentials or ("", "")
    return {"grant_type": "client_credentials", "client_id": id, "client_secret": secret, **scope_of(settings)}


def exchange_form(settings: Settings, token: str) -> Form:
    """Return the form that exchanges a valid token for another one."""
    form = {"grant_type": EXCHANGE, "subject_token": token, "subject_token_type": ACCESS_TOKEN}
    return {**form, **scope_of(settings)}


def scope_of(settings: Settings) -> Form:
    """Return the form field of the run's scope, {} without a scope."""
    return {"scope": settings.scope} if settings.scope else {}
