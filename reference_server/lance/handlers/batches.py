"""BatchCreateTableVersions and BatchCommitTables: one commit of the catalog, all or nothing.

The commit names the versions and the places of their staged manifests; the files are put in place afterwards, by this
request or by the next one to the table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from reference_server import limits
from reference_server.errors import InvalidInput, Unsupported
from reference_server.lance.catalog.branch_names import MAIN
from reference_server.lance.catalog.changes import EntryChange
from reference_server.lance.catalog.entries import Path, Table
from reference_server.lance.catalog.names import check_names
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.catalog.version_files import VersionFile
from reference_server.lance.catalog.version_names import manifest_name
from reference_server.lance.catalog.version_ranges import versions_in
from reference_server.lance.context import LanceContext
from reference_server.lance.handlers.tables import managed
from reference_server.lance.handlers.versions import describe, staged_version

Answer = dict[str, Any]
Operation = dict[str, Any]
Step = Callable[[LanceContext, EntryChange, Path, Operation], Awaitable[Answer]]


async def batch_create_table_versions(context: LanceContext) -> Answer:
    """Create one version each of several tables."""
    entries = _limited(context.body["entries"])
    made = await _commit(context, [(_create_version, _path(context, entry), entry) for entry in entries])
    return {"versions": [result["version"] for result in made]}


async def batch_commit_tables(context: LanceContext) -> Answer:
    """Declare and deregister tables, create and delete versions, in one commit."""
    chosen = [_chosen(operation) for operation in _limited(context.body["operations"])]
    steps = [(STEPS[name], _path(context, operation), operation) for name, operation in chosen]
    made = await _commit(context, steps)
    return {"results": [{name: result} for (name, _), result in zip(chosen, made, strict=True)]}


async def _commit(context: LanceContext, steps: Sequence[tuple[Step, Path, Operation]]) -> list[Answer]:
    paths = list(dict.fromkeys(path for _, path, _ in steps))

    async def build(change: EntryChange) -> list[Answer]:
        made = []
        for step, path, operation in steps:
            made.append(await step(context, change, path, operation))
            await asyncio.sleep(0)  # a thousand of them take long enough to give other requests a turn
        return made

    async with context.alone(*paths):
        made = await context.catalog.change(build)
    for path in _tables_with_versions(steps):
        await current_table(context, path)
    return made


def _limited(operations: list[Operation]) -> list[Operation]:
    """Return the operations of a batch. Raises InvalidInput for too many."""
    if len(operations) > limits.OPERATIONS:
        raise InvalidInput(f"A batch has at most {limits.OPERATIONS} operations, and this one has {len(operations)}.")
    return operations


def _tables_with_versions(steps: Sequence[tuple[Step, Path, Operation]]) -> list[Path]:
    gone = {path for step, path, _ in steps if step is _deregister}
    return [path for path in dict.fromkeys(path for step, path, _ in steps if step is not _declare) if path not in gone]


async def _declare(context: LanceContext, change: EntryChange, path: Path, operation: Operation) -> Answer:
    location = operation.get("location")
    chosen = context.data.relative(location) if location else context.catalog.location_for(path)
    table = Table(chosen, operation.get("properties") or {})
    change.add_table(path, table)
    return {**_answer(context, table), **managed(context)}


async def _create_version(context: LanceContext, change: EntryChange, path: Path, operation: Operation) -> Answer:
    table = change.table(path)
    record = await staged_version(context, table, operation)
    change.add_version(path, operation["version"], record)
    made = VersionFile(operation["version"], manifest_name(operation["version"], record["naming_scheme"]))
    return {"version": describe(context, table, made, record)}


async def _delete_versions(context: LanceContext, change: EntryChange, path: Path, operation: Operation) -> Answer:
    table = change.table(path)
    chosen = await context.run(versions_in, context.data.versions(table.location), operation["ranges"])
    for version in chosen:
        change.remove_version(path, version.version)
    return {"deleted_count": len(chosen)}


async def _deregister(context: LanceContext, change: EntryChange, path: Path, _operation: Operation) -> Answer:
    table = change.remove_table(path)
    return {"id": path, **_answer(context, table)}


STEPS: dict[str, Step] = {
    "declare_table": _declare,
    "create_table_version": _create_version,
    "delete_table_versions": _delete_versions,
    "deregister_table": _deregister,
}


def _answer(context: LanceContext, table: Table) -> Answer:
    return {"location": context.data.uri(table.location), "properties": table.properties}


def _chosen(operation: Operation) -> tuple[str, Operation]:
    """Return kind and fields of an operation of a batch. Raises InvalidInput unless there is exactly one."""
    names = [name for name in STEPS if operation.get(name) is not None]
    if len(names) != 1:
        raise InvalidInput(f"An operation of a batch is exactly one of {', '.join(STEPS)}, not {len(names)} of them.")
    return names[0], operation[names[0]]


def _path(context: LanceContext, operation: Operation) -> Path:
    if operation.get("branch") not in (None, MAIN):
        raise Unsupported(
            "A batch is one commit of the catalog, whose records of versions have no place for a branch. "
            "Commit to the branch with CreateTableVersion or BatchDeleteTableVersions."
        )
    path = tuple(operation.get("id") or ())
    if not path:
        raise InvalidInput("Every entry of a batch needs the id of a table.")
    check_names(path, context.catalog.locations.forbidden)
    return path
