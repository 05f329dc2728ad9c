"""Cleaning up after Spark: what it made is found in the catalog, since it is not asked for through the client."""

from __future__ import annotations

from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.listing import namespaces_below, tables_in, views_in


class Home:
    """The namespace of a scenario, and all that is in it."""

    def __init__(self, catalog: IcebergCatalog) -> None:
        self.catalog = catalog

    @property
    def left_behind(self) -> list[str]:
        """What could not be dropped."""
        return self.catalog.left_behind

    def clean_up(self) -> None:
        """Find what there is, and drop it."""
        for namespace in self.catalog.noted_namespaces:
            self._note(namespace)
        self.catalog.clean_up()

    def _note(self, namespace: Names) -> None:
        catalog = self.catalog
        catalog.quietly(lambda: catalog.note_tables(tables_in(catalog, namespace)))
        catalog.quietly(lambda: catalog.note_views(views_in(catalog, namespace)))
        inner: list[Names] = []
        if catalog.nested:
            catalog.quietly(lambda: inner.extend(map(tuple, namespaces_below(catalog, namespace))))
        inner = [one for one in inner if one[:-1] == namespace]  # a server may show what belongs to others
        catalog.note_namespaces(inner)
        for one in inner:
            self._note(one)
