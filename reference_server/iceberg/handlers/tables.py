"""createTable, loadTable, tableExists, dropTable, renameTable."""

from __future__ import annotations

from functools import partial

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, PermissionDenied
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.delegation import HEADER
from reference_server.iceberg.catalog.entity_tags import ALL, ETAG, REFS, VARY
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.location_index import is_shared
from reference_server.iceberg.catalog.names import Path, check_name, identifier
from reference_server.iceberg.catalog.purging import purge
from reference_server.iceberg.catalog.results import table_result
from reference_server.iceberg.catalog.unfinished import make_folder, note
from reference_server.iceberg.context import IcebergContext, new_uuid, now
from reference_server.iceberg.errors import FileNotFound
from reference_server.iceberg.files.metadata_files import MetadataFile
from reference_server.iceberg.handlers.credentials import current_tag, with_access
from reference_server.iceberg.metadata.files import metadata_file
from reference_server.iceberg.metadata.reading import Json
from reference_server.iceberg.metadata.tables import new_table


async def create_table(context: IcebergContext) -> Reply:
    """Create a table; with `stage-create` return its metadata without creating it, and make the folder for clients."""
    body = context.body
    path = (*context.namespace, body["name"])
    check_name(body["name"])

    async def build(change: WarehouseChange) -> Reply:
        change.require_free(Kind.TABLE, path)
        metadata = await _new_metadata(context, change, path)
        if body.get("stage-create"):
            await make_folder(context, metadata["location"])
            return await context.compute(0, json_reply, {"metadata": metadata, "config": {}})
        file = await write_first_metadata(context, change, metadata)
        change.add(Kind.TABLE, path, file.location)
        return table_result(file, {})

    return with_access(context, await commit(context, build), path)


async def _new_metadata(context: IcebergContext, change: WarehouseChange, path: Path) -> Json:
    locations = context.services.locations
    location = context.body.get("location") or locations.new(change, path)
    defaults = context.services.default_properties
    metadata = await context.compute(
        0, new_table, context.body, location=location, uuid=new_uuid(), now=now(), defaults=defaults
    )
    (locations.check if context.body.get("stage-create") else locations.place)(change, Kind.TABLE, path, metadata)
    context.check_format(metadata)
    return metadata


async def write_first_metadata(context: IcebergContext, change: WarehouseChange, metadata: Json) -> MetadataFile:
    """Write the first metadata of a table or view to a file, which is deleted if the change fails or is cut short."""
    location = metadata_file(metadata, 0, new_uuid())
    await note(context.services.storage, change, location)
    return await _write(context, change, metadata, location)


async def write_metadata(
    context: IcebergContext, change: WarehouseChange, metadata: Json, version: int
) -> MetadataFile:
    """Write the metadata of a table or view to a new file, which is deleted if the change fails."""
    return await _write(context, change, metadata, metadata_file(metadata, version, new_uuid()))


async def _write(context: IcebergContext, change: WarehouseChange, metadata: Json, location: str) -> MetadataFile:
    change.new_files.append(location)
    return await context.run(context.services.files.write, location, metadata)


async def load_table(context: IcebergContext) -> Reply:
    """Return a table with all snapshots, or with only those that branches and tags name; 304 for a current ETag."""
    snapshots = context.query("snapshots") or ALL
    if snapshots not in (ALL, REFS):
        raise InvalidInput(f"The parameter snapshots must be {ALL} or {REFS}, not {snapshots!r:.100}.")
    path = context.object_path("table")
    location = context.catalog.location(Kind.TABLE, path)
    context.reusable, context.still_valid = True, partial(context.services.files.exists, location)
    current = await current_tag(context, path, location, snapshots)
    if current is not None:
        return Reply(304, headers={ETAG: current, VARY: HEADER})
    file = await context.table_file(location)
    shown = await context.compute(len(file.text), table_result, file, {}, snapshots)
    shown.headers[VARY] = HEADER
    return with_access(context, shown, path, snapshots)


async def table_exists(context: IcebergContext) -> None:
    """Return nothing. Raises TableNotFound."""
    context.reusable = True
    context.catalog.location(Kind.TABLE, context.object_path("table"))


async def drop_table(context: IcebergContext) -> Reply:
    """Drop a table; `purgeRequested` deletes its files, unless other tables share them."""
    path = context.object_path("table")
    purging = context.query("purgeRequested")
    location = await context.table_location(context.catalog.find(Kind.TABLE, path)) if purging else None

    async def build(change: WarehouseChange) -> Reply:
        shared = is_shared(change, Kind.TABLE, path)
        location = change.remove(Kind.TABLE, path)
        if purging and not shared:
            try:
                await purge(context, change, await context.table_file(location))
            except (FileNotFound, InvalidInput, PermissionDenied):
                change.old_files.append(location)  # the table is dropped even if its metadata are unreadable
        return Reply(204)

    async with context.alone([path], location):
        return await commit(context, build)


async def rename_table(context: IcebergContext) -> Reply:
    """Rename a table, also to another existing namespace. Its files stay in place."""
    return await rename(context, Kind.TABLE)


async def rename(context: IcebergContext, kind: Kind) -> Reply:
    """Rename a table or view."""
    source, target = identifier(context.body["source"]), identifier(context.body["destination"])
    check_name(target[-1])

    async def build(change: WarehouseChange) -> Reply:
        change.move(kind, source, target)
        return Reply(204)

    async with context.alone([source, target]):
        return await commit(context, build)
