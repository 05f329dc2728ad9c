"""Access delegation: keys for the files of a table, or settings to have requests to its storage signed.

A client lists the ways of access that it supports in X-Iceberg-Access-Delegation. In a warehouse on S3 it gets the
first of them that the warehouse offers. Files in a local warehouse need no keys: the list of credentials is empty.

Dummy keys are derived from the table and the time and are stored nowhere. They look like those of AWS, name their end,
and have the lifetime that lifetimes.py describes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any

from reference_server.context import Request
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.context import Access, Credential, IcebergContext
from reference_server.iceberg.files.buckets import DUMMY, NONE, Bucket, Keys
from reference_server.iceberg.metadata.reading import Json
from specs.identifiers import encode_segment, encode_separator
from specs.openapi import JSON_TYPE, Document, Operation

HEADER = "X-Iceberg-Access-Delegation"
VENDED, SIGNING = "vended-credentials", "remote-signing"
TABLE_UUID = "table-uuid"
CREDENTIALS = "storage-credentials"


def access_modes(request: Request) -> list[str]:
    """Return the ways of access that a request lists, in its order."""
    words = request.headers.get(HEADER, "").split(",")
    return [word.strip().lower() for word in words if word.strip()]


def bucket_of(context: IcebergContext, metadata: Json) -> Bucket | None:
    """Return the bucket of a table, None for a bucket to which clients get no access."""
    warehouse = context.services.allowed.warehouse_of(metadata["location"])
    bucket = warehouse.bucket if warehouse else None
    return bucket if bucket and bucket.credentials != NONE else None


def keys_for(context: IcebergContext, bucket: Bucket, metadata: Json) -> Keys:
    """Return the keys for a table: those of the server, or dummy ones."""
    if bucket.credentials != DUMMY and bucket.keys is not None:
        return bucket.keys
    owner = f"{metadata['location']}\0{metadata[TABLE_UUID]}"
    return dummy_keys(context.services.dummy_key_secret, owner, context.end_of_credentials())


def granted(context: IcebergContext, metadata: Json, ways: Sequence[str]) -> str | None:
    """Return the first of the requested ways of access that the bucket offers."""
    if bucket_of(context, metadata) is None:
        return None
    return next((way for way in ways if way in (VENDED, SIGNING)), None)


def bucket_access(context: IcebergContext, path: Path, metadata: Json, ways: Sequence[str]) -> dict[str, Any]:
    """Return the fields about its bucket in an answer that shows a table, for the requested ways of access."""
    warehouse = context.services.allowed.warehouse_of(metadata["location"])
    config = warehouse.bucket.client_config() if warehouse and warehouse.bucket else {}
    way = granted(context, metadata, ways)
    if way == VENDED:
        return {"config": config, CREDENTIALS: bucket_credentials(context, path, metadata)}
    if way == SIGNING and "signRequest" in context.services.handled:
        signer = path_of(context, "signRequest", path)
        config |= {
            "s3.remote-signing-enabled": "true",
            "signer.endpoint": signer,
            "s3.signer": "S3V4RestSigner",  # older clients know these two
            "s3.signer.endpoint": signer,
        }
        properties = {TABLE_UUID: metadata[TABLE_UUID]}
        return {"config": config, "remote-signing-config": {"properties": properties, "headers": {}}}
    return {"config": config}


def of_revision(document: Document, access: dict[str, Any]) -> dict[str, Any]:
    """Return the fields about access that a revision has; one without a list of credentials has them in `config`."""

    def declared() -> frozenset[str]:
        operation = document.operation("loadTable")
        return frozenset(document.resolve(operation.responses["200"].content[JSON_TYPE])["properties"])

    known = document.once("fields of loadTable", declared)
    kept = {name: value for name, value in access.items() if name in known}
    for vended in () if CREDENTIALS in known else access.get(CREDENTIALS, ()):
        kept["config"] = {**kept.get("config", {}), **vended["config"]}
    return kept


def bucket_credentials(context: IcebergContext, path: Path, metadata: Json) -> list[Credential]:
    """Return the keys for the files of a table in a bucket, an empty list for another table."""
    bucket = bucket_of(context, metadata)
    if bucket is None:
        return []
    keys = keys_for(context, bucket, metadata)
    config = {**bucket.client_config(), "s3.access-key-id": keys.id, "s3.secret-access-key": keys.secret}
    if keys.token:
        config["s3.session-token"] = keys.token
    if bucket.credentials == DUMMY:
        config["s3.session-token-expires-at-ms"] = str(context.end_of_credentials() * 1000)
    if bucket.credentials == DUMMY and "loadCredentials" in context.services.handled:
        config["client.refresh-credentials-endpoint"] = path_of(context, "loadCredentials", path)
    return [{"prefix": metadata["location"], "config": config}]


def path_of(context: IcebergContext, operation_id: str, path: Path) -> str:
    """Return the path of an operation on a table, below the base URL, as a client of this warehouse writes it."""
    operation: Operation = context.services.document.operation(operation_id)
    prefix = f"{context.path['prefix']}/" if "prefix" in context.path else ""
    namespace = encode_separator(context.services.separator).join(map(encode_segment, path[:-1]))
    written = operation.own_path.replace("{prefix}/", prefix).replace("{namespace}", namespace)
    return written.replace("{table}", encode_segment(path[-1])).lstrip("/")


def dummy_keys(dummy_key_secret: bytes, table: str, end: int) -> Keys:
    """Return dummy keys: the same for the same secret, table and end, in seconds since 1970."""

    def draw(use: str) -> bytes:
        return hmac.new(dummy_key_secret, f"{use}\0{table}\0{end}".encode(), hashlib.sha256).digest()

    id = "ASIA" + base64.b32encode(draw("id")).decode()[:16]
    secret = base64.b64encode(draw("secret")).decode()[:40]
    return Keys(id, secret, base64.b64encode(f"{end}.".encode() + draw("token")).decode())


ACCESS = Access(bucket_access, bucket_credentials)
