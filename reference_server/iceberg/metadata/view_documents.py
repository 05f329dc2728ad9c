"""View metadata from other writers: checked as a whole, and normalized to the stored form."""

from __future__ import annotations

from typing import Any

from reference_server.iceberg.metadata.errors import InvalidMetadata
from reference_server.iceberg.metadata.reading import Json, integer, long, objects, optional, text, text_map
from reference_server.iceberg.metadata.schemas import read_schema
from reference_server.iceberg.metadata.view_updates import FORMAT_VERSION
from reference_server.iceberg.metadata.view_versions import check_dialects, read_version


def read_view(document: Any) -> Json:
    """Return view metadata from a document; unknown fields are kept. Raises InvalidMetadata."""
    if not isinstance(document, dict):
        raise InvalidMetadata("View metadata are an object.")
    if integer(document, "format-version") != FORMAT_VERSION:
        raise InvalidMetadata(f"Views have the format version {FORMAT_VERSION}, not {document['format-version']}.")
    text(document, "view-uuid")
    if not text(document, "location"):
        raise InvalidMetadata("A view needs a location.")
    for entry in objects(document, "version-log"):
        integer(entry, "version-id")
        long(entry, "timestamp-ms")
    view = {
        **document,
        "schemas": [read_schema(schema) for schema in objects(document, "schemas")],
        "versions": [read_version(version) for version in objects(document, "versions")],
        "properties": optional(text_map, document, "properties") or {},
    }
    _check_versions(view)
    return view


def _check_versions(view: Json) -> None:
    schemas = {schema["schema-id"] for schema in view["schemas"]}
    versions = {version["version-id"] for version in view["versions"]}
    if len(schemas) < len(view["schemas"]) or len(versions) < len(view["versions"]):
        raise InvalidMetadata("The schemas of a view need unique ids, and so do its versions.")
    if integer(view, "current-version-id") not in versions:
        raise InvalidMetadata(f"The current version {view['current-version-id']} does not exist.")
    for version in view["versions"]:
        check_dialects(version)
        if version["schema-id"] not in schemas:
            raise InvalidMetadata(f"The version {version['version-id']} has a schema that does not exist.")
