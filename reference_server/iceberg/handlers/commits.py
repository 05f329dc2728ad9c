"""updateTable and commitTransaction: check requirements, apply updates, write files, then commit once.

A table that occurs several times in a transaction gets its changes one after the other, and one new file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_server import limits
from reference_server.context import Reply
from reference_server.errors import InvalidInput, TableNotFound
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_index import is_shared
from reference_server.iceberg.catalog.names import Path, changed_table, check_name, show
from reference_server.iceberg.catalog.own_files import own_files
from reference_server.iceberg.catalog.results import commit_result
from reference_server.iceberg.context import IcebergContext, new_uuid, now
from reference_server.iceberg.errors import CommitFailed
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.handlers.credentials import with_loaded_tag
from reference_server.iceberg.handlers.tables import write_first_metadata, write_metadata
from reference_server.iceberg.metadata import tables as rules
from reference_server.iceberg.metadata.errors import RequirementFailed
from reference_server.iceberg.metadata.files import obsolete_files
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.requirements import check_table_requirements, is_creation

TableChange = tuple[Path, Json]
"""A table and its CommitTableRequest."""


async def update_table(context: IcebergContext) -> Reply:
    """Change a table, or create it if the commit requires that it does not exist."""
    path = context.object_path("table")
    _check_count([context.body])

    async def build(change: WarehouseChange) -> Reply:
        (file,) = await _carry_out(context, change, [(path, context.body)])
        return commit_result(file)

    async with context.alone([path]):
        return with_loaded_tag(context, await commit(context, build), path)


async def commit_transaction(context: IcebergContext) -> Reply:
    """Change several tables atomically."""
    _check_count(context.body["table-changes"])
    changes: list[TableChange] = [(changed_table(change), change) for change in context.body["table-changes"]]

    async def build(change: WarehouseChange) -> Reply:
        await _carry_out(context, change, changes)
        return Reply(204)

    async with context.alone(path for path, _ in changes):
        return await commit(context, build)


def _check_count(requests: Sequence[Json]) -> None:
    """Raise InvalidInput for more updates than a commit may have."""
    count = sum(len(request["updates"]) for request in requests)
    if max(count, len(requests)) > limits.UPDATES:
        raise InvalidInput(f"A commit has at most {limits.UPDATES} updates, and this one has {count}.")


async def _carry_out(
    context: IcebergContext, change: WarehouseChange, requests: Sequence[TableChange]
) -> list[MetadataFile]:
    """Add the requested commits to a change, and return the metadata file of each table."""
    tables: dict[Path, _Table] = {}
    for path, request in requests:
        if path not in tables:
            tables[path] = await _look_up(context, change, path)
        table = tables[path]
        await context.compute(table.size, table.apply, context.services.dialect.translate(request))
    return [await table.store(context, change) for table in tables.values()]


async def _look_up(context: IcebergContext, change: WarehouseChange, path: Path) -> _Table:
    location = change.find(Kind.TABLE, path)
    if location is None:
        return _Table(path, None, context.services.locations.new(change, path))
    return _Table(path, await context.table_file(location), "")


class _Table:
    """A table during a commit: its current file, if any, and its new metadata."""

    def __init__(self, path: Path, file: MetadataFile | None, new_location: str) -> None:
        self._path = path
        self._file = file
        self._new_location = new_location
        self._metadata: Json | None = file.metadata if file else None

    @property
    def size(self) -> int:
        """Size of the metadata before the commit as text, in bytes."""
        return len(self._file.text) if self._file else 0

    def apply(self, request: Json) -> None:
        """Check the requirements of a commit and apply its updates.

        Raises MetadataError, CommitFailed and TableNotFound.
        """
        requirements: list[Any] = request["requirements"]
        try:
            if is_creation(requirements):
                self._metadata = self._created(request["updates"])
            else:
                self._metadata = self._updated(requirements, request["updates"])
        except RequirementFailed as error:
            raise CommitFailed(f"Requirement failed: {error.message}") from None

    def _created(self, updates: list[Any]) -> Json:
        if self._metadata is not None:
            raise CommitFailed(f"Requirement failed: table already exists: {show(self._path)}")
        return rules.create_table(updates, uuid=new_uuid(), now=now(), location=self._new_location)

    def _updated(self, requirements: list[Any], updates: list[Any]) -> Json:
        if self._metadata is None:
            raise TableNotFound(f"Table does not exist: {show(self._path)}")
        check_table_requirements(self._metadata, requirements)
        unchanged = self._file is not None and self._metadata is self._file.metadata
        previous = self._file.location if self._file and unchanged else None
        time = max(now(), self._metadata["last-updated-ms"])
        return rules.update_table(self._metadata, updates, now=time, previous_file=previous)

    async def store(self, context: IcebergContext, change: WarehouseChange) -> MetadataFile:
        """Write a new file for changed metadata and add it to the change. Return the file that the table then has."""
        assert self._metadata is not None, "a commit without a table was refused"
        context.check_format(self._metadata)
        if self._file is None:
            check_name(self._path[-1])
            change.require_free(Kind.TABLE, self._path)
            context.services.locations.place(change, Kind.TABLE, self._path, self._metadata)
            file = await write_first_metadata(context, change, self._metadata)
            change.add(Kind.TABLE, self._path, file.location)
            return file
        if self._metadata is self._file.metadata:
            return self._file
        context.services.locations.place(change, Kind.TABLE, self._path, self._metadata, self._file.metadata)
        file = await write_metadata(context, change, self._metadata, self._file.next_version)
        change.replace(Kind.TABLE, self._path, file.location)
        obsolete = obsolete_files(self._file.metadata, self._metadata)
        if obsolete and not is_shared(change, Kind.TABLE, self._path):
            change.old_files += await context.run(own_files, context, self._metadata["location"], obsolete)
        return file
