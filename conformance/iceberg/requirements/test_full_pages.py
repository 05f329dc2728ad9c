"""Pages as long as what stores fetch at once, and pages with objects of another kind between."""

from __future__ import annotations

from conformance.author.checks import same_items
from conformance.author.requirement import must
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.support.listing import LISTINGS, IcebergListing

FETCHED = 25
NAMES = [f"n{number:02}" for number in range(FETCHED + 1)]


@must("iceberg.full_page.{}", clause="page-partition", kind="pagination", each=LISTINGS)
def test_full_page_is_not_the_last(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """The pages of {} with pageSize 25 together contain all of 26 entries."""
    case.prepare(catalog)
    with catalog.client.preparing():
        for name in NAMES:
            case.add(catalog, name)
    entries = case.ours(catalog, *case.pages(catalog, pageSize=FETCHED))
    same_items(entries, sorted(catalog.table_id(name) for name in NAMES), "the names on all pages")


BETWEEN = {"list_tables": "list_views", "list_views": "list_tables"}


@must(
    "iceberg.between.{}",
    operations=lambda case: [LISTINGS[case].id, LISTINGS[BETWEEN[case]].id],
    clause="page-partition",
    kind="pagination",
    each={case: case for case in BETWEEN},
    statement=lambda case: f"The pages of {LISTINGS[case].id} contain all entries, also with others between.",
)
def test_others_between(catalog: IcebergCatalog, case: str) -> None:
    """The pages of a listing contain all entries, also if objects of another kind have names between theirs."""
    listing, other = LISTINGS[case], LISTINGS[BETWEEN[case]]
    with catalog.client.preparing():
        for name in ("a", "f"):
            listing.add(catalog, name)
        for name in ("b", "c", "d", "e"):
            other.add(catalog, name)
    entries = listing.ours(catalog, *listing.pages(catalog, pageSize=2))
    same_items(entries, sorted(catalog.table_id(name) for name in ("a", "f")), "the names on all pages")
