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
    ViewDraft,
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

    Read from the request: `schema`, `view-version`, `properties`. The version gets id 1 and the schema id 0,
    and only SQL is taken. Raises InvalidMetadata.
    """
    if not location:
        raise InvalidMetadata("A view needs a location.")
    draft = ViewDraft(_empty(location, uuid), now)
    schema_id = add_schema(draft, read_schema(obj(request, "schema")))
    version = read_version({**obj(request, "view-version"), "version-id": FIRST_VERSION_ID, "schema-id": schema_id})
    if not version["representations"] or any(one["type"].lower() != SQL for one in version["representations"]):
        raise InvalidMetadata("A view is made of SQL, in one dialect or more.")
    set_current_version(draft, add_version(draft, version))
    draft.put("properties", optional(text_map, request, "properties") or {})
    return _finish(draft)


def update_view(base: Json, updates: Sequence[Any], *, now: int) -> Json:
    """Return the metadata after updates: `base` itself when they change nothing. Raises InvalidUpdate."""
    draft = ViewDraft(base, now)
    apply_updates(draft, updates, VIEW_UPDATES)
    if not draft.changed:
        return base
    try:
        _check_dropped_dialects(draft)
        return _finish(draft)
    except InvalidMetadata as error:
        raise InvalidUpdate(error.message) from None


def _empty(location: str, uuid: str) -> Json:
    lists: Json = {"schemas": [], "versions": [], "version-log": []}
    return {"view-uuid": uuid, "format-version": FORMAT_VERSION, "location": location, "current-version-id": 0, **lists}


def _finish(draft: ViewDraft) -> Json:
    """Return the metadata of a draft with its log, and no more versions than the view keeps."""
    current: int = draft.get("current-version-id")
    log = [*draft.get("version-log"), *([draft.log_entry] if draft.log_entry else ())]
    limit = max(_history_length(draft.get("properties")), len(draft.added_versions | {current}))
    versions = retained(draft.get("versions"), current, limit)
    if len(versions) < len(draft.get("versions")):
        log = retained_log(log, {one["version-id"] for one in versions})
    return {**draft.fields, "versions": versions, "version-log": log}


def _history_length(properties: Properties) -> int:
    length = integer_property(properties, HISTORY_PROPERTY, HISTORY_DEFAULT)
    if length < 1:
        raise InvalidMetadata(f"The property {HISTORY_PROPERTY} has to be positive, not {length}.")
    return length


def _check_dropped_dialects(draft: ViewDraft) -> None:
    """Raise InvalidMetadata when the view loses a dialect that engines read it in."""
    if draft.get("properties").get(DROP_DIALECT_PROPERTY, "false").lower() == "true":
        return
    versions = draft.versions()
    before = next(one for one in draft.base["versions"] if one["version-id"] == draft.base["current-version-id"])
    lost = dialects(before) - dialects(versions[draft.get("current-version-id")])
    if lost:
        raise InvalidMetadata(
            f"The view would lose {', '.join(sorted(lost))}, and {DROP_DIALECT_PROPERTY} is not true."
        )
