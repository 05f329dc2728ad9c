"""Views: making their metadata, and changing them by updates.

`now` is the time of the commit in ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reference_server.iceberg.metadata.drafts import LAST_ADDED
from reference_server.iceberg.metadata.errors import InvalidMetadata, InvalidUpdate
from reference_server.iceberg.metadata.properties import Properties, integer_property
from reference_server.iceberg.metadata.reading import Json, integer, obj, optional, text, text_map
from reference_server.iceberg.metadata.schemas import read_schema, same_schema
from reference_server.iceberg.metadata.updates import (
    Rule,
    apply_updates,
    changed_properties,
    removed_properties,
)
from reference_server.iceberg.metadata.view_versions import (
    SQL,
    check_dialects,
    dialects,
    read_version,
    retained,
    retained_log,
    same_version,
)

FORMAT_VERSION = 1
FIRST_VERSION_ID = 1
HISTORY_PROPERTY = "version.history.num-entries"
HISTORY_DEFAULT = 10
DROP_DIALECT_PROPERTY = "replace.drop-dialect.allowed"


class ViewDraft:
    """View metadata in the making, and what the commit has done so far. Fields are replaced, never changed."""

    def __init__(self, base: Json, now: int) -> None:
        self.base = base
        self.fields: Json = dict(base)
        self.now = now
        self.changed = False
        self.last_schema: int | None = None
        self.last_version: int | None = None
        self.added_versions: set[int] = set()
        self.log_entry: Json | None = None

    def get(self, key: str) -> Any:
        """Return a field that every document has."""
        return self.fields[key]

    def put(self, key: str, value: Any) -> None:
        """Replace a field, and count it as a change of the view."""
        self.fields[key] = value
        self.changed = True

    def versions(self) -> dict[int, Json]:
        """Return the versions by id."""
        return {one["version-id"]: one for one in self.get("versions")}


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


def add_schema(draft: ViewDraft, schema: Json) -> int:
    """Add a schema under the next id, or find the same one, and return its id."""
    schemas: list[Json] = draft.get("schemas")
    for one in schemas:
        if same_schema(one, schema):
            return int(one["schema-id"])
    new_id = int(max((one["schema-id"] for one in schemas), default=-1)) + 1
    draft.put("schemas", [*schemas, {**schema, "schema-id": new_id}])
    draft.last_schema = new_id
    return new_id


def add_version(draft: ViewDraft, version: Json) -> int:
    """Add a version, or find the same one, and return its id: the client's if it is after all others."""
    versions = draft.versions()
    for version_id, one in versions.items():
        if same_version(one, version):
            draft.last_version = version_id if version_id in draft.added_versions else None
            return version_id
    if version["schema-id"] == LAST_ADDED:
        if draft.last_schema is None:
            raise InvalidMetadata("-1 is the last added schema, but this commit has added none.")
        version = {**version, "schema-id": draft.last_schema}
    if all(one["schema-id"] != version["schema-id"] for one in draft.get("schemas")):
        raise InvalidMetadata(f"There is no schema {version['schema-id']}.")
    check_dialects(version)
    new_id = int(max(version["version-id"], *(one + 1 for one in versions), FIRST_VERSION_ID))
    draft.put("versions", [*draft.get("versions"), {**version, "version-id": new_id}])
    draft.added_versions.add(new_id)
    draft.last_version = new_id
    return new_id


def set_current_version(draft: ViewDraft, version_id: int) -> None:
    """Make a version the current one; the log gets the last one that a commit sets, and its time."""
    if version_id == LAST_ADDED:
        if draft.last_version is None:
            raise InvalidMetadata("-1 is the last added view version, but this commit has added none.")
        version_id = draft.last_version
    if version_id == draft.get("current-version-id"):
        return
    version = draft.versions().get(version_id)
    if version is None:
        raise InvalidMetadata(f"There is no view version {version_id}.")
    draft.put("current-version-id", version_id)
    time = version["timestamp-ms"] if version_id in draft.added_versions else draft.now
    draft.log_entry = {"version-id": version_id, "timestamp-ms": time}


def _assign_uuid(draft: ViewDraft, update: Json) -> None:
    if text(update, "uuid") != draft.get("view-uuid"):
        raise InvalidMetadata("The UUID of a view does not change.")


def _upgrade(draft: ViewDraft, update: Json) -> None:
    version = integer(update, "format-version")
    if version != FORMAT_VERSION:
        raise InvalidMetadata(f"Views have the format version {FORMAT_VERSION}, not {version}.")


def _set_location(draft: ViewDraft, update: Json) -> None:
    location = text(update, "location")
    if not location:
        raise InvalidMetadata("A view needs a location.")
    if location != draft.get("location"):
        draft.put("location", location)


def _set_properties(draft: ViewDraft, update: Json) -> None:
    changes = changed_properties(update)
    if changes:
        draft.put("properties", {**draft.get("properties"), **changes})


def _remove_properties(draft: ViewDraft, update: Json) -> None:
    gone = set(removed_properties(update))
    if gone:
        kept = {name: value for name, value in draft.get("properties").items() if name not in gone}
        draft.put("properties", kept)


VIEW_UPDATES: dict[str, Rule] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade,
    "add-schema": lambda draft, update: add_schema(draft, read_schema(obj(update, "schema"))),
    "set-location": _set_location,
    "set-properties": _set_properties,
    "remove-properties": _remove_properties,
    "add-view-version": lambda draft, update: add_version(draft, read_version(obj(update, "view-version"))),
    "set-current-view-version": lambda draft, update: set_current_version(draft, integer(update, "view-version-id")),
}


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
