"""listNamespaces, listTables, listViews: their content and their pages."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.author.checks import above, at_most, contains, equal, holds, same_items, text
from conformance.author.requirement import given, must, should
from conformance.http.answers import Answer
from conformance.iceberg.catalog import NO_LEVEL, IcebergCatalog
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.listing import (
    FIRST_PAGE,
    LISTINGS,
    NEXT,
    IcebergListing,
    Item,
    followed,
    items_of,
    namespaces_below,
    tables_in,
    views_in,
)
from conformance.iceberg.worlds import all_but
from conformance.values.outcomes import Unoffered

NAMESPACES = ["listNamespaces"]
MOST_PAGES = 100  # limits the requests; the five still span pages in a catalog of some hundred namespaces
PLAIN = ("a", "b", "c", "orders", "t_1", "z9")  # names that every server accepts, also one without upper case
FIVE = ("b", "d", "f", "h", "j")
LISTED, PAGED = "the listed names", "the names on all pages"


def distinct_names(minimum: int = 0) -> SearchStrategy[list[str]]:
    """Draw several different plain names."""
    return st.lists(st.sampled_from(PLAIN), min_size=minimum, unique=True)


def _fill(catalog: IcebergCatalog, listing: IcebergListing, names: list[str] | tuple[str, ...]) -> list[Item]:
    """Create objects with these names and return them as the listing should show them.

    A read-only run returns the entries that exist, more than two where the pages are of two.
    """
    if catalog.target.read_only:
        return listing.there(catalog, 3 if names is FIVE else min(len(names), 1))
    listing.prepare(catalog)
    for name in names:
        listing.add(catalog, name)
    return sorted(catalog.table_id(name) for name in names)


def _pages(catalog: IcebergCatalog, listing: IcebergListing, size: int) -> list[Answer]:
    """Return the pages of a listing. Raises Unoffered when the first answer exceeds the page size and has no token."""
    pages = listing.pages(catalog, pageSize=size)
    if len(pages) == 1 and pages[0].get(NEXT) is None and len(listing.items(pages[0])) > size:
        raise Unoffered("the server has no pages")
    return pages


@must("iceberg.listing.everything.{}", clause="page-all-without-token", each=LISTINGS, reads=True)
@given(wanted=distinct_names())
def test_everything_without_token(catalog: IcebergCatalog, case: IcebergListing, wanted: list[str]) -> None:
    """{} without pageToken returns every entry once, with next-page-token null or absent."""
    expected = _fill(catalog, case, wanted)
    _check_all_at_once(catalog, case, case.fetch(catalog), expected)


def _check_all_at_once(catalog: IcebergCatalog, listing: IcebergListing, answer: Answer, expected: list[Item]) -> None:
    """Check that an answer contains exactly the expected entries and no next-page-token."""
    same_items(listing.ours(catalog, answer), expected, LISTED)
    equal(answer.get(NEXT), None, NEXT)


@must(
    "iceberg.listing.size_alone.{}",
    clause="page-all-without-token",
    each=LISTINGS,
    reads=True,
    world=all_but(form=("java",)),  # it asks for pages
)
def test_page_size_without_token(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """{} with pageSize but without pageToken returns all entries at once."""
    expected = _fill(catalog, case, FIVE)
    _check_all_at_once(catalog, case, case.fetch(catalog, pageSize=2), expected)


@must("iceberg.listing.fresh.{}", clause="list-fresh", each=LISTINGS)
def test_listing_is_fresh(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """The next response of {} includes a created entry and omits a removed one."""
    first, second = _fill(catalog, case, ("first", "second"))
    case.remove(catalog, first)
    same_items(case.everything(catalog), [second], "the listed names after one was removed")
    case.add(catalog, "third")
    same_items(case.everything(catalog), [second, catalog.table_id("third")], "the listed names after one was added")


@must("iceberg.listing.unique.{}", clause="list-unique", each=LISTINGS)
def test_listing_names_nothing_twice(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """{} lists an entry once, also after it was removed and created again."""
    (id,) = _fill(catalog, case, ("again",))
    case.remove(catalog, id)
    case.add(catalog, "again")
    same_items(case.everything(catalog), [id], LISTED)


MANY = [f"n{number:03}" for number in range(150)]


@must("iceberg.listing.many.{}", clause="page-partition", kind="pagination", each=LISTINGS)
def test_many_are_listed(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """{} lists all of 150 entries, in one response or over several pages."""
    with catalog.client.preparing():
        expected = _fill(catalog, case, MANY)
    same_items(case.everything(catalog), expected, LISTED)


# Pages


@must("iceberg.page.root", operations=NAMESPACES, clause="page-partition", kind="pagination")
def test_pages_of_the_first_level(catalog: IcebergCatalog) -> None:
    """The pages of listNamespaces at the top level together contain every namespace exactly once."""
    expected = [catalog.new_namespace(name) for name in FIVE]
    fetch = partial(catalog.list_namespaces, catalog.outer or None)
    size = 2 + len(items_of(fetch(), "namespaces")) // MOST_PAGES
    asked = None if catalog.revision.page_size("listNamespaces") else FIRST_PAGE
    pages = followed(fetch(pageSize=size, pageToken=asked), partial(fetch, pageSize=size))
    named = [entry for page in pages for entry in items_of(page, "namespaces")]
    same_items([entry for entry in named if entry in expected], expected, PAGED)


@must("iceberg.page.partition.{}", clause="page-partition", kind="pagination", each=LISTINGS, reads=True)
@given(wanted=distinct_names(1), size=st.integers(1, 4))
def test_pages_hold_everything_once(
    catalog: IcebergCatalog, case: IcebergListing, wanted: list[str], size: int
) -> None:
    """The pages of {} together contain every entry exactly once, whatever pageSize is."""
    expected = _fill(catalog, case, wanted)
    pages = case.pages(catalog, pageSize=size)
    same_items(case.ours(catalog, *pages), expected, PAGED)


@must("iceberg.page.start.{}", clause="page-start", kind="pagination", each=LISTINGS, reads=True)
def test_empty_token_is_the_first_page(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """{} with an empty pageToken and no pageSize returns the first page."""
    expected = _fill(catalog, case, ("a", "b"))
    answer = case.fetch(catalog, pageToken=FIRST_PAGE)
    _check_known(case.ours(catalog, answer), expected)
    holds(case.items(answer), "the first page has an entry")


def _check_known(items: list[Item], expected: list[Item]) -> None:
    """Check that all listed entries are among the expected ones."""
    equal([item for item in items if item not in expected], [], "the listed names that are not in the namespace")


@must("iceberg.page.size.{}", clause="page-size-bound", kind="pagination", each=LISTINGS, reads=True)
@given(size=st.integers(1, 4))
def test_pages_are_not_longer(catalog: IcebergCatalog, case: IcebergListing, size: int) -> None:
    """No page of {} contains more than pageSize entries."""
    _fill(catalog, case, FIVE)
    pages = _pages(catalog, case, size)
    at_most(max(len(case.items(page)) for page in pages), size, "the number of entries on the longest page")


@must("iceberg.page.next.{}", clause="page-token-next", kind="pagination", each=LISTINGS, reads=True)
def test_page_has_a_token(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """Every page of {} except the last has a next-page-token that is a string."""
    entries = _fill(catalog, case, FIVE)
    pages = _pages(catalog, case, 2)
    above(len(pages), 1, f"the number of pages of 2 entries for {len(entries)}")
    for page in pages[:-1]:
        text(page.get(NEXT), NEXT)


@must("iceberg.page.last.{}", clause="page-last-null", kind="pagination", each=LISTINGS, reads=True)
def test_last_page_has_null(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """The last of several pages of {} contains next-page-token with the value null."""
    _fill(catalog, case, FIVE)
    last = _pages(catalog, case, 2)[-1]
    equal(last[NEXT], None, f"{NEXT} of the last page")


@must("iceberg.page.unsupported.{}", clause="page-unsupported", kind="pagination", each=LISTINGS, reads=True)
def test_without_pages_everything_comes(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """If {} returns more than pageSize entries, it returns all of them without next-page-token."""
    expected = _fill(catalog, case, FIVE)
    answer = case.fetch(catalog, pageToken=FIRST_PAGE, pageSize=2)
    if len(case.items(answer)) <= 2:
        raise Unoffered("this is for servers without pages")
    _check_all_at_once(catalog, case, answer, expected)


@should("iceberg.page.changes.{}", clause="page-changes", kind="pagination", each=LISTINGS)
@given(position=st.integers(0, 4))
def test_pages_with_changes_between(catalog: IcebergCatalog, case: IcebergListing, position: int) -> None:
    """{} lists unchanged entries exactly once while others are created and removed between pages."""
    expected = _fill(catalog, case, FIVE)
    case.add(catalog, "a")
    page = case.first_page(catalog, pageSize=2)
    seen = case.items(page)
    case.add(catalog, "acegik"[1 + position])
    case.remove(catalog, catalog.table_id("a"))
    for more in case.pages_behind(page, catalog, pageSize=2):
        seen += case.items(more)
    same_items([item for item in seen if item in expected], expected, "the names that stayed, on all pages")


@should("iceberg.page.end_removed.{}", clause="page-drop-token", kind="pagination", each=LISTINGS)
def test_token_holds_after_removal(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """A next-page-token of {} stays valid after the entries of its page are removed; the rest follows."""
    expected = _fill(catalog, case, FIVE)
    page = case.first_page(catalog, pageSize=2)
    if not page.get(NEXT):
        raise Unoffered("the server has no pages")
    seen = case.ours(catalog, page)
    _check_known(seen, expected)  # nothing else may be removed
    for id in seen:
        case.remove(catalog, id)
    seen += case.ours(catalog, *case.pages_behind(page, catalog, pageSize=2))
    same_items(seen, expected, PAGED)


@should("iceberg.page.bad_token.{}", clause="page-token-bad", kind="error", each=LISTINGS, reads=True)
@given(token=st.sampled_from(["never-issued", "%00", "-1", "ünïcode", "x" * 2000]))
def test_token_that_nobody_issued(catalog: IcebergCatalog, case: IcebergListing, token: str) -> None:
    """{} with a pageToken that the server did not issue returns 400."""
    _fill(catalog, case, FIVE)
    _pages(catalog, case, 2)
    case.fetch(catalog, pageToken=token, pageSize=2, expect=400)


@should("iceberg.page.foreign_token", operations=["listTables"], clause="page-token-bad", kind="error")
def test_token_of_another_namespace(catalog: IcebergCatalog) -> None:
    """listTables with a pageToken of another namespace returns 400, or lists nothing of that namespace."""
    listing = LISTINGS["list_tables"]
    _fill(catalog, listing, FIVE)
    token = listing.first_page(catalog, pageSize=2).get(NEXT)
    if not token:
        raise Unoffered("the server has no pages")
    other = catalog.new_namespace("other")
    own = (*other, "t")
    with catalog.client.preparing():
        catalog.create_table(own, schema=SCHEMA)
    answer = catalog.list_tables(other, pageToken=token, pageSize=2, expect=(200, 400))
    if answer.succeeded:
        _check_known(items_of(answer, "identifiers"), [own])


@should("iceberg.page.bad_size.{}", clause="page-size-positive", kind="error", each=LISTINGS)
@given(size=st.sampled_from([0, -1, "many", "1.5", ""]))
def test_page_size_that_is_none(catalog: IcebergCatalog, case: IcebergListing, size: object) -> None:
    """{} with a pageSize that is below 1 or not an integer returns 400, on a server with pages."""
    _fill(catalog, case, ("a", "b"))
    _pages(catalog, case, 1)
    case.first_page(catalog, pageSize=size, expect=400)


# Content


@must("iceberg.listing.namespaces.children", operations=NAMESPACES, clause="list-namespaces-children")
@given(wanted=distinct_names())
def test_children_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """listNamespaces with parent returns its direct children with all their levels, and no deeper namespaces."""
    expected = _fill(catalog, LISTINGS["list_namespaces"], wanted)
    for id in expected[:1]:
        catalog.create_namespace((*id, "deeper"), expect=(200, *NO_LEVEL))
    same_items(namespaces_below(catalog, catalog.home), expected, "the listed namespaces")


@should("iceberg.listing.namespaces.top", operations=NAMESPACES, clause="list-namespaces-top")
def test_top_is_listed(catalog: IcebergCatalog) -> None:
    """listNamespaces without parent returns the namespaces of the first level and no others."""
    if catalog.nested:
        catalog.create_namespace((*catalog.home, "inner"))
    first = catalog.home[:1]
    namespaces = namespaces_below(catalog)
    contains(namespaces, [first], "the listed namespaces")
    equal([id for id in namespaces if len(id) != 1], [], "the listed namespaces that are not of the first level")


@should(
    "iceberg.listing.namespaces.empty_parent", operations=NAMESPACES, clause="list-namespaces-empty-parent", reads=True
)
def test_empty_parent_is_none(catalog: IcebergCatalog) -> None:
    """listNamespaces with an empty parent returns the namespaces of the first level."""
    first = catalog.home[:1]
    answer = catalog.send("listNamespaces", query={"parent": ""})
    contains(answer["namespaces"], [first], "the listed namespaces")


IN_NAMESPACES = {name: listing for name, listing in LISTINGS.items() if listing.id != "listNamespaces"}


@must("iceberg.listing.missing.{}", clause="list-not-found", kind="error", each=IN_NAMESPACES, reads=True)
def test_missing_namespace(catalog: IcebergCatalog, case: IcebergListing) -> None:
    """{} on a missing namespace returns 404 with type NoSuchNamespaceException."""
    path = catalog.namespace_path(catalog.missing_namespace())
    refused = catalog.send(case.id, path, expect=404)
    type_is(refused, "NoSuchNamespaceException")


@must("iceberg.listing.tables", operations=["listTables"], clause="list-tables")
@given(wanted=distinct_names())
def test_tables_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """listTables returns the tables of the namespace with namespace and name, without those of child namespaces."""
    expected = _fill(catalog, LISTINGS["list_tables"], wanted)
    if catalog.nested:
        inner = (*catalog.home, "inner")
        catalog.create_namespace(inner)
        catalog.create_table((*inner, "deeper"), schema=SCHEMA)
    same_items(tables_in(catalog, catalog.home), expected, "the listed tables")


@must("iceberg.listing.views", operations=["listViews"], clause="list-views")
@given(wanted=distinct_names())
def test_views_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """listViews returns the views of the namespace with namespace and name."""
    expected = _fill(catalog, LISTINGS["list_views"], wanted)
    same_items(views_in(catalog, catalog.home), expected, "the listed views")


@must("iceberg.listing.kinds", operations=["listTables", "listViews"], clause="list-kinds")
def test_kinds_are_apart(catalog: IcebergCatalog) -> None:
    """listTables returns no views, and listViews returns no tables."""
    catalog.require("listViews")
    table, view = catalog.new_table(), catalog.new_view()
    same_items(tables_in(catalog, catalog.home), [table], "the listed tables")
    same_items(views_in(catalog, catalog.home), [view], "the listed views")
