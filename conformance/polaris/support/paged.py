"""Listings of Polaris' own, page by page."""

from __future__ import annotations

from collections.abc import Callable

from conformance.author.checks import listed
from conformance.http.client import Answer
from conformance.http.paging import pages
from conformance.polaris.catalog import PolarisCatalog

FIRST_PAGE = ""
SIZE = 2


def paged(catalog: PolarisCatalog, listing: Callable[..., Answer]) -> list[str]:
    """Return the run's own names on all pages, of SIZE entries, of what lists the example's namespace.

    Raises Violation when the pages never end.
    """
    home = catalog.tables.home
    answers = pages(lambda token: listing(home, pageToken=token or FIRST_PAGE, pageSize=SIZE), "next-page-token")
    return catalog.own_names([entry for page in answers for entry in listed(page["identifiers"], "the identifiers")])
