"""createView, loadView, viewExists, replaceView, dropView, renameView, registerView, listViews."""

from __future__ import annotations

from functools import partial
from typing import Any

from reference_server import limits
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.catalog import WarehouseChange
from reference_server.iceberg.catalog.changes import commit
from reference_server.iceberg.catalog.keys import Kind
from reference_server.iceberg.catalog.names import check_name
from reference_server.iceberg.catalog.results import view_result
from reference_server.iceberg.context import IcebergContext, new_uuid, now
from reference_server.iceberg.errors import CommitFailed
from reference_server.iceberg.handlers.listings import list_objects
from reference_server.iceberg.handlers.tables import rename, write_first_metadata, write_metadata
from reference_server.iceberg.metadata.errors import RequirementFailed
from reference_server.iceberg.metadata.requirements import check_view_requirements
from reference_server.iceberg.metadata.views import new_view, update_view

Answer = dict[str, Any]


async def list_views(context: IcebergContext) -> Answer:
    """List the views of a namespace."""
    return await list_objects(context, Kind.VIEW)


async def create_view(context: IcebergContext) -> Reply:
    """Create a view."""
    body = context.body
    path = (*context.namespace, body["name"])
    check_name(body["name"])
    locations = context.services.locations

    async def build(change: WarehouseChange) -> Reply:
        change.require_free(Kind.VIEW, path)
        location = body.get("location") or locations.new(change, path)
        metadata = await context.compute(0, new_view, body, location=location, uuid=new_uuid(), now=now())
        locations.place(change, Kind.VIEW, path, metadata)
        file = await write_first_metadata(context, change, metadata)
        change.add(Kind.VIEW, path, file.location)
        return view_result(file, {})

    return await commit(context, build)


async def load_view(context: IcebergContext) -> Reply:
    """Return a view."""
    location = context.catalog.location(Kind.VIEW, context.object_path("view"))
    context.reusable, context.still_valid = True, partial(context.services.files.exists, location)
    return view_result(await context.view_file(location), {})


async def view_exists(context: IcebergContext) -> None:
    """Return nothing. Raises ViewNotFound."""
    context.reusable = True
    context.catalog.location(Kind.VIEW, context.object_path("view"))


async def replace_view(context: IcebergContext) -> Reply:
    """Change a view by updates, if the requirements hold."""
    path = context.object_path("view")
    body = context.body
    if len(body["updates"]) > limits.UPDATES:
        raise InvalidInput(f"A commit has at most {limits.UPDATES} updates, and this one has {len(body['updates'])}.")

    async def build(change: WarehouseChange) -> Reply:
        file = await context.view_file(change.location(Kind.VIEW, path))
        try:
            check_view_requirements(file.metadata, body.get("requirements") or [])
        except RequirementFailed as error:
            raise CommitFailed(f"Requirement failed: {error.message}") from None
        metadata = await context.compute(len(file.text), update_view, file.metadata, body["updates"], now=now())
        if metadata is file.metadata:
            return view_result(file, {})
        context.services.locations.place(change, Kind.VIEW, path, metadata, file.metadata)
        written = await write_metadata(context, change, metadata, file.next_version)
        change.replace(Kind.VIEW, path, written.location)
        return view_result(written, {})

    async with context.alone([path]):
        return await commit(context, build)


async def drop_view(context: IcebergContext) -> Reply:
    """Drop a view; its metadata files stay for a later registration, unless the location rules delete them."""
    path = context.object_path("view")

    async def build(change: WarehouseChange) -> Reply:
        change.old_files += context.services.locations.files_of_dropped(change, Kind.VIEW, path)
        change.remove(Kind.VIEW, path)
        return Reply(204)

    async with context.alone([path]):
        return await commit(context, build)


async def rename_view(context: IcebergContext) -> Reply:
    """Rename a view, also to another existing namespace."""
    return await rename(context, Kind.VIEW)


async def register_view(context: IcebergContext) -> Reply:
    """Register the view of a metadata file."""
    body = context.body
    path = (*context.namespace, body["name"])
    check_name(body["name"])

    async def build(change: WarehouseChange) -> Reply:
        change.require_free(Kind.VIEW, path)
        file = await context.view_file(body["metadata-location"])
        context.services.locations.place_registered(change, Kind.VIEW, path, file.metadata)
        change.add(Kind.VIEW, path, file.location)
        return view_result(file, {})

    return await commit(context, build)
