"""listNamespaces, listTables, listViews: what they list, and their pages."""

from __future__ import annotations

from functools import partial

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.author.checks import above, at_most, contains, equal, holds, same_items, text
from conformance.author.requirement import given, must, should
from conformance.http.client import Answer
from conformance.iceberg.catalog import NO_LEVEL, IcebergCatalog
from conformance.iceberg.support.content import SCHEMA
from conformance.iceberg.support.errors import type_is
from conformance.iceberg.support.listing import (
    FIRST_PAGE,
    LISTINGS,
    NEXT,
    Item,
    Listing,
    followed,
    items_of,
    namespaces_below,
    tables_in,
    views_in,
)
from conformance.values.outcomes import Unoffered

NAMESPACES = ["listNamespaces"]
MOST_PAGES = 100  # so many that the five share no page unless the catalog has hundreds of namespaces
PLAIN = ("a", "b", "c", "orders", "t_1", "z9")  # what any server takes, also one that knows no upper case
FIVE = ("b", "d", "f", "h", "j")
LISTED, PAGED = "the listed names", "the names on all pages"


def distinct_names(minimum: int = 0) -> SearchStrategy[list[str]]:
    """Draw several different plain names."""
    return st.lists(st.sampled_from(PLAIN), min_size=minimum, unique=True)


def _fill(catalog: IcebergCatalog, listing: Listing, names: list[str] | tuple[str, ...]) -> list[Item]:
    """Create what is to be listed and return how it is listed."""
    listing.prepare(catalog)
    for name in names:
        listing.add(catalog, name)
    return sorted(catalog.table_id(name) for name in names)


def _pages(catalog: IcebergCatalog, listing: Listing, size: int) -> list[Answer]:
    """Return the pages of a listing. Raises Unoffered when the server puts more than a page's worth in one answer."""
    pages = listing.pages(catalog, pageSize=size)
    if len(pages) == 1 and pages[0].get(NEXT) is None and len(listing.items(pages[0])) > size:
        raise Unoffered("the server has no pages")
    return pages


@must("iceberg.listing.everything.{}", clause="page-all-without-token", each=LISTINGS)
@given(wanted=distinct_names())
def test_everything_without_token(catalog: IcebergCatalog, case: Listing, wanted: list[str]) -> None:
    """Without pageToken {} answers with everything at once, each once, and next-page-token is null or absent."""
    expected = _fill(catalog, case, wanted)
    _check_all_at_once(case, case.fetch(catalog), expected)


def _check_all_at_once(listing: Listing, answer: Answer, expected: list[Item]) -> None:
    """Check that an answer has everything, and no token for more."""
    same_items(listing.items(answer), expected, LISTED)
    equal(answer.get(NEXT), None, NEXT)


@must("iceberg.listing.size_alone.{}", clause="page-all-without-token", each=LISTINGS)
def test_page_size_without_token(catalog: IcebergCatalog, case: Listing) -> None:
    """With pageSize but without pageToken {} answers with everything at once."""
    expected = _fill(catalog, case, FIVE)
    _check_all_at_once(case, case.fetch(catalog, pageSize=2), expected)


@must("iceberg.listing.fresh.{}", clause="list-fresh", each=LISTINGS)
def test_listing_is_fresh(catalog: IcebergCatalog, case: Listing) -> None:
    """What was created is in the next answer of {}, and what was removed is not."""
    first, second = _fill(catalog, case, ("first", "second"))
    case.remove(catalog, first)
    same_items(case.everything(catalog), [second], "the listed names after one was removed")
    case.add(catalog, "third")
    same_items(case.everything(catalog), [second, catalog.table_id("third")], "the listed names after one was added")


@must("iceberg.listing.unique.{}", clause="list-unique", each=LISTINGS)
def test_listing_names_nothing_twice(catalog: IcebergCatalog, case: Listing) -> None:
    """{} names nothing twice, also after it was removed and created again."""
    (id,) = _fill(catalog, case, ("again",))
    case.remove(catalog, id)
    case.add(catalog, "again")
    same_items(case.everything(catalog), [id], LISTED)


MANY = [f"n{number:03}" for number in range(150)]


@must("iceberg.listing.many.{}", clause="page-partition", kind="pagination", each=LISTINGS)
def test_many_are_listed(catalog: IcebergCatalog, case: Listing) -> None:
    """However many there are, {} names all of them, at once or on the pages that its tokens lead to."""
    with catalog.client.preparing():
        expected = _fill(catalog, case, MANY)
    same_items(case.everything(catalog), expected, LISTED)


# Pages


@must("iceberg.page.root", operations=NAMESPACES, clause="page-partition", kind="pagination")
def test_pages_of_the_first_level(catalog: IcebergCatalog) -> None:
    """The pages of the namespaces that a client sees first hold each of them once, as those below a parent do."""
    expected = [catalog.new_namespace(name) for name in FIVE]
    fetch = partial(catalog.list_namespaces, catalog.base or None)
    size = 2 + len(items_of(fetch(), "namespaces")) // MOST_PAGES
    asked = None if catalog.revision.page_size("listNamespaces") else FIRST_PAGE
    pages = followed(fetch(pageSize=size, pageToken=asked), partial(fetch, pageSize=size))
    named = [entry for page in pages for entry in items_of(page, "namespaces")]
    same_items([entry for entry in named if entry in expected], expected, PAGED)


@must("iceberg.page.partition.{}", clause="page-partition", kind="pagination", each=LISTINGS)
@given(wanted=distinct_names(1), size=st.integers(1, 4))
def test_pages_hold_everything_once(catalog: IcebergCatalog, case: Listing, wanted: list[str], size: int) -> None:
    """The pages of {} together hold every entry exactly once, whatever their size."""
    expected = _fill(catalog, case, wanted)
    pages = case.pages(catalog, pageSize=size)
    same_items(case.ours(catalog, *pages), expected, PAGED)


@must("iceberg.page.start.{}", clause="page-start", kind="pagination", each=LISTINGS)
def test_empty_token_is_the_first_page(catalog: IcebergCatalog, case: Listing) -> None:
    """An empty pageToken without a size asks {} for the first page."""
    expected = _fill(catalog, case, ("a", "b"))
    answer = case.fetch(catalog, pageToken=FIRST_PAGE)
    _check_known(case.items(answer), expected)
    holds(case.items(answer), "the first page has an entry")


def _check_known(items: list[Item], expected: list[Item]) -> None:
    """Check that nothing is listed that was not created here."""
    equal([item for item in items if item not in expected], [], "the listed names that are not in the namespace")


@must("iceberg.page.size.{}", clause="page-size-bound", kind="pagination", each=LISTINGS)
@given(size=st.integers(1, 4))
def test_pages_are_not_longer(catalog: IcebergCatalog, case: Listing, size: int) -> None:
    """No page of {} holds more than pageSize entries."""
    _fill(catalog, case, FIVE)
    pages = _pages(catalog, case, size)
    at_most(max(len(case.items(page)) for page in pages), size, "the number of entries on the longest page")


@must("iceberg.page.next.{}", clause="page-token-next", kind="pagination", each=LISTINGS)
def test_page_has_a_token(catalog: IcebergCatalog, case: Listing) -> None:
    """While there is more, a page of {} has a next-page-token that is a text."""
    _fill(catalog, case, FIVE)
    pages = _pages(catalog, case, 2)
    above(len(pages), 1, f"the number of pages of 2 entries for {len(FIVE)}")
    for page in pages[:-1]:
        text(page.get(NEXT), NEXT)


@must("iceberg.page.last.{}", clause="page-last-null", kind="pagination", each=LISTINGS)
def test_last_page_has_null(catalog: IcebergCatalog, case: Listing) -> None:
    """The last of several pages of {} has null for next-page-token, written down."""
    _fill(catalog, case, FIVE)
    last = _pages(catalog, case, 2)[-1]
    equal(last[NEXT], None, f"{NEXT} of the last page")


@must("iceberg.page.unsupported.{}", clause="page-unsupported", kind="pagination", each=LISTINGS)
def test_without_pages_everything_comes(catalog: IcebergCatalog, case: Listing) -> None:
    """If {} puts more than pageSize entries in one answer, it has no pages: the answer is all, without a token."""
    expected = _fill(catalog, case, FIVE)
    answer = case.fetch(catalog, pageToken=FIRST_PAGE, pageSize=2)
    if len(case.items(answer)) <= 2:
        raise Unoffered("the server has pages")
    _check_all_at_once(case, answer, expected)


@should("iceberg.page.changes.{}", clause="page-changes", kind="pagination", each=LISTINGS)
@given(position=st.integers(0, 4))
def test_pages_with_changes_between(catalog: IcebergCatalog, case: Listing, position: int) -> None:
    """What is there all the time is listed once in the pages of {}, while others come and go between two pages."""
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
def test_token_holds_after_removal(catalog: IcebergCatalog, case: Listing) -> None:
    """A token of {} holds after the entries of its page were removed; the rest follows."""
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


@should("iceberg.page.bad_token.{}", clause="page-token-bad", kind="error", each=LISTINGS)
@given(token=st.sampled_from(["never-issued", "%00", "-1", "ünïcode", "x" * 2000]))
def test_token_that_nobody_issued(catalog: IcebergCatalog, case: Listing, token: str) -> None:
    """A pageToken that the server did not issue is refused by {} with 400."""
    _fill(catalog, case, FIVE)
    _pages(catalog, case, 2)
    case.fetch(catalog, pageToken=token, pageSize=2, expect=400)


@should("iceberg.page.foreign_token", operations=["listTables"], clause="page-token-bad", kind="error")
def test_token_of_another_namespace(catalog: IcebergCatalog) -> None:
    """A pageToken of another namespace is refused with 400, or leads to nothing of that namespace."""
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
    if answer.status == 200:
        _check_known(items_of(answer, "identifiers"), [own])


@should("iceberg.page.bad_size.{}", clause="page-size-positive", kind="error", each=LISTINGS)
@given(size=st.sampled_from([0, -1, "many", "1.5", ""]))
def test_page_size_that_is_none(catalog: IcebergCatalog, case: Listing, size: object) -> None:
    """A pageSize below 1, or one that is no whole number, is refused by {} with 400."""
    _fill(catalog, case, ("a",))
    case.first_page(catalog, pageSize=size, expect=400)


# What is listed


@must("iceberg.listing.namespaces.children", operations=NAMESPACES, clause="list-namespaces-children")
@given(wanted=distinct_names())
def test_children_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """With a parent the namespaces directly below it are listed, with all their levels, and no deeper ones."""
    expected = _fill(catalog, LISTINGS["list_namespaces"], wanted)
    for id in expected[:1]:
        catalog.create_namespace((*id, "deeper"), expect=(200, *NO_LEVEL))
    same_items(namespaces_below(catalog, catalog.home), expected, "the listed namespaces")


@should("iceberg.listing.namespaces.top", operations=NAMESPACES, clause="list-namespaces-top")
def test_top_is_listed(catalog: IcebergCatalog) -> None:
    """Without a parent the namespaces of the first level are listed, and no others."""
    if catalog.nested:
        catalog.create_namespace((*catalog.home, "inner"))
    first = catalog.home[:1]
    namespaces = namespaces_below(catalog)
    contains(namespaces, [first], "the listed namespaces")
    equal([id for id in namespaces if len(id) != 1], [], "the listed namespaces that are not of the first level")


@should("iceberg.listing.namespaces.empty_parent", operations=NAMESPACES, clause="list-namespaces-empty-parent")
def test_empty_parent_is_none(catalog: IcebergCatalog) -> None:
    """An empty parent is as good as none."""
    first = catalog.home[:1]
    answer = catalog.send("listNamespaces", query={"parent": ""})
    contains(answer["namespaces"], [first], "the listed namespaces")


IN_NAMESPACES = {name: listing for name, listing in LISTINGS.items() if listing.id != "listNamespaces"}


@must("iceberg.listing.missing.{}", clause="list-not-found", kind="error", each=IN_NAMESPACES)
def test_missing_namespace(catalog: IcebergCatalog, case: Listing) -> None:
    """Listing a namespace that does not exist by {} is refused with 404 of type NoSuchNamespaceException."""
    path = catalog.namespace_path(catalog.missing_namespace())
    refused = catalog.send(case.id, path, expect=404)
    type_is(refused, "NoSuchNamespaceException")


@must("iceberg.listing.tables", operations=["listTables"], clause="list-tables")
@given(wanted=distinct_names())
def test_tables_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """The tables of a namespace are listed with namespace and name; those of namespaces below it are not."""
    expected = _fill(catalog, LISTINGS["list_tables"], wanted)
    if catalog.nested:
        inner = (*catalog.home, "inner")
        catalog.create_namespace(inner)
        catalog.create_table((*inner, "deeper"), schema=SCHEMA)
    same_items(tables_in(catalog, catalog.home), expected, "the listed tables")


@must("iceberg.listing.views", operations=["listViews"], clause="list-views")
@given(wanted=distinct_names())
def test_views_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """The views of a namespace are listed with namespace and name."""
    expected = _fill(catalog, LISTINGS["list_views"], wanted)
    same_items(views_in(catalog, catalog.home), expected, "the listed views")


@must("iceberg.listing.kinds", operations=["listTables", "listViews"], clause="list-kinds")
def test_kinds_are_apart(catalog: IcebergCatalog) -> None:
    """Views are not listed as tables, nor tables as views."""
    catalog.require("listViews")
    table, view = catalog.new_table(), catalog.new_view()
    same_items(tables_in(catalog, catalog.home), [table], "the listed tables")
    same_items(views_in(catalog, catalog.home), [view], "the listed views")
