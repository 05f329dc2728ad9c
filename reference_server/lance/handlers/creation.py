"""CreateTable, CreateEmptyTable, DeclareTable, RegisterTable: creation of tables."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson

from reference_server.errors import InvalidInput, TableAlreadyExists, TableNotFound
from reference_server.lance.catalog.entries import Path, Table
from reference_server.lance.catalog.keys import new_location, show
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.data.arrow_body import check_stream_type, read_stream
from reference_server.lance.errors import ConcurrentModification
from reference_server.lance.handlers.namespaces import delete_data
from reference_server.lance.handlers.tables import managed

if TYPE_CHECKING:
    import pyarrow as pa

Answer = dict[str, Any]


async def create_table(context: LanceContext) -> Answer:
    """Create a table with data; the mode decides about an existing table.

    The data are written first, at an unused location, and the name is taken afterwards: a name never lacks its data.
    The data of a declared table are written to its location.
    """
    mode = context.choice("mode", "Create", "ExistOk", "Overwrite")
    path = context.table_id
    check_stream_type(context.request)
    existing = await _existing(context)
    if existing and existing.created and mode == "Create":
        raise TableAlreadyExists(f"The table {show(path)} exists already.")
    if existing and existing.created and mode == "ExistOk":
        return _answer(context, existing)
    properties = _texts(context, "properties")
    _texts(context, "storage_options")  # for object stores: a directory and the memory have none
    data = await context.run_on_rows(read_stream, context.request.body)
    if existing and existing.created:
        async with context.alone(path):
            return await _overwrite(context, existing, data, properties or {})
    if existing:
        return await _fill(context, existing, data, properties)
    return await create_with_data(context, path, data, properties or {}, mode)


async def create_with_data(
    context: LanceContext, path: Path, data: pa.Table, properties: dict[str, str], mode: str
) -> Answer:
    """Create a table of a new name with its first data. Raises TableAlreadyExists unless the mode is ExistOk."""
    written = new_location(path)
    with context.catalog.locations.unfinished() as note:
        note(written)
        try:
            dataset = await context.run_on_rows(context.data.write, written, data, "create")
            table = Table(context.catalog.locations.place(path, written), properties, created=True)
            await context.catalog.add_table(path, table)
        except TableAlreadyExists:
            await delete_data(context, [Table(written)])
            if mode == "ExistOk":
                return _answer(context, context.catalog.table(path))
            raise
        except Exception:
            await delete_data(context, [Table(written)])
            raise
    return _answer(context, table, dataset.version)


async def _overwrite(context: LanceContext, existing: Table, data: pa.Table, properties: dict[str, str]) -> Answer:
    """Replace a table with data by a new one.

    A table that lies where its name says is written there as one more version, so that readers of the directory find it
    at every moment; what the old table leaves is deleted afterwards.
    """
    in_place = context.catalog.locations.is_fixed(context.id, existing)
    table = replace(existing, properties=properties) if in_place else Table(new_location(context.id), properties, True)
    mode = "overwrite" if in_place else "create"
    with context.catalog.locations.unfinished() as note:
        if not in_place:
            note(table.location)
            note(existing.location)
        try:
            dataset = await context.run_on_rows(context.data.write, table.location, data, mode)
            await context.catalog.replace_table(context.id, existing, table)
        except Exception:
            if not in_place:
                await delete_data(context, [table])
            raise
        if in_place:
            await context.run_on_rows(context.data.forget_past, table.location)
        else:
            await delete_data(context, [existing])
    return _answer(context, table, dataset.version)


async def _fill(context: LanceContext, declared: Table, data: pa.Table, properties: dict[str, str] | None) -> Answer:
    """Write the first data of a declared table."""
    dataset = await context.run_on_rows(context.data.write, declared.location, data, "create")
    table = replace(declared, created=True, properties=properties or declared.properties)
    with suppress(ConcurrentModification):
        await context.catalog.replace_table(context.id, declared, table)
    return _answer(context, table, dataset.version)


async def declare_table(context: LanceContext) -> Answer:
    """Declare a table: reserve a name and a location for later data."""
    path = context.table_id
    location = (context.body or {}).get("location")
    chosen = context.data.relative(location) if location else context.catalog.location_for(path)
    table = Table(chosen, context.properties())
    await context.catalog.add_table(path, table)
    return {**_answer(context, table), **managed(context)}


async def create_empty_table(context: LanceContext) -> Answer:
    """Declare a table, under the former name of DeclareTable."""
    answer = await declare_table(context)
    return {name: value for name, value in answer.items() if name != "managed_versioning"}


async def register_table(context: LanceContext) -> Answer:
    """Register existing data under a name."""
    mode = context.choice("mode", "Create", "Overwrite")
    path = context.table_id
    location = context.data.relative(context.body["location"])
    if not context.data.exists(location):
        raise InvalidInput(f"There is no Lance table at {context.body['location']!r}.")
    table = Table(location, context.properties(), created=True)
    try:
        await context.catalog.add_table(path, table)
    except TableAlreadyExists:
        if mode == "Create":
            raise
        await context.catalog.replace_table(path, context.catalog.table(path), table)
    return _answer(context, table)


async def _existing(context: LanceContext) -> Table | None:
    try:
        return await current_table(context, context.id)
    except TableNotFound:
        return None


def _texts(context: LanceContext, name: str) -> dict[str, str] | None:
    """Return a map in the query, None without it: clients send it there, as JSON, beside the Arrow body."""
    text = context.query(name)
    if not text:
        return None
    try:
        texts = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise InvalidInput(f"The query parameter {name} is not JSON: {error}.") from None
    if not isinstance(texts, dict) or not all(isinstance(value, str) for value in texts.values()):
        raise InvalidInput(f"The query parameter {name} must be an object of strings.")
    return texts


def _answer(context: LanceContext, table: Table, version: int | None = None) -> Answer:
    answer = {"location": context.data.uri(table.location), "properties": table.properties}
    return answer if version is None else {**answer, "version": version}
