"""Idempotency keys: a request that is sent again has no further effect and gets the first answer again.

The outcome is written in the same storage commit as its change. A key belongs to one operation of one warehouse and to
the principal that sent it, and is valid for `LIFETIME_SECONDS`. Answers 5xx are not stored.
"""

from __future__ import annotations

import base64
import hashlib
import re
import time
import zlib
from typing import Any

import orjson

from reference_server.context import Context, Reply, Request
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.expiring import ExpiringValues
from reference_server.iceberg.catalog.keys import IDEMPOTENCY, idempotency_key
from reference_server.storage import Storage, pack
from specs.openapi import Document, Operation

HEADER = "Idempotency-Key"
LIFETIME = "PT30M"
LIFETIME_SECONDS = 30 * 60
COMPRESSION = 8
"""Approximate factor by which stored metadata are compressed."""
UUID7 = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)
NOT_FINAL = (401, 403, 419, 429)


def takes_keys(operation: Operation) -> bool:
    """Return whether an operation declares the header."""
    return any(parameter.location == "header" and parameter.name == HEADER for parameter in operation.parameters)


def lifetime(document: Document) -> str | None:
    """Return the lifetime of keys as an ISO 8601 duration, None for a revision without keys."""
    return LIFETIME if any(takes_keys(operation) for operation in document.operations.values()) else None


class Repetition:
    """The idempotency key of one request, and the outcome stored under it."""

    def __init__(self, context: Context, kept: ExpiringValues, key: bytes, request: str) -> None:
        self._context = context
        self._kept = kept
        self._key = key
        self._request = request

    async def recall(self, change: WarehouseChange) -> Reply | None:
        """Return the stored answer, None for a new key. Raises InvalidInput for the key of another request."""
        value = change.transaction.get(self._key)
        record = _valid(value)
        if value is None or record is None:
            return None
        if record["request"] != self._request:
            raise InvalidInput(f"The {HEADER} was used for another request before.")
        body = await self._context.compute(COMPRESSION * len(value), _unpacked, record["body"])
        return Reply(record["status"], body, headers=record["headers"])

    async def remember(self, change: WarehouseChange, reply: Reply) -> None:
        """Store the answer under the key in a change, until it expires, if there is room."""
        until = time.time() + LIFETIME_SECONDS
        record = {
            "request": self._request,
            "until": until,
            "status": reply.status,
            "headers": reply.headers,
            "body": await self._context.compute(len(reply.body), _packed, reply.body),
        }
        prefix = pack(IDEMPOTENCY, change.warehouse)
        await self._kept.put(change.transaction, prefix, self._key, orjson.dumps(record), until)


def _packed(body: bytes) -> str:
    return base64.b64encode(zlib.compress(body, 1)).decode()


def _unpacked(text: str) -> bytes:
    return zlib.decompress(base64.b64decode(text))


def repetition(context: Context, warehouse: str, kept: ExpiringValues) -> Repetition | None:
    """Return the key of a request, None without one. Raises InvalidInput for a malformed key."""
    key = context.request.headers.get(HEADER)
    if key is None or not takes_keys(context.operation):
        return None
    if not UUID7.fullmatch(key):
        raise InvalidInput(f"The {HEADER} must be a UUID of version 7, not {key!r:.100}.")
    sent = pack(context.request.target, context.request.body)
    kept_under = _kept_under(key, context.request, context.operation, warehouse)
    return Repetition(context, kept, kept_under, hashlib.sha256(sent).hexdigest())


def has_kept(storage: Storage[bytes], request: Request, operation: Operation, warehouse: str) -> bool:
    """Return whether an answer to the caller is stored under the key of a request."""
    key = request.headers.get(HEADER)
    if key is None or not takes_keys(operation):
        return False
    return _valid(storage.get(_kept_under(key, request, operation, warehouse))) is not None


def _kept_under(key: str, request: Request, operation: Operation, warehouse: str) -> bytes:
    return idempotency_key(warehouse, key.lower(), operation.id, request.principal.name)


def _valid(value: bytes | None) -> dict[str, Any] | None:
    """Return a stored outcome, None for an absent or expired one."""
    record: dict[str, Any] | None = None if value is None else orjson.loads(value)
    return record if record and record["until"] >= time.time() else None


def is_final(status: int) -> bool:
    """Return whether a refusal with this status is stored and repeated, instead of tried again."""
    return 400 <= status < 500 and status not in NOT_FINAL
