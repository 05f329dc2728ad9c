"""The properties of namespaces, as requirements look at them."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.author.checks import equal
from conformance.iceberg.catalog import IcebergCatalog
from conformance.values.outcomes import Unoffered

PROPERTIES = "the properties of the namespace"


def namespace_properties(catalog: IcebergCatalog, id: tuple[str, ...]) -> dict[str, str]:
    """Return the properties of a namespace. Raises Unoffered when the server keeps none."""
    properties = catalog.load_namespace_metadata(id).get("properties")
    if properties is None:
        raise Unoffered("the server keeps no properties of namespaces")
    return dict(properties)


def has_properties(catalog: IcebergCatalog, id: tuple[str, ...], wanted: Mapping[str, str]) -> None:
    """Check that a namespace has these properties, whatever others it has."""
    properties = namespace_properties(catalog, id)
    equal({key: properties[key] for key in wanted if key in properties}, dict(wanted), "the properties that were set")
