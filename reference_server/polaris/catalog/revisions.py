"""In what the revisions differ in the catalog's part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from reference_server.polaris.catalog.flags import PURGE, VIEW_FILES


@dataclass(frozen=True, slots=True)
class CatalogRules:
    """The rules for what is in catalogs, since a revision.

    `external` is what messages call an external catalog. `plain_names`: names have no characters that paths or shells
    read. `custom_places`: a namespace may lie anywhere in its catalog, without a flag. `lists_credentials`: answers
    have credentials in a list too, and say where new ones are. `no_star`: a table is not loaded on condition that
    there is any. `flags` are the settings that catalogs have where they say nothing else.
    """

    external: str
    plain_names: bool
    custom_places: bool
    lists_credentials: bool
    no_star: bool
    flags: Mapping[str, bool]


CATALOG_RULES = {
    "2024-09": CatalogRules(
        external="external catalogs",
        plain_names=False,
        custom_places=True,
        lists_credentials=False,
        no_star=False,
        flags={PURGE: True, VIEW_FILES: False},
    ),
    "1.7": CatalogRules(
        external="static-facade external catalogs",
        plain_names=True,
        custom_places=False,
        lists_credentials=True,
        no_star=True,
        flags={},
    ),
}
