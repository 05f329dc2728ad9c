"""Running a change: build it from what is there, commit it, and once more when somebody else was quicker.

Files that a change has written are deleted when it does not come about; files that it makes superfluous
are deleted after it has.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress

from reference_server.context import Reply
from reference_server.errors import CatalogError, CommitFailed
from reference_server.iceberg.catalog.catalog import Change
from reference_server.iceberg.catalog.idempotency import Repetition, is_final, repetition
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import as_catalog_error, render_error
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.storage import CommitConflict

ATTEMPTS = 50
Build = Callable[[Change], Awaitable[Reply]]


async def commit(context: IcebergContext, build: Build) -> Reply:
    """Carry out a change and return its answer, or the answer kept under the request's idempotency key.

    `build` reads through the change it is given, writes to it and returns the answer; it is called again
    when what it has read did not last. Raises what it raises, and CommitFailed when others never let it through.
    """
    repeated = repetition(context, context.warehouse.name)
    for _ in range(ATTEMPTS):
        with suppress(CommitConflict):
            return await _attempt(context, build, repeated)
    raise CommitFailed("Others kept changing the same objects; load them again and retry.")


async def _attempt(context: IcebergContext, build: Build, repeated: Repetition | None) -> Reply:
    change = Change(context.services.storage, context.warehouse.name)
    kept = repeated.recall(change) if repeated else None
    if kept is not None:
        return kept
    try:
        reply = await build(change)
        if repeated:
            repeated.remember(change, reply)
    except BaseException as error:
        await _delete(context, change.new_files)
        if repeated and isinstance(error, CatalogError | MetadataError):
            await _keep_refusal(context, repeated, as_catalog_error(error))
        raise
    await _commit(context, change)
    await _delete(context, change.old_files)
    for tree in change.old_trees:
        await context.run(context.services.files.delete_tree, tree)
    return reply


async def _commit(context: IcebergContext, change: Change) -> None:
    """Commit a change; only a conflict is sure to have written nothing, so only then its files go."""
    if not change.writes:
        return
    try:
        await context.services.storage.commit(change.expected, change.writes, change.empty)
    except CommitConflict:
        await _delete(context, change.new_files)
        raise


async def _keep_refusal(context: IcebergContext, repeated: Repetition, error: CatalogError) -> None:
    """Keep a refusal under its key. Whoever was quicker with the same key is looked at again."""
    if not is_final(error.status):
        return
    change = Change(context.services.storage, context.warehouse.name)
    if repeated.recall(change) is None:
        repeated.remember(change, render_error(error, context.request))
        await context.services.storage.commit(change.expected, change.writes)


async def _delete(context: IcebergContext, locations: list[str]) -> None:
    if locations:
        await context.run(context.services.files.delete, list(locations))
