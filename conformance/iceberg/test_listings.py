"""listNamespaces, listTables, listViews: what they list, and their pages."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.client import Answer
from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.content import SCHEMA
from conformance.iceberg.listing import (
    FIRST_PAGE,
    LISTINGS,
    NEXT,
    Item,
    Listing,
    namespaces_below,
    tables_in,
    views_in,
)
from conformance.outcomes import Unoffered
from conformance.requirement import given, must, should

NAMESPACES = ["listNamespaces"]
PLAIN = ("a", "b", "c", "orders", "t_1", "z9")  # what any server takes, also one that knows no upper case
FIVE = ("b", "d", "f", "h", "j")


def distinct_names(minimum: int = 0) -> SearchStrategy[list[str]]:
    """Draw several different plain names."""
    return st.lists(st.sampled_from(PLAIN), min_size=minimum, unique=True)


def _subject(listing: Listing) -> list[str]:
    return [listing.id]


def _fill(catalog: IcebergCatalog, listing: Listing, names: list[str] | tuple[str, ...]) -> list[Item]:
    """Create what is to be listed and return how it is listed."""
    listing.prepare(catalog)
    for name in names:
        listing.add(catalog, name)
    return sorted(catalog.table_id(name) for name in names)


def _pages(catalog: IcebergCatalog, listing: Listing, size: int) -> list[Answer]:
    """Return the pages of a listing. Raises Unoffered when the server puts more than a page's worth in one answer."""
    found = listing.pages(catalog, pageSize=size)
    if len(found) == 1 and found[0].get(NEXT) is None and len(listing.items(found[0])) > size:
        raise Unoffered("the server has no pages")
    return found


@must("iceberg.listing.everything.{}", operations=_subject, clause="page-all-without-token", each=LISTINGS)
@given(wanted=distinct_names())
def test_everything_without_token(catalog: IcebergCatalog, case: Listing, wanted: list[str]) -> None:
    """Without pageToken {} answers with everything at once, each once, and next-page-token is null or absent."""
    expected = _fill(catalog, case, wanted)
    answer = case.fetch(catalog)
    assert sorted(case.items(answer)) == expected
    assert answer.get(NEXT) is None


@must("iceberg.listing.size_alone.{}", operations=_subject, clause="page-all-without-token", each=LISTINGS)
def test_page_size_without_token(catalog: IcebergCatalog, case: Listing) -> None:
    """With pageSize but without pageToken {} answers with everything at once."""
    expected = _fill(catalog, case, FIVE)
    answer = case.fetch(catalog, pageSize=2)
    assert sorted(case.items(answer)) == expected
    assert answer.get(NEXT) is None


@must("iceberg.listing.fresh.{}", operations=_subject, clause="list-fresh", each=LISTINGS)
def test_listing_is_fresh(catalog: IcebergCatalog, case: Listing) -> None:
    """What was created is in the next answer of {}, and what was removed is not."""
    first, second = _fill(catalog, case, ("first", "second"))
    case.remove(catalog, first)
    assert case.everything(catalog) == [second]
    case.add(catalog, "third")
    assert sorted(case.everything(catalog)) == sorted([second, catalog.table_id("third")])


@must("iceberg.listing.unique.{}", operations=_subject, clause="list-unique", each=LISTINGS)
def test_listing_names_nothing_twice(catalog: IcebergCatalog, case: Listing) -> None:
    """{} names nothing twice, also after it was removed and created again."""
    (id,) = _fill(catalog, case, ("again",))
    case.remove(catalog, id)
    case.add(catalog, "again")
    assert case.everything(catalog) == [id]


# Pages


@must("iceberg.page.partition.{}", operations=_subject, clause="page-partition", kind="pagination", each=LISTINGS)
@given(wanted=distinct_names(1), size=st.integers(1, 4))
def test_pages_hold_everything_once(catalog: IcebergCatalog, case: Listing, wanted: list[str], size: int) -> None:
    """The pages of {} together hold every entry exactly once, whatever their size."""
    expected = _fill(catalog, case, wanted)
    found = case.pages(catalog, pageSize=size)
    assert sorted(case.ours(catalog, *found)) == expected


@must("iceberg.page.start.{}", operations=_subject, clause="page-start", kind="pagination", each=LISTINGS)
def test_empty_token_is_the_first_page(catalog: IcebergCatalog, case: Listing) -> None:
    """An empty pageToken without a size asks {} for the first page."""
    expected = _fill(catalog, case, ("a", "b"))
    answer = case.fetch(catalog, pageToken=FIRST_PAGE)
    assert set(case.items(answer)) <= set(expected)
    assert case.items(answer)


@must("iceberg.page.size.{}", operations=_subject, clause="page-size-bound", kind="pagination", each=LISTINGS)
@given(size=st.integers(1, 4))
def test_pages_are_not_longer(catalog: IcebergCatalog, case: Listing, size: int) -> None:
    """No page of {} holds more than pageSize entries."""
    _fill(catalog, case, FIVE)
    found = _pages(catalog, case, size)
    assert max(len(case.items(page)) for page in found) <= size


@must("iceberg.page.next.{}", operations=_subject, clause="page-token-next", kind="pagination", each=LISTINGS)
def test_page_has_a_token(catalog: IcebergCatalog, case: Listing) -> None:
    """While there is more, a page of {} has a next-page-token that is a text."""
    _fill(catalog, case, FIVE)
    found = _pages(catalog, case, 2)
    assert len(found) > 1
    assert all(isinstance(page.get(NEXT), str) for page in found[:-1])


@must("iceberg.page.last.{}", operations=_subject, clause="page-last-null", kind="pagination", each=LISTINGS)
def test_last_page_has_null(catalog: IcebergCatalog, case: Listing) -> None:
    """The last of several pages of {} has null for next-page-token, written down."""
    _fill(catalog, case, FIVE)
    last = _pages(catalog, case, 2)[-1]
    assert last[NEXT] is None


@must("iceberg.page.unsupported.{}", operations=_subject, clause="page-unsupported", kind="pagination", each=LISTINGS)
def test_without_pages_everything_comes(catalog: IcebergCatalog, case: Listing) -> None:
    """If {} puts more than pageSize entries in one answer, it has no pages: the answer is all, without a token."""
    expected = _fill(catalog, case, FIVE)
    answer = case.fetch(catalog, pageToken=FIRST_PAGE, pageSize=2)
    if len(case.items(answer)) <= 2:
        raise Unoffered("the server has pages")
    assert sorted(case.items(answer)) == expected
    assert answer.get(NEXT) is None


@should("iceberg.page.changes.{}", operations=_subject, clause="page-changes", kind="pagination", each=LISTINGS)
@given(position=st.integers(0, 4))
def test_pages_with_changes_between(catalog: IcebergCatalog, case: Listing, position: int) -> None:
    """What is there all the time is listed once in the pages of {}, while others come and go between two pages."""
    expected = _fill(catalog, case, FIVE)
    case.add(catalog, "a")
    page = case.first_page(catalog, pageSize=2)
    seen = case.items(page)
    case.add(catalog, "acegik"[1 + position])
    case.remove(catalog, catalog.table_id("a"))
    while token := page.get(NEXT):
        page = case.fetch(catalog, pageToken=token, pageSize=2)
        seen += case.items(page)
    assert sorted(one for one in seen if one in expected) == expected


@should("iceberg.page.end_removed.{}", operations=_subject, clause="page-drop-token", kind="pagination", each=LISTINGS)
def test_token_holds_after_removal(catalog: IcebergCatalog, case: Listing) -> None:
    """A token of {} holds after the entries of its page were removed; the rest follows."""
    expected = _fill(catalog, case, FIVE)
    page = case.first_page(catalog, pageSize=2)
    if not page.get(NEXT):
        raise Unoffered("the server has no pages")
    seen = case.ours(catalog, page)
    for id in seen:
        case.remove(catalog, id)
    while token := page.get(NEXT):
        page = case.fetch(catalog, pageToken=token, pageSize=2)
        seen += case.ours(catalog, page)
    assert sorted(seen) == expected


@should("iceberg.page.bad_token.{}", operations=_subject, clause="page-token-bad", kind="error", each=LISTINGS)
@given(token=st.sampled_from(["never-issued", "%00", "-1", "ünïcode", "x" * 2000]))
def test_token_that_nobody_issued(catalog: IcebergCatalog, case: Listing, token: str) -> None:
    """A pageToken that the server did not issue is refused by {} with 400."""
    _fill(catalog, case, FIVE)
    _pages(catalog, case, 2)
    case.fetch(catalog, pageToken=token, pageSize=2, expect=400)


@should("iceberg.page.bad_size.{}", operations=_subject, clause="page-size-positive", kind="error", each=LISTINGS)
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
        catalog.create_namespace((*id, "deeper"))
    assert sorted(namespaces_below(catalog, catalog.home)) == expected


@must("iceberg.listing.namespaces.top", operations=NAMESPACES, clause="list-namespaces-top")
def test_top_is_listed(catalog: IcebergCatalog) -> None:
    """Without a parent the namespaces of the first level are listed, and no others."""
    if catalog.nested:
        catalog.create_namespace((*catalog.home, "inner"))
    found = namespaces_below(catalog) if catalog.home else []
    assert catalog.home in found
    assert all(len(id) == 1 for id in found)


@should("iceberg.listing.namespaces.empty_parent", operations=NAMESPACES, clause="list-namespaces-empty-parent")
def test_empty_parent_is_none(catalog: IcebergCatalog) -> None:
    """An empty parent is as good as none."""
    home = catalog.home
    answer = catalog.send("listNamespaces", query={"parent": ""})
    assert list(home) in answer["namespaces"]


@must("iceberg.listing.namespaces.missing", operations=NAMESPACES, clause="list-namespaces-not-found", kind="error")
def test_missing_parent(catalog: IcebergCatalog) -> None:
    """A parent that does not exist is refused with 404 of type NoSuchNamespaceException."""
    refused = catalog.list_namespaces(catalog.missing_namespace(), expect=404)
    assert refused.type == "NoSuchNamespaceException"


IN_NAMESPACES = {name: listing for name, listing in LISTINGS.items() if listing.id != "listNamespaces"}


@must("iceberg.listing.missing.{}", operations=_subject, clause="list-not-found", kind="error", each=IN_NAMESPACES)
def test_missing_namespace(catalog: IcebergCatalog, case: Listing) -> None:
    """Listing a namespace that does not exist by {} is refused with 404 of type NoSuchNamespaceException."""
    path = catalog.namespace_path(catalog.missing_namespace())
    refused = catalog.send(case.id, path, expect=404)
    assert refused.type == "NoSuchNamespaceException"


@must("iceberg.listing.tables", operations=["listTables"], clause="list-tables")
@given(wanted=distinct_names())
def test_tables_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """The tables of a namespace are listed with namespace and name; those of namespaces below it are not."""
    expected = _fill(catalog, LISTINGS["list_tables"], wanted)
    if catalog.nested:
        inner = (*catalog.home, "inner")
        catalog.create_namespace(inner)
        catalog.create_table((*inner, "deeper"), schema=SCHEMA)
    assert sorted(tables_in(catalog, catalog.home)) == expected


@must("iceberg.listing.views", operations=["listViews"], clause="list-views")
@given(wanted=distinct_names())
def test_views_are_listed(catalog: IcebergCatalog, wanted: list[str]) -> None:
    """The views of a namespace are listed with namespace and name."""
    expected = _fill(catalog, LISTINGS["list_views"], wanted)
    assert sorted(views_in(catalog, catalog.home)) == expected


@must("iceberg.listing.kinds", operations=["listTables", "listViews"], clause="list-kinds")
def test_kinds_are_apart(catalog: IcebergCatalog) -> None:
    """Views are not listed as tables, nor tables as views."""
    catalog.require("listViews")
    table, view = catalog.new_table(), catalog.new_view()
    assert tables_in(catalog, catalog.home) == [table]
    assert views_in(catalog, catalog.home) == [view]
