"""Paged listings: their description, and following one to its end."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import text
from conformance.http.answers import Answer
from conformance.http.paging import pages
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.client import Id
from conformance.values.worlds import Pins
from specs.lance.identifiers import DELIMITER, join_parts

NEXT = "page_token"


@dataclass(frozen=True, slots=True)
class LanceListing:
    """An operation that lists in pages.

    `id` is the operation, `field` the list in its response. `fetch` sends it with paging arguments. `add` creates an
    object that it must list and returns the listed name: the item itself, or its field `name`. With `own`, the
    listing contains only objects that `add` created. `world` are the values of worlds that `add` can meet.
    """

    id: str
    field: str
    fetch: Callable[..., Answer]
    add: Callable[[LanceCatalog, str], str]
    name: str = ""
    own: bool = False
    world: Pins = dataclasses.field(default_factory=dict)

    @property
    def what(self) -> str:
        """Name of the listing in messages."""
        return f"the listed {self.field}"

    def names(self, answer: Answer) -> list[str]:
        """Return the names of the items of a page."""
        return [self.name_of(item) for item in answer[self.field]]

    def name_of(self, item: Any) -> str:
        """Return the name of an item, a string or a number. Raises Violation when it is neither."""
        name = item[self.name] if self.name else item
        if self.id == "ListTables" and isinstance(name, str):
            return name.rpartition(DELIMITER)[2]
        if isinstance(name, int) and not isinstance(name, bool):
            return str(name)
        return text(name, f"an item of {self.what}")


def follow(fetch: Callable[..., Answer], **query: Any) -> Iterator[Answer]:
    """Yield one page after another. Raises Violation when they never end."""
    return pages(lambda token: fetch(**{**query, "page_token": token}), NEXT)


def collect(fetch: Callable[..., Answer], field: str, **query: Any) -> list[Any]:
    """Return all items of a listing, page by page. Raises Violation when the pages never end."""
    return [item for page in follow(fetch, **query) for item in page[field]]


def collect_namespaces(catalog: LanceCatalog, id: Id, **query: Any) -> list[str]:
    """Return the names of all child namespaces."""
    return catalog.own(id, collect(lambda **page: catalog.list_namespaces(id, **page), "namespaces", **query))


def collect_tables(catalog: LanceCatalog, id: Names, *, whole: bool = False, **query: Any) -> list[str]:
    """Return the names of all tables of a namespace; with `whole` the items as listed.

    The document has names in one place and full identifiers in another, so a leading namespace is removed.
    """
    names = collect(lambda **page: catalog.list_tables(id, **page), "tables", **query)
    above = f"{join_parts(id)}{DELIMITER}"
    if whole or not id:
        return catalog.own(id, names)
    return catalog.own(id, [text(name, "a listed table").removeprefix(above) for name in names])


def collect_all_tables(catalog: LanceCatalog, **query: Any) -> list[str]:
    """Return the identifiers of all tables."""
    return catalog.own_identifiers(collect(catalog.list_all_tables, "tables", **query))
