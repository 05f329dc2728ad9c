"""Views: making their metadata, and changing them by updates.

`now` is the time of the commit in ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidUpdate
from reference_server.iceberg.metadata.properties import Properties, integer_property
from reference_server.iceberg.metadata.reading import Json, obj, optional, text_map
from reference_server.iceberg.metadata.schemas import read_schema
from reference_server.iceberg.metadata.updates import apply_updates
from reference_server.iceberg.metadata.view_updates import (
    FIRST_VERSION_ID,
    FORMAT_VERSION,
    VIEW_UPDATES,
    ViewBuilder,
    add_schema,
    add_version,
    set_current_version,
)
from reference_server.iceberg.metadata.view_versions import SQL, dialects, read_version, retained, retained_log

HISTORY_PROPERTY = "version.history.num-entries"
HISTORY_DEFAULT = 10
DROP_DIALECT_PROPERTY = "replace.drop-dialect.allowed"


def new_view(request: Json, *, location: str, uuid: str, now: int) -> Json:
    """Return the metadata of the view that a create request describes.

    The request's `schema`, `view-version` and `properties` count. The version gets id 1 and the schema id 0, and only
    SQL is accepted. Raises InvalidMetadata.
    """
    if not location:
        raise InvalidMetadata("A view needs a location.")
    builder = ViewBuilder(_empty(location, uuid), now)
    schema_id = add_schema(builder, read_schema(obj(request, "schema")))
    version = read_version({**obj(request, "view-version"), "version-id": FIRST_VERSION_ID, "schema-id": schema_id})
    if not version["representations"] or any(
        representation["type"].lower() != SQL for representation in version["representations"]
    ):
        raise InvalidMetadata("A view is made of SQL, in one dialect or more.")
    set_current_version(builder, add_version(builder, version))
    builder.put("properties", optional(text_map, request, "properties") or {})
    return _finalize(builder)


def update_view(base: Json, updates: Sequence[Any], *, now: int) -> Json:
    """Return the metadata after updates: `base` itself when they change nothing. Raises InvalidUpdate."""
    builder = ViewBuilder(base, now)
    apply_updates(builder, updates, VIEW_UPDATES)
    if not builder.changed:
        return base
    try:
        _check_dropped_dialects(builder)
        return _finalize(builder)
    except InvalidMetadata as error:
        raise InvalidUpdate(error.message) from None


def _empty(location: str, uuid: str) -> Json:
    lists: Json = {"schemas": [], "versions": [], "version-log": []}
    return {"view-uuid": uuid, "format-version": FORMAT_VERSION, "location": location, "current-version-id": 0, **lists}


def _finalize(builder: ViewBuilder) -> Json:
    """Return the metadata of a builder with its log, and no more versions than the view retains."""
    current: int = builder.get("current-version-id")
    log = [*builder.get("version-log"), *([builder.log_entry] if builder.log_entry else ())]
    limit = max(_history_length(builder.get("properties")), len(builder.added_versions | {current}))
    versions = retained(builder.get("versions"), current, limit)
    if len(versions) < len(builder.get("versions")):
        log = retained_log(log, {version["version-id"] for version in versions})
    return {**builder.fields, "versions": versions, "version-log": log}


def _history_length(properties: Properties) -> int:
    length = integer_property(properties, HISTORY_PROPERTY, HISTORY_DEFAULT)
    if length < 1:
        raise InvalidMetadata(f"The property {HISTORY_PROPERTY} must be positive, not {length}.")
    return length


def _check_dropped_dialects(builder: ViewBuilder) -> None:
    """Raise InvalidMetadata for a view that loses a dialect, unless its properties allow that."""
    if builder.get("properties").get(DROP_DIALECT_PROPERTY, "false").lower() == "true":
        return
    versions = builder.versions()
    before = next(
        version for version in builder.base["versions"] if version["version-id"] == builder.base["current-version-id"]
    )
    lost = dialects(before) - dialects(versions[builder.get("current-version-id")])
    if lost:
        raise InvalidMetadata(
            f"The view would lose {', '.join(sorted(lost))}, and {DROP_DIALECT_PROPERTY} is not true."
        )
