"""Updates of a view: their builder, and the rule that applies each action."""

from __future__ import annotations

from reference_server.iceberg.metadata.builder import LAST_ADDED, FieldBuilder
from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, integer, obj, text
from reference_server.iceberg.metadata.schemas import read_schema, shape_of_schema
from reference_server.iceberg.metadata.updates import Rule, changed_properties, removed_properties
from reference_server.iceberg.metadata.view_versions import check_dialects, read_version, shape_of_version

FORMAT_VERSION = 1
FIRST_VERSION_ID = 1


class ViewBuilder(FieldBuilder):
    """View metadata under construction, and the effects of the commit so far.

    -1 stands for `last_schema` and `last_version`: the last one that the commit added, reused or new, as in builder.py.
    """

    def __init__(self, base: Json, now: int) -> None:
        super().__init__(base, now)
        self.base = base
        self.last_schema: int | None = None
        self.last_version: int | None = None
        self.added_versions: set[int] = set()
        self.log_entry: Json | None = None

    def versions(self) -> dict[int, Json]:
        """Return the versions by id."""
        return self.numbered("versions", "version-id").by_id


def add_schema(builder: ViewBuilder, schema: Json) -> int:
    """Add a schema under the next id, unless an equal one exists, and return its id."""
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
    """Add a version, unless an equal one exists, and return its id: the client's if it is after all others."""
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
    """Make a version the current one; the log gets only the last one that a commit sets, with its time."""
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
