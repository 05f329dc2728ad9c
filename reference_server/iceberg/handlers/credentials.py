"""loadCredentials, and the fields about access to files in responses that show a table."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.iceberg.catalog.delegation import VENDED, bucket_credentials, granted
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import Path
from reference_server.iceberg.context import Credential, IcebergContext
from reference_server.iceberg.metadata.reading import Json


async def load_credentials(context: IcebergContext) -> dict[str, Any]:
    """Return credentials for a table. They open all its files, including those of a scan plan."""
    path = context.object_path("table")
    file = await context.table_file(context.catalog.location(Kind.TABLE, path))
    return {"storage-credentials": context.services.access.credentials(context, path, file.metadata)}


def storage_credentials(context: IcebergContext, path: Path, metadata: Json) -> list[Credential]:
    """Return the credentials for a table if the request asks for any and the bucket has some, else an empty list."""
    return bucket_credentials(context, path, metadata) if granted(context, metadata) == VENDED else []


def with_access(context: IcebergContext, reply: Reply, path: Path) -> Reply:
    """Add access to files to an answer that shows a table. Credentials are never cached with the answer."""
    if context.services.allowed.remote and reply.status == 200:
        answer = orjson.loads(reply.body)
        access = context.services.access.fields(context, path, answer["metadata"])
        reply.body = orjson.dumps({**answer, **access})
        context.reusable = context.reusable and set(access) <= {"config"}
    return reply
