"""loadCredentials, and the fields about access to files in responses that show a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.iceberg.catalog.delegation import (
    CREDENTIALS,
    VENDED,
    access_modes,
    bucket_credentials,
    granted,
    of_revision,
)
from reference_server.iceberg.catalog.entity_tags import (
    ALL,
    ANYTHING,
    CONDITION,
    ETAG,
    entity_tag,
    expiries,
    held_tags,
    takes_conditions,
)
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.context import Credential, IcebergContext
from reference_server.iceberg.metadata.reading import Json


async def load_credentials(context: IcebergContext) -> dict[str, Any]:
    """Return credentials for a table. They open all its files, including those of a scan plan."""
    path = context.object_path("table")
    file = await context.table_file(context.catalog.location(Kind.TABLE, path))
    return {CREDENTIALS: context.services.access.credentials(context, path, file.metadata)}


def storage_credentials(context: IcebergContext, path: Path, metadata: Json) -> list[Credential]:
    """Return the credentials for a table if the request asks for any and the bucket has some, else an empty list."""
    way = granted(context, metadata, access_modes(context.request))
    return bucket_credentials(context, path, metadata) if way == VENDED else []


def with_access(context: IcebergContext, reply: Reply, path: Path, snapshots: str = ALL) -> Reply:
    """Add access to files to an answer that shows a table, and to its ETag."""
    if context.services.allowed.remote and reply.status == 200:
        answer = orjson.loads(reply.body)
        access = _access(context, path, answer["metadata"], access_modes(context.request))
        reply.body = orjson.dumps({**answer, **access})
        if ETAG in reply.headers:
            reply.headers[ETAG] = entity_tag(answer["metadata-location"], snapshots, access, context.until)
    return reply


def with_loaded_tag(context: IcebergContext, reply: Reply, path: Path) -> Reply:
    """Give the answer of a commit the ETag of a load that asks for no access: the answer has none."""
    if context.services.allowed.remote and ETAG in reply.headers:
        answer = orjson.loads(reply.body)
        access = _access(context, path, answer["metadata"], [])
        reply.headers[ETAG] = entity_tag(answer["metadata-location"], ALL, access)
    return reply


async def current_tag(context: IcebergContext, path: Path, location: str, snapshots: str) -> str | None:
    """Return the ETag of a table that the client holds and that is current, None where it has to be loaded."""
    condition = context.request.headers.get(CONDITION) if takes_conditions(context.services.document) else None
    if condition is None or not context.services.files.exists(location):
        return None
    tags = held_tags(condition)
    if not context.services.allowed.remote:
        current = entity_tag(location, snapshots)
        return current if current in tags or ANYTHING in tags else None
    metadata, ways = (await context.table_file(location)).metadata, access_modes(context.request)
    for until in (None, *expiries(tags)):
        context.until = until
        access = _access(context, path, metadata, ways)
        current = entity_tag(location, snapshots, access, context.until)
        if current in tags or ANYTHING in tags:
            return current
    context.until = None
    return None


def _access(context: IcebergContext, path: Path, metadata: Json, ways: Sequence[str]) -> dict[str, Any]:
    """Return the fields about access to files in an answer. An answer with credentials is never cached."""
    access = context.services.access.fields(context, path, metadata, ways)
    context.reusable = context.reusable and context.until is None and set(access) <= {"config"}
    return of_revision(context.services.document, access)
