"""Rules of catalogs by revision, and settings of one catalog.

A setting is a property of the catalog: `polaris.config.` before its name, which may be left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from reference_server.errors import CatalogError, PermissionDenied
from reference_server.iceberg.errors import IllegalArgument

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
"""Settings where neither the catalog nor the revision has one."""


def flag(properties: Mapping[str, str], name: str, by_revision: Mapping[str, bool]) -> bool:
    """Return whether a setting is on for a catalog with these properties."""
    value = properties.get(PREFIX + name, properties.get(name))
    if value is None:
        return by_revision.get(name, DEFAULTS[name])
    return value.strip().lower() == "true"


@dataclass(frozen=True, slots=True)
class CatalogRules:
    """Rules for the content of catalogs, since a revision.

    `external` is the term for an external catalog in messages. `plain_names`: names have no characters with a meaning
    for paths or shells. `custom_places`: a namespace may lie anywhere, without a setting. `lists_credentials`: answers
    also have credentials in a list, with an endpoint to refresh them. `unvended` makes the error of a request for
    credentials of an external catalog that vends none. `no_star`: If-None-Match must not be `*`. `folder_end` ends the
    default location of a namespace. `flags` are the default settings of catalogs.
    """

    external: str
    plain_names: bool
    custom_places: bool
    lists_credentials: bool
    unvended: Callable[[], CatalogError]
    no_star: bool
    folder_end: str
    flags: Mapping[str, bool]


CATALOG_RULES = {
    "2024-09": CatalogRules(
        external="external catalogs",
        plain_names=False,
        custom_places=True,
        lists_credentials=False,
        unvended=partial(
            PermissionDenied,
            "Access Delegation is not enabled for this catalog. Please consult applicable documentation for the "
            f"catalog config property '{PREFIX}{VENDING}' to enable this feature",
        ),
        no_star=False,
        folder_end="",
        flags={PURGE: True, VIEW_FILES: False},
    ),
    "1.7": CatalogRules(
        external="static-facade external catalogs",
        plain_names=True,
        custom_places=False,
        lists_credentials=True,
        unvended=partial(
            IllegalArgument,
            "Credential vending is not enabled for this external catalog. To enable this feature, set the catalog "
            f"configuration {PREFIX}{VENDING}",
        ),
        no_star=True,
        folder_end="/",
        flags={},
    ),
}
