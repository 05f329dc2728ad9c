"""loadCredentials, and what answers that show a table say about access to its files.

A client names the ways of access that it can use in X-Iceberg-Access-Delegation. It gets the first of them that
there is, in a warehouse on S3: keys for the location of the table, or the settings to have its requests signed.
Files in a local warehouse need no keys, so there are none for them: the list of credentials is empty.

Dummy keys follow from the table and the time and are kept nowhere. They look like those of AWS,
name their end and are the same for half an hour, at the end of which they have as much time left.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.files.buckets import DUMMY, NONE, Bucket, Keys
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.services import Access, Credential
from specs.identifiers import UNIT_SEPARATOR, encode_segment
from specs.openapi import Operation

HEADER = "X-Iceberg-Access-Delegation"
VENDED, SIGNING = "vended-credentials", "remote-signing"
PERIOD_SECONDS = 30 * 60
TABLE_UUID = "table-uuid"


async def load_credentials(context: IcebergContext) -> dict[str, Any]:
    """Return credentials for a table. They open all its files, so those of a scan plan too."""
    path = context.object_path("table")
    file = await context.table_file(context.catalog.location(Kind.TABLE, path))
    return {"storage-credentials": context.services.access.credentials(context, path, file.metadata)}


def storage_credentials(context: IcebergContext, path: Path, metadata: Json) -> list[Credential]:
    """Return the credentials for a table if the request asks for some and there are any, else none."""
    return bucket_credentials(context, path, metadata) if _granted(context, metadata) == VENDED else []


def with_access(context: IcebergContext, reply: Reply, path: Path) -> Reply:
    """Add to an answer that shows a table how its files are reached. Nothing of that is ever kept with the answer."""
    if context.services.allowed.remote and reply.status == 200:
        answer = orjson.loads(reply.body)
        access = context.services.access.fields(context, path, answer["metadata"])
        reply.body = orjson.dumps({**answer, **access})
        context.reusable = context.reusable and set(access) <= {"config"}
    return reply


def bucket_of(context: IcebergContext, metadata: Json) -> Bucket | None:
    """Return the bucket in which a table lies, if its files are for clients to be given access to."""
    warehouse = context.services.allowed.warehouse_of(metadata["location"])
    bucket = warehouse.bucket if warehouse else None
    return bucket if bucket and bucket.credentials != NONE else None


def keys_for(context: IcebergContext, bucket: Bucket, metadata: Json) -> Keys:
    """Return the keys for a table: those of the server, or dummy ones."""
    if bucket.credentials != DUMMY and bucket.keys is not None:
        return bucket.keys
    return dummy_keys(
        context.services.dummy_key_secret, f"{metadata['location']}\0{metadata[TABLE_UUID]}", end_of_keys()
    )


def _granted(context: IcebergContext, metadata: Json) -> str | None:
    """Return the first way of access that the request names and that there is."""
    if bucket_of(context, metadata) is None:
        return None
    modes = [word.strip().lower() for word in context.request.headers.get(HEADER, "").split(",")]
    return next((word for word in modes if word in (VENDED, SIGNING)), None)


def bucket_access(context: IcebergContext, path: Path, metadata: Json) -> dict[str, Any]:
    """Return what an answer that shows a table says about its bucket, and about the way in that was asked for."""
    warehouse = context.services.allowed.warehouse_of(metadata["location"])
    config = warehouse.bucket.client_config() if warehouse and warehouse.bucket else {}
    granted = _granted(context, metadata)
    if granted == VENDED:
        return {"config": config, "storage-credentials": bucket_credentials(context, path, metadata)}
    if granted == SIGNING and "signRequest" in context.services.handled:
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


def bucket_credentials(context: IcebergContext, path: Path, metadata: Json) -> list[Credential]:
    """Return the keys for the files of a table in a bucket, none for another table."""
    bucket = bucket_of(context, metadata)
    if bucket is None:
        return []
    keys = keys_for(context, bucket, metadata)
    config = {**bucket.client_config(), "s3.access-key-id": keys.id, "s3.secret-access-key": keys.secret}
    if keys.token:
        config["s3.session-token"] = keys.token
    if bucket.credentials == DUMMY:
        config["s3.session-token-expires-at-ms"] = str(end_of_keys() * 1000)
    if bucket.credentials == DUMMY and "loadCredentials" in context.services.handled:
        config["client.refresh-credentials-endpoint"] = path_of(context, "loadCredentials", path)
    return [{"prefix": metadata["location"], "config": config}]


def path_of(context: IcebergContext, operation_id: str, path: Path) -> str:
    """Return the path of an operation on a table as a client of this warehouse writes it, below the base URL."""
    operation: Operation = context.services.document.operation(operation_id)
    prefix = f"{context.path['prefix']}/" if "prefix" in context.path else ""
    namespace = encode_segment(UNIT_SEPARATOR).join(map(encode_segment, path[:-1]))
    written = operation.own_path.replace("{prefix}/", prefix).replace("{namespace}", namespace)
    return written.replace("{table}", encode_segment(path[-1])).lstrip("/")


def end_of_keys() -> int:
    """Return when keys that are made now end, in seconds since 1970."""
    return (int(time.time()) // PERIOD_SECONDS + 2) * PERIOD_SECONDS


def dummy_keys(dummy_key_secret: bytes, table: str, end: int) -> Keys:
    """Return dummy keys: the same for the same secret, table and end, in seconds since 1970."""

    def draw(use: str) -> bytes:
        return hmac.new(dummy_key_secret, f"{use}\0{table}\0{end}".encode(), hashlib.sha256).digest()

    id = "ASIA" + base64.b32encode(draw("id")).decode()[:16]
    secret = base64.b64encode(draw("secret")).decode()[:40]
    return Keys(id, secret, base64.b64encode(f"{end}.".encode() + draw("token")).decode())


ACCESS = Access(bucket_access, bucket_credentials)
