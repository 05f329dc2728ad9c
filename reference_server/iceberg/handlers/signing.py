"""signRequest: signs clients' requests to S3 with keys that the clients never see.

Only a warehouse on S3 signs. Others do not advertise the operation and answer 406: no storage would accept the
signature, and a client that relied on it would fail later for no visible reason.

A request is signed if it touches only files of the table: an object below its location, a listing below it, or the
deletion of several such objects, whose names are in the body. All other requests are forbidden.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from xml.etree import ElementTree

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, PermissionDenied, Unsupported
from reference_server.iceberg.catalog.delegation import TABLE_UUID, bucket_of, keys_for
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.warehouses import Warehouse
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.files.buckets import NONE, Bucket, Keys
from reference_server.iceberg.metadata.reading import Json
from specs.ports import DEFAULT_PORTS

SIGN = "signRequest"
PROVIDER = "s3"
CACHEABLE = ("GET", "HEAD")
# These headers change when a client repeats a request with a cached signature, so they are not signed.
UNSIGNED = frozenset({"range", "user-agent", "amz-sdk-invocation-id", "amz-sdk-request", "amz-sdk-retry"})
OURS = frozenset({"authorization", "date", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"})
UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD"
PAYLOAD_HEADER = "x-amz-content-sha256"
COPY_SOURCE = "x-amz-copy-source"
RIGHTS = "acl"
LISTING = frozenset(
    [
        "list-type",
        "prefix",
        "delimiter",
        "max-keys",
        "continuation-token",
        "start-after",
        "encoding-type",
        "fetch-owner",
        "marker",
        "uploads",
        "versions",
        "key-marker",
        "upload-id-marker",
        "version-id-marker",
        "max-uploads",
    ]
)
REGION = re.compile(r"[a-z0-9-]{1,64}")
HEADER_TEXT = re.compile(r"[^\x00-\x08\x0a-\x1f\x7f]*")
AWS_HOST = re.compile(r"(?:(?P<bucket>.+)\.)?s3(?:[.-](?:dualstack\.)?[a-z0-9-]+)?\.amazonaws\.com(?:\.cn)?")
Headers = Mapping[str, list[str]]


def signs(warehouse: Warehouse) -> bool:
    """Return whether a warehouse signs requests."""
    return warehouse.bucket is not None and warehouse.bucket.credentials != NONE


async def sign_request(context: IcebergContext) -> Reply:
    """Sign a request to the storage of a table."""
    if not signs(context.warehouse):
        raise Unsupported("This warehouse is not on S3: there are no requests to be signed.")
    file = await context.table_file(context.catalog.location(Kind.TABLE, context.object_path("table")))
    bucket = bucket_of(context, file.metadata)
    if bucket is None:
        raise PermissionDenied("The files of the table are not in a bucket for which requests are signed.")
    _check(context.body, bucket, file.metadata)
    headers = await context.run(_signed, context.body, keys_for(context, bucket, file.metadata))
    reply = json_reply({"uri": context.body["uri"], "headers": headers})
    reply.headers["Cache-Control"] = "private" if context.body["method"] in CACHEABLE else "no-cache"
    return reply


def _check(body: Json, bucket: Bucket, metadata: Json) -> None:
    """Raise InvalidInput for a request that cannot be signed, PermissionDenied for one that must not be."""
    if body.get("provider", PROVIDER) != PROVIDER:
        raise InvalidInput(f"Only requests to {PROVIDER} are signed here, not to {body['provider']!r:.100}.")
    if not REGION.fullmatch(body["region"]) or (bucket.region and body["region"] != bucket.region):
        raise InvalidInput(f"Invalid region: {body['region']!r:.100}.")
    if (body.get("properties") or {}).get(TABLE_UUID, metadata[TABLE_UUID]) != metadata[TABLE_UUID]:
        raise PermissionDenied("The signing was offered for a table with another UUID.")
    texts = [text for name, values in body["headers"].items() for text in (name, *values)]
    if not all(map(HEADER_TEXT.fullmatch, texts)):
        raise InvalidInput("A header has a control character in it.")
    inside = _key(metadata["location"]).rstrip("/") + "/"
    for key in _touched(body, bucket):
        if not key.startswith(inside) or {".", ".."} & set(key.split("/")):
            raise PermissionDenied(f"The object {key!r:.300} does not belong to the table.")


def _touched(body: Json, bucket: Bucket) -> list[str]:
    """Return the keys, and the key prefixes, that a request touches."""
    try:
        split = urlsplit(body["uri"])
        key = _object_key(split, bucket)
    except ValueError as error:
        raise InvalidInput(f"The URI of the request cannot be read: {error}.") from None
    query = parse_qs(split.query, keep_blank_values=True)
    sources = [value for name, values in body["headers"].items() if name.lower() == COPY_SOURCE for value in values]
    if key and RIGHTS not in query:
        return [key, *(_copied(source, bucket) for source in sources)]
    if body["method"] == "GET" and query.get("prefix") and query.keys() <= LISTING:
        return query["prefix"]
    if body["method"] == "POST" and "delete" in query:
        return _deleted_keys(body.get("body") or "")
    raise PermissionDenied("Requests to the bucket itself or to permissions are not signed.")


def _object_key(split: SplitResult, bucket: Bucket) -> str:
    """Return the key in a URL, empty for the bucket itself; path or host contain the name of the bucket."""
    if split.scheme not in DEFAULT_PORTS or split.username is not None or split.fragment:
        raise InvalidInput("The URI of the request must be one of http or https, without a user or a fragment.")
    path = unquote(split.path).removeprefix("/")
    name, _, key = path.partition("/")
    in_host = _bucket_in_host(split, bucket)
    if (in_host or name) != bucket.name:
        raise PermissionDenied("The request is not for the bucket in which the table lies.")
    return path if in_host else key


def _bucket_in_host(split: SplitResult, bucket: Bucket) -> str:
    """Return the bucket's name from the host of a URL, empty if the path has it. Raises PermissionDenied."""
    host = (split.hostname or "").lower()
    endpoint = urlsplit(bucket.endpoint)
    if not bucket.endpoint:
        match = AWS_HOST.fullmatch(host)
        if match and split.port in (None, DEFAULT_PORTS[split.scheme]):
            return match["bucket"] or ""
    elif (split.port or DEFAULT_PORTS[split.scheme]) == (endpoint.port or DEFAULT_PORTS.get(endpoint.scheme)):
        if host == endpoint.hostname:
            return ""
        if host == f"{bucket.name}.{endpoint.hostname}":
            return bucket.name
    raise PermissionDenied("The request is not for the storage in which the table lies.")


def _copied(source: str, bucket: Bucket) -> str:
    name, _, key = unquote(source).partition("?")[0].removeprefix("/").partition("/")
    if name != bucket.name:
        raise PermissionDenied("The object that is copied does not belong to the table.")
    return key


def _deleted_keys(text: str) -> list[str]:
    """Return the keys in the body of a deletion. A body that defines entities is rejected before it is parsed."""
    if "<!" in text:
        raise InvalidInput("The list of objects to delete defines entities.")
    try:
        root = ElementTree.fromstring(text)  # noqa: S314 - there are no entities in it
    except ElementTree.ParseError:
        raise InvalidInput("The list of objects to delete has to come in the body, as XML.") from None
    keys = [element.text or "" for element in root.iter() if element.tag.rpartition("}")[2] == "Key"]
    if not keys:
        raise InvalidInput("The list of objects to delete is empty.")
    return keys


def _key(location: str) -> str:
    return location.partition("://")[2].partition("/")[2]


def _signed(body: Json, keys: Keys) -> dict[str, list[str]]:
    """Return the headers of a request with its signature; unsigned headers stay unchanged."""
    from botocore.auth import S3SigV4Auth  # noqa: PLC0415 - slow to import
    from botocore.awsrequest import AWSRequest  # noqa: PLC0415
    from botocore.credentials import Credentials  # noqa: PLC0415

    class Signer(S3SigV4Auth):  # type: ignore[misc]
        """Signs a request whose body only the client has: by the body's hash, if there is one."""

        def payload(self, _request: Any) -> str:
            return _payload_hash(body)

    sent: Headers = body["headers"]
    request = AWSRequest(method=body["method"], url=body["uri"])
    for name, values in sent.items():
        if name.lower() not in UNSIGNED | OURS:
            for value in values:
                request.headers.add_header(name, value)
    Signer(Credentials(keys.id, keys.secret, keys.token or None), PROVIDER, body["region"]).add_auth(request)
    signed = {name: request.headers.get_all(name) for name in request.headers}
    return signed | {name: values for name, values in sent.items() if name.lower() in UNSIGNED}


def _payload_hash(body: Json) -> str:
    """Return the hash of a checked body, else the hash that the client states, else UNSIGNED-PAYLOAD."""
    if body.get("body"):
        return hashlib.sha256(body["body"].encode()).hexdigest()
    stated = [values for name, values in body["headers"].items() if name.lower() == PAYLOAD_HEADER]
    return str(stated[0][0]) if stated and stated[0] else UNSIGNED_PAYLOAD
