"""Listings of namespaces, tables and views: requests, pages and entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from conformance.author.checks import listed
from conformance.http.answers import Answer
from conformance.http.paging import pages
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.client import Id
from conformance.values.outcomes import Skipped

NEXT = "next-page-token"
FIRST_PAGE = ""
MOST_READ = 20  # entries of others that a read-only run pages through
Item = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IcebergListing:
    """Operation that lists the content of an example's home.

    `id` is the operation, `field` the field of its answer, `fetch` sends it with paging arguments,
    `add` creates an object that it must list, `remove` drops the object.
    """

    id: str
    field: str
    fetch: Callable[..., Answer]
    add: Callable[[IcebergCatalog, str], object]
    remove: Callable[[IcebergCatalog, Names], object]

    def items(self, answer: Answer) -> list[Item]:
        """Return the entries of a page as levels, followed by the name for tables and views."""
        return items_of(answer, self.field)

    def ours(self, catalog: IcebergCatalog, *answers: Answer) -> list[Item]:
        """Return the entries of pages that belong to the example; a given home may contain others."""
        return own(catalog, [entry for answer in answers for entry in self.items(answer)])

    def first_page(self, catalog: IcebergCatalog, **query: Any) -> Answer:
        """Fetch the first page: with an empty pageToken, unless the document's listings always have pages."""
        always = catalog.revision.page_size(self.id) is not None
        return self.fetch(catalog, **query) if always else self.fetch(catalog, pageToken=FIRST_PAGE, **query)

    def pages(self, catalog: IcebergCatalog, **query: Any) -> list[Answer]:
        """Return the pages from the first to the last. Raises Violation when they never end."""
        return followed(self.first_page(catalog, **query), partial(self.fetch, catalog, **query))

    def pages_behind(self, page: Answer, catalog: IcebergCatalog, **query: Any) -> list[Answer]:
        """Return the pages that follow one. Raises Violation when they never end."""
        return followed(page, partial(self.fetch, catalog, **query))[1:]

    def everything(self, catalog: IcebergCatalog) -> list[Item]:
        """Return all entries that belong to the example, from one page or several."""
        fetch = partial(self.fetch, catalog)
        return self.ours(catalog, *followed(fetch(), fetch))

    def there(self, catalog: IcebergCatalog, least: int) -> list[Item]:
        """Return the entries that exist, for a read-only run.

        Raises Skipped where they are fewer than `least`, or so many that their pages would be a burden.
        """
        with catalog.client.preparing():
            entries = self.everything(catalog)
        if not least <= len(entries) <= MOST_READ:
            raise Skipped(
                f"{self.id} shows {len(entries)} entries, and this reads {least} to {MOST_READ}", "--namespace"
            )
        return sorted(entries)

    def prepare(self, catalog: IcebergCatalog) -> None:
        """Raise Unoffered when the target cannot have entries of this listing."""
        if self.id == "listNamespaces":
            catalog.require_nested()


def items_of(answer: Answer, field: str) -> list[Item]:
    """Return the entries in a field of a listing."""
    return [item(entry) for entry in listed(answer[field], f"the {field} of the listing")]


def item(raw: Any) -> Item:
    """Return a listed namespace as levels, or a listed identifier as levels followed by the name."""
    if isinstance(raw, dict):
        return (*listed(raw["namespace"], "the namespace of a listed name"), raw["name"])
    return tuple(listed(raw, "the levels of a listed name"))


def _list_namespaces(catalog: IcebergCatalog, **query: Any) -> Answer:
    return catalog.list_namespaces(catalog.home, **query)


LISTINGS = {
    "list_namespaces": IcebergListing(
        "listNamespaces",
        "namespaces",
        _list_namespaces,
        lambda catalog, name: catalog.create_namespace(catalog.table_id(name)),
        lambda catalog, id: catalog.drop_namespace(id),
    ),
    "list_tables": IcebergListing(
        "listTables",
        "identifiers",
        lambda catalog, **query: catalog.list_tables(catalog.home, **query),
        lambda catalog, name: catalog.new_table(name),
        lambda catalog, id: catalog.drop_table(id),
    ),
    "list_views": IcebergListing(
        "listViews",
        "identifiers",
        lambda catalog, **query: catalog.list_views(catalog.home, **query),
        lambda catalog, name: catalog.new_view(name),
        lambda catalog, id: catalog.drop_view(id),
    ),
}


def own(catalog: IcebergCatalog, items: list[Item]) -> list[Item]:
    """Return the listed entries that belong to the running example: all, if the run is read-only.

    Objects that the current world puts beside those of the example are left out.
    """
    if catalog.target.read_only:
        return items
    named = [entry for entry in items if entry not in catalog.siblings]
    return [entry for entry in named if str(entry[-1] if entry else "").startswith(catalog.stem)]


def followed(first: Answer, fetch: Callable[..., Answer]) -> list[Answer]:
    """Return a page and all following pages. Raises Violation when they never end."""
    return list(pages(lambda token: fetch(pageToken=token), NEXT, first))


def namespaces_below(catalog: IcebergCatalog, parent: Id | None = None) -> list[Item]:
    """List the namespaces below a parent, or of the first level without one."""
    return items_of(catalog.list_namespaces(parent), "namespaces")


def tables_in(catalog: IcebergCatalog, namespace: Id) -> list[Item]:
    """List the tables of a namespace that belong to the running example."""
    return _own_identifiers(catalog, partial(catalog.list_tables, namespace))


def views_in(catalog: IcebergCatalog, namespace: Id) -> list[Item]:
    """List the views of a namespace that belong to the running example."""
    return _own_identifiers(catalog, partial(catalog.list_views, namespace))


def _own_identifiers(catalog: IcebergCatalog, fetch: Callable[..., Answer]) -> list[Item]:
    return own(catalog, [entry for page in followed(fetch(), fetch) for entry in items_of(page, "identifiers")])
