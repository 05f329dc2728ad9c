"""Following a listing to its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.client import Answer
from conformance.lance.catalog import LanceCatalog
from conformance.lance.client import Id
from conformance.outcomes import Violation

MAX_PAGES = 10_000


@dataclass(frozen=True, slots=True)
class Listing:
    """One operation that lists in pages.

    `id` is the operation, `field` the field of its answer, `fetch` sends it with query parameters,
    `add` creates something that it must list and returns how it is listed.
    """

    id: str
    field: str
    fetch: Callable[..., Answer]
    add: Callable[[LanceCatalog, str], str]


def collect(fetch: Callable[..., Answer], field: str, **query: Any) -> list[str]:
    """Return all items of a listing, page by page. Raises Violation when the pages never end."""
    items: list[str] = []
    token: str | None = None
    for _ in range(MAX_PAGES):
        answer = fetch(**query, page_token=token)
        token = answer.get("page_token")
        items += answer[field]
        if not token:
            return items
    raise Violation(f"the listing did not end after {MAX_PAGES} pages", "body:/page_token")


def collect_namespaces(catalog: LanceCatalog, id: Id, **query: Any) -> list[str]:
    """Return the names of all child namespaces."""
    return collect(lambda **page: catalog.list_namespaces(id, **page), "namespaces", **query)


def collect_tables(catalog: LanceCatalog, id: Id, **query: Any) -> list[str]:
    """Return the names of all tables of a namespace."""
    return collect(lambda **page: catalog.list_tables(id, **page), "tables", **query)


def collect_all_tables(catalog: LanceCatalog, **query: Any) -> list[str]:
    """Return the identifiers of all tables."""
    return collect(catalog.list_all_tables, "tables", **query)
