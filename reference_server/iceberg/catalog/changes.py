"""Commit of a change of a warehouse: one transaction, its files, and the answer stored under an idempotency key.

Files that a failed change has written are deleted; files that a change makes superfluous are deleted after its commit.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from reference_server.context import Reply
from reference_server.errors import CatalogError
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.idempotency import Repetition, is_final, repetition
from reference_server.iceberg.context import IcebergContext
from reference_server.iceberg.errors import CommitFailed, as_catalog_error, render_error
from reference_server.iceberg.metadata.errors import MetadataError
from reference_server.storage.transactions import Transaction, transact

Build = Callable[[WarehouseChange], Awaitable[Reply]]


async def commit(context: IcebergContext, build: Build) -> Reply:
    """Commit a change and return its answer, or the answer stored under the request's idempotency key.

    `build` reads and writes through the change and returns the answer; it is called again when its reads became
    outdated. Raises the errors of `build`, and CommitFailed after too many conflicts.
    """
    repeated = repetition(context, context.warehouse.name, context.services.kept)

    async def attempt(transaction: Transaction[bytes]) -> Reply:
        change = _change(context, transaction)
        return await (_build_once(context, change, build, repeated) if repeated else build(change))

    return await transact(context.services.storage, attempt, _contended)


def _contended() -> CommitFailed:
    return CommitFailed("Others kept changing the same objects; load them again and retry.")


def _change(context: IcebergContext, transaction: Transaction[bytes]) -> WarehouseChange:
    """Return a change whose files are written and deleted with its transaction."""
    change = WarehouseChange(transaction, context.warehouse.name, context.services.followers)
    for follower in context.services.followers:
        follower.started(change)

    async def delete_old() -> None:
        await _delete(context, change.old_files)
        for tree in change.old_trees:
            await context.run(context.services.files.delete_tree, tree)

    transaction.on_undo(lambda: _delete(context, change.new_files))
    transaction.on_commit(delete_old)
    return change


async def _build_once(context: IcebergContext, change: WarehouseChange, build: Build, repeated: Repetition) -> Reply:
    """Return the answer stored under a key, or build the change and store its answer in it."""
    recorded = await repeated.recall(change)
    if recorded is not None:
        return recorded
    try:
        reply = await build(change)
        await repeated.remember(change, reply)
    except (CatalogError, MetadataError) as error:
        await _keep_refusal(context, repeated, as_catalog_error(error))
        raise
    return reply


async def _keep_refusal(context: IcebergContext, repeated: Repetition, error: CatalogError) -> None:
    """Store a refusal under its key. A conflict repeats the change: the key was used in the meantime."""
    if not is_final(error.status):
        return

    async def keep(transaction: Transaction[bytes]) -> None:
        change = WarehouseChange(transaction, context.warehouse.name)
        if await repeated.recall(change) is None:
            await repeated.remember(change, render_error(error, context.request))

    await Transaction(context.services.storage).run(keep)


async def _delete(context: IcebergContext, locations: list[str]) -> None:
    if locations:
        await context.run(context.services.files.delete, list(locations))
