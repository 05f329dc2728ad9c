"""Cleaning up after Spark: what it made is found in the namespace, since it is not asked for through the client."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.listing import collect_namespaces, collect_tables


class Home:
    """The namespace of a scenario, and all that is in it."""

    def __init__(self, catalog: LanceCatalog) -> None:
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

    def _note(self, namespace: Names, above: Sequence[str] = ()) -> None:
        catalog = self.catalog
        names: list[str] = []
        catalog.quietly(lambda: names.extend(collect_tables(catalog, namespace)))
        catalog.note_tables([(*namespace, name) for name in names])
        inner: list[str] = []
        if catalog.nested:
            catalog.quietly(lambda: inner.extend(collect_namespaces(catalog, namespace)))
        catalog.note_namespaces([(*namespace, name) for name in inner])
        for name in inner if inner != above else ():  # a server may show the same everywhere
            self._note((*namespace, name), inner)
