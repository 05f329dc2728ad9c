"""The updates of a view: a builder that they work on, and the rule behind each action."""

from __future__ import annotations

from copy import copy
from typing import Any

from reference_server.iceberg.metadata.builder import LAST_ADDED
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.numbered import Numbered
from reference_server.iceberg.metadata.reading import Json, integer, is_int, obj, text
from reference_server.iceberg.metadata.schemas import read_schema, shape_of_schema
from reference_server.iceberg.metadata.updates import Rule, changed_properties, removed_properties
from reference_server.iceberg.metadata.view_versions import check_dialects, read_version, shape_of_version

FORMAT_VERSION = 1
FIRST_VERSION_ID = 1


class ViewBuilder:
    """View metadata under construction, and what the commit has done so far. Fields are replaced, never changed.

    -1 stands for `last_schema` and `last_version`: what the commit added last, reused or new, as in builder.py.
    """

    def __init__(self, base: Json, now: int) -> None:
        self.base = base
        self.fields: Json = dict(base)
        self.now = now
        self.changed = False
        self.last_schema: int | None = None
        self.last_version: int | None = None
        self.added_versions: set[int] = set()
        self.log_entry: Json | None = None
        self._own: set[str] = set()
        self._numbered: dict[str, Numbered] = {}

    def get(self, key: str) -> Any:
        """Return a field that every document has."""
        return self.fields[key]

    def put(self, key: str, value: Any) -> None:
        """Replace a field, and count it as a change of the view."""
        self.fields[key] = value
        self.changed = True

    def own(self, key: str) -> Any:
        """Return a list or an object that may be changed in place, and count that as a change of the view."""
        if key not in self._own:
            self.fields[key] = copy(self.fields[key])
            self._own.add(key)
        self.changed = True
        return self.fields[key]

    def numbered(self, key: str, id_key: str) -> Numbered:
        """Return the index of the schemas or versions."""
        if key not in self._numbered:
            self._numbered[key] = Numbered(self.fields[key], id_key)
        return self._numbered[key]

    def add(self, key: str, id_key: str, definition: Json) -> None:
        """Add a schema or version. Raises InvalidMetadata for an id that has grown beyond its bits."""
        if not is_int(definition[id_key]):
            raise InvalidMetadata(f"There is no {id_key} left for {key}: {definition[id_key]} has more than 32 bits.")
        self.own(key).append(definition)
        self.numbered(key, id_key).add(definition)

    def versions(self) -> dict[int, Json]:
        """Return the versions by id."""
        return self.numbered("versions", "version-id").by_id


def add_schema(builder: ViewBuilder, schema: Json) -> int:
    """Add a schema under the next id, or find the same one, and return its id."""
    schemas = builder.numbered("schemas", "schema-id")
    same: int | None = schemas.same(schema, shape_of_schema)
    if same is not None:
        builder.last_schema = same
        return same
    new_id = schemas.next_id(0)
    builder.add("schemas", "schema-id", {**schema, "schema-id": new_id})
    builder.last_schema = new_id
    return new_id


def add_version(builder: ViewBuilder, version: Json) -> int:
    """Add a version, or find the same one, and return its id: the client's if it is after all others."""
    if version["schema-id"] == LAST_ADDED:
        if builder.last_schema is None:
            raise InvalidMetadata("-1 is the last added schema, but this commit has added none.")
        version = {**version, "schema-id": builder.last_schema}
    versions = builder.numbered("versions", "version-id")
    same: int | None = versions.same(version, shape_of_version)
    if same is not None:
        builder.last_version = same
        return same
    if version["schema-id"] not in builder.numbered("schemas", "schema-id").by_id:
        raise InvalidMetadata(f"There is no schema {version['schema-id']}.")
    check_dialects(version)
    new_id: int = max(version["version-id"], versions.next_id(FIRST_VERSION_ID), FIRST_VERSION_ID)
    builder.add("versions", "version-id", {**version, "version-id": new_id})
    builder.added_versions.add(new_id)
    builder.last_version = new_id
    return new_id


def set_current_version(builder: ViewBuilder, version_id: int) -> None:
    """Make a version the current one; the log gets the last one that a commit sets, and its time."""
    if version_id == LAST_ADDED:
        if builder.last_version is None:
            raise InvalidMetadata("-1 is the last added view version, but this commit has added none.")
        version_id = builder.last_version
    if version_id == builder.get("current-version-id"):
        return
    version = builder.versions().get(version_id)
    if version is None:
        raise InvalidMetadata(f"There is no view version {version_id}.")
    builder.put("current-version-id", version_id)
    time = version["timestamp-ms"] if version_id in builder.added_versions else builder.now
    builder.log_entry = {"version-id": version_id, "timestamp-ms": time}


def _assign_uuid(builder: ViewBuilder, update: Json) -> None:
    if text(update, "uuid") != builder.get("view-uuid"):
        raise InvalidMetadata("The UUID of a view does not change.")


def _upgrade(builder: ViewBuilder, update: Json) -> None:
    version = integer(update, "format-version")
    if version != FORMAT_VERSION:
        raise InvalidMetadata(f"Views have the format version {FORMAT_VERSION}, not {version}.")


def _set_location(builder: ViewBuilder, update: Json) -> None:
    location = text(update, "location")
    if not location:
        raise InvalidMetadata("A view needs a location.")
    if location != builder.get("location"):
        builder.put("location", location)


def _set_properties(builder: ViewBuilder, update: Json) -> None:
    changes = changed_properties(update)
    if changes:
        builder.own("properties").update(changes)


def _remove_properties(builder: ViewBuilder, update: Json) -> None:
    removed = removed_properties(update)
    if removed:
        properties = builder.own("properties")
        for name in removed:
            properties.pop(name, None)


VIEW_UPDATES: dict[str, Rule] = {
    "assign-uuid": _assign_uuid,
    "upgrade-format-version": _upgrade,
    "add-schema": lambda builder, update: add_schema(builder, read_schema(obj(update, "schema"))),
    "set-location": _set_location,
    "set-properties": _set_properties,
    "remove-properties": _remove_properties,
    "add-view-version": lambda builder, update: add_version(builder, read_version(obj(update, "view-version"))),
    "set-current-view-version": lambda builder, update: set_current_version(
        builder, integer(update, "view-version-id")
    ),
}
