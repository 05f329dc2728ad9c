"""Tables: making their metadata, and changing them by updates.

`now` is the time of the commit in ms. `previous_file` is the location of the base's file, which enters the metadata
log; None leaves the log unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_server.iceberg.metadata.builder import MAIN, Builder
from reference_server.iceberg.metadata.definitions import define, read_definition, with_fresh_ids
from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidUpdate
from reference_server.iceberg.metadata.finalize import empty_table, finalize
from reference_server.iceberg.metadata.format_versions import DEFAULT, NEWEST, OLDEST, check_supported, upgrade
from reference_server.iceberg.metadata.partition_specs import replacing_spec
from reference_server.iceberg.metadata.properties import (
    FOR_NEW_TABLES,
    FORMAT_VERSION,
    Properties,
    check_new_properties,
    integer_property,
    set_properties,
    stored_properties,
)
from reference_server.iceberg.metadata.reading import Json, is_int, optional, text_map
from reference_server.iceberg.metadata.refs import remove_ref
from reference_server.iceberg.metadata.updates import apply_updates


def new_table(request: Json, *, location: str, uuid: str, now: int, defaults: Properties = FOR_NEW_TABLES) -> Json:
    """Return the metadata of the table that a create request describes.

    The request's `schema`, `partition-spec`, `write-order` and `properties` count. All column ids are assigned anew
    from 1, partition field ids from 1000; the spec gets id 0, the order 1, or 0 when unsorted. The property
    `format-version` sets the version, 2 if missing; `defaults` are further properties. Raises InvalidMetadata.
    """
    requested = optional(text_map, request, "properties") or {}
    version = integer_property(requested, FORMAT_VERSION, DEFAULT)
    check_supported(version)
    definition = with_fresh_ids(read_definition(request))
    properties = stored_properties(requested, defaults)
    check_new_properties(properties, definition.columns, version)
    builder = Builder(None, now, empty_table(version, uuid))
    define(builder, definition)
    builder.put("location", location)
    set_properties(builder, properties)
    return finalize(builder, None)


def create_table(updates: Sequence[Any], *, uuid: str, now: int, location: str | None = None) -> Json:
    """Return the metadata of a table that is created by updates alone, by a commit with assert-create.

    Updates may override `uuid` and `location`. Raises InvalidUpdate and StaleUpdate.
    """
    builder = Builder(None, now, empty_table(_first_version(updates), uuid))
    if location is not None:
        builder.put("location", location)
    return _apply(builder, updates, None)


def update_table(base: Json, updates: Sequence[Any], *, now: int, previous_file: str | None = None) -> Json:
    """Return the metadata after updates: `base` itself when they change nothing.

    Raises InvalidUpdate, and StaleUpdate for a snapshot that is outdated by another commit.
    """
    return _apply(Builder(base, now), updates, previous_file)


def replace_table(
    base: Json, request: Json, *, now: int, location: str | None = None, previous_file: str | None = None
) -> Json:
    """Return the metadata of a table whose definition is replaced and whose history stays.

    The request is a create request. Columns and partition fields that the table had keep their ids; main is removed, as
    no snapshot fits the new definition. Raises InvalidMetadata.
    """
    builder = Builder(base, now)
    requested = optional(text_map, request, "properties") or {}
    upgrade(builder, integer_property(requested, FORMAT_VERSION, builder.version))
    remove_ref(builder, MAIN)
    fresh = with_fresh_ids(read_definition(request), builder.get("last-column-id"), builder.columns())
    define(builder, fresh._replace(spec=replacing_spec(builder, fresh.spec)))
    if location is not None and location != builder.get("location"):
        builder.put("location", location)
    set_properties(builder, stored_properties(requested))
    return finalize(builder, previous_file)


def _first_version(updates: Sequence[Any]) -> int:
    """Return the format version of a table made by updates: the first one among them."""
    for update in updates:
        if isinstance(update, dict) and update.get("action") == "upgrade-format-version":
            version: Any = update.get("format-version")
            # applying the update rejects an unsupported version
            return int(version) if is_int(version) and OLDEST <= version <= NEWEST else DEFAULT
    return DEFAULT


def _apply(builder: Builder, updates: Sequence[Any], previous_file: str | None) -> Json:
    apply_updates(builder, updates)
    try:
        return finalize(builder, previous_file)
    except InvalidMetadata as error:
        raise InvalidUpdate(error.message) from None
