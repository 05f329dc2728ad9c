"""Answers that a stateless mock is given: somebody has to write them, and they count no lines in the table."""

from __future__ import annotations

from typing import Any

CONFIG = {"defaults": {}, "overrides": {}, "endpoints": ["GET /v1/{prefix}/namespaces/{namespace}/tables/{table}"]}
TOKEN = {"access_token": "t", "token_type": "bearer", "expires_in": 3600}


def table(**properties: str) -> Any:
    """Return the answer that shows the table `a.t`."""
    metadata = {
        "format-version": 2,
        "table-uuid": "9c12d441-03fe-4693-9a96-a0705ddf69c1",
        "location": "file:///tmp/a/t",
        "last-updated-ms": 1,
        "last-column-id": 1,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": []}],
        "current-schema-id": 0,
        "properties": properties,
    }
    return {"metadata-location": "file:///tmp/a/t/metadata/0.json", "metadata": metadata, "config": {}}


def page(name: str, following: str | None = None) -> Any:
    """Return a page of a listing with one table."""
    return {"identifiers": [{"namespace": ["a"], "name": name}], "next-page-token": following}


def error(status: int, kind: str) -> Any:
    """Return the body of an error."""
    return {"error": {"message": kind, "type": kind, "code": status}}


TABLE = table()
CONFLICT = error(409, "CommitFailedException")
FORBIDDEN = error(403, "ForbiddenException")
UNSUPPORTED = error(406, "UnsupportedOperationException")
