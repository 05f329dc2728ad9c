"""Settings of catalogs: properties with `polaris.config.` before their names, which may be left out."""

from __future__ import annotations

from collections.abc import Mapping

PREFIX = "polaris.config."
UNSTRUCTURED = "allow.unstructured.table.location"
EXTERNAL_FILES = "allow.external.table.location"
OVERLAPPING = "allow.overlapping.table.location"
CUSTOM_NAMESPACES = "namespace-custom-location.enabled"
PURGE = "drop-with-purge.enabled"
PAGINATION = "list-pagination-enabled"
VENDING = "enable.credential.vending"
VIEW_FILES = "purge-view-metadata-on-drop"

DEFAULTS = {
    UNSTRUCTURED: False,
    EXTERNAL_FILES: False,
    OVERLAPPING: False,
    CUSTOM_NAMESPACES: False,
    PURGE: False,
    PAGINATION: False,
    VENDING: True,
    VIEW_FILES: True,
}
"""What holds where neither the catalog nor the revision says anything."""


def flag(properties: Mapping[str, str], name: str, by_revision: Mapping[str, bool]) -> bool:
    """Return whether a setting is on for a catalog with these properties."""
    value = properties.get(PREFIX + name, properties.get(name))
    if value is None:
        return by_revision.get(name, DEFAULTS[name])
    return value.strip().lower() == "true"
