"""ListTables, ListAllTables, and rules for every paged listing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from conformance.author.checks import at_most, contains, equal, lacks, same_items, text, within
from conformance.author.requirement import given, may, must, should
from conformance.author.strategies import distinct_names, names, tables
from conformance.lance.catalog import LanceCatalog
from conformance.lance.support.listing import (
    LanceListing,
    collect,
    collect_all_tables,
    collect_namespaces,
    collect_tables,
    follow,
)
from conformance.lance.support.paged import LISTINGS
from conformance.values.outcomes import Skipped
from specs.lance.identifiers import DELIMITER, join_parts

TABLES = "the listed tables"
MANY = 100
MOST_READ = 20  # objects of others that a read-only run pages through
DECLARED_LISTS = {name: LISTINGS[name] for name in ("list_tables", "list_all_tables")}
# An index may be built, and listed, only after the response.
AT_ONCE = {name: listing for name, listing in LISTINGS.items() if listing.id != "ListTableIndices"}


def _page_size(catalog: LanceCatalog, listing: LanceListing, limit: int) -> int:
    """Return a limit for small pages; larger where the server lists many objects of others."""
    if listing.id != "ListAllTables":
        return limit
    return limit * max(1, len(collect_all_tables(catalog)) // MANY)


def _fill(catalog: LanceCatalog, listing: LanceListing, names: Sequence[str], least: int = 0) -> list[str]:
    """Create objects with these names and return the listed names.

    A read-only run returns what the listing shows without a limit. Raises Skipped where these are fewer than `least`,
    or so many that their pages would be a burden.
    """
    if not catalog.target.read_only:
        return [listing.add(catalog, name) for name in names]
    with catalog.client.preparing():
        there = _collect_own(catalog, listing)
    if not least <= len(there) <= MOST_READ:
        raise Skipped(
            f"{listing.id} shows {len(there)} {listing.field}, and this reads {least} to {MOST_READ}", "--namespace"
        )
    return there


def _collect_own(catalog: LanceCatalog, listing: LanceListing, **query: object) -> list[str]:
    """Return the listed objects of this example; others may use the same server."""
    entries = collect(lambda **page: listing.fetch(catalog, **page), listing.field, **query)
    items = [listing.name_of(item) for item in entries]
    whole = listing.id == "ListAllTables"
    if listing.own or catalog.target.read_only:
        return items
    if whole:
        return [item for item in catalog.own_identifiers(items) if item.startswith(catalog.stem)]
    items = catalog.own(catalog.home, items)
    return [item for item in items if item.startswith(catalog.home_name)] if catalog.shared else items


SHOWS = ["lance.listing.shows.{}"]


@must(
    "lance.listing.shows.{}",
    clause="listing-shows",
    each=LISTINGS,
    reads=True,
    twin=True,
    world=lambda case: case.world,
)
def test_listing_shows(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} lists each created object."""
    created: list[str] = []
    for name in ("first",) if catalog.target.read_only else ("first", "second"):
        created.append(case.add(catalog, name))
        contains(_collect_own(catalog, case), created, case.what)


# Pages


@must("lance.pagination.complete.{}", clause="page-token", kind="pagination", each=LISTINGS, needs=SHOWS, reads=True)
@given(wanted=distinct_names(1), limit=st.integers(1, 4))
def test_pages_are_complete(catalog: LanceCatalog, case: LanceListing, wanted: list[str], limit: int) -> None:
    """Following the page tokens of {} returns every object exactly once, for every limit."""
    expected = _fill(catalog, case, wanted)
    size = _page_size(catalog, case, limit)
    same_items(_collect_own(catalog, case, limit=size), expected, case.what)


@must("lance.pagination.limit.{}", clause="page-limit", kind="pagination", each=LISTINGS, reads=True)
@given(limit=st.integers(1, 3))
def test_limit_is_kept(catalog: LanceCatalog, case: LanceListing, limit: int) -> None:
    """A page of {} holds at most `limit` items."""
    _fill(catalog, case, ("a", "b", "c", "d"), 1)
    at_most(len(case.fetch(catalog, limit=limit)[case.field]), limit, f"the number of {case.field} on a page")


@must("lance.pagination.last_page.{}", clause="page-token", kind="pagination", each=LISTINGS, needs=SHOWS, reads=True)
def test_last_page_has_no_token(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} returns a page_token while items remain and none on the last page."""
    expected = _fill(catalog, case, ("a", "b", "c"), 2)
    first = case.fetch(catalog, limit=1)
    text(first.get("page_token"), "the page_token of a page after which there is more")
    same_items(_collect_own(catalog, case), expected, case.what)


@should("lance.pagination.stable.{}", clause="page-stable", kind="pagination", each=LISTINGS, needs=SHOWS)
@given(position=st.integers(1, 4))
def test_pages_are_stable(catalog: LanceCatalog, case: LanceListing, position: int) -> None:
    """Objects that exist throughout appear exactly once across the pages of {} while others are created."""
    expected = [case.add(catalog, name) for name in ("b", "d", "f", "h", "j")]
    seen: list[str] = []
    size = _page_size(catalog, case, 2)
    newcomers = ["abcdefghij"[2 * position], "aaa"]
    for page in follow(lambda **query: case.fetch(catalog, **query), limit=size):
        seen += case.names(page)
        while newcomers and set(seen) & set(expected):
            case.add(catalog, newcomers.pop())
    same_items([item for item in seen if item in expected], expected, f"{case.what} of those that were there before")


@must("lance.pagination.limit_type.{}", clause="request-schemas", kind="error", each=LISTINGS, reads=True)
def test_limit_that_is_no_number(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} with a limit that is not an integer returns 400 with code 13."""
    _fill(catalog, case, ("a",))
    catalog.control(lambda: case.fetch(catalog, limit=1))
    refused = case.fetch(catalog, limit="many", expect=400)
    equal(refused.code, 13, "the code of the error")


@should("lance.pagination.foreign_token.{}", clause="page-token-foreign", kind="error", each=LISTINGS, reads=True)
def test_token_that_nobody_gave_out(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} with a page_token that the server never issued returns 400 with code 13, not an empty page."""
    _fill(catalog, case, ("a",))
    refused = case.fetch(catalog, page_token="~!never-given-out!~", expect=400)
    equal(refused.code, 13, "the code of the error")


@may("lance.pagination.limit_zero.{}", clause="page-limit-zero", kind="error", each=LISTINGS, reads=True)
def test_limit_zero(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} with limit 0 returns 400 with code 13."""
    _fill(catalog, case, ("a",))
    refused = case.fetch(catalog, limit=0, expect=400)
    equal(refused.code, 13, "the code of the error")


LARGE = (2**31 - 1, 2**31)


@should("lance.pagination.limit_large.{}", clause="page-limit-large", each=LISTINGS, reads=True)
def test_large_limits(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} accepts a limit of 2^31 - 1, and accepts a limit of 2^31 or returns 400."""
    first = _fill(catalog, case, ("first",))[:1]
    for limit in LARGE:
        answer = case.fetch(catalog, limit=limit, expect=200 if limit == LARGE[0] else (200, 400))
        if answer.succeeded and not answer.get("page_token"):
            contains(case.names(answer), first, case.what)


SEVERAL = 150  # more than the default page size of common servers


def _new_namespaces(catalog: LanceCatalog, names: list[str]) -> list[str]:
    catalog.require_nested()
    for name in names:
        catalog.create_namespace(catalog.namespace_id(name))
    return collect_namespaces(catalog, catalog.home)


def _new_tables(catalog: LanceCatalog, names: list[str]) -> list[str]:
    catalog.require_namespaces()
    for name in names:
        catalog.new_declared_table(name)
    return collect_tables(catalog, catalog.home, include_declared=True)


def _new_tags(catalog: LanceCatalog, names: list[str]) -> list[str]:
    id = catalog.new_table("tagged")
    version = catalog.version(id)
    for name in names:
        catalog.create_table_tag(id, tag=name, version=version)
    return collect(lambda **page: catalog.list_table_tags(id, **page), "tags")


Populate = Callable[[LanceCatalog, list[str]], list[str]]
POPULATED: dict[str, tuple[str, Populate]] = {
    "list_namespaces": ("ListNamespaces", _new_namespaces),
    "list_tables": ("ListTables", _new_tables),
    "list_table_tags": ("ListTableTags", _new_tags),
}


@must(
    "lance.pagination.no_limit.{}",
    operations=lambda case: [case[0]],
    clause="page-token",
    kind="pagination",
    each=POPULATED,
)
def test_listing_without_limit(catalog: LanceCatalog, case: tuple[str, Populate]) -> None:
    """A listing without a limit ({}) returns 150 objects on one page or on pages linked by tokens."""
    names = [f"n{number:03}" for number in range(SEVERAL)]
    same_items(case[1](catalog, names), names, "what is listed")


@should("lance.pagination.other_token", operations=["ListNamespaces"], clause="page-token-foreign", kind="error")
def test_token_of_another_namespace(catalog: LanceCatalog) -> None:
    """ListNamespaces with a page_token of another namespace returns 400 or only its own children."""
    catalog.require_nested()
    one, other = catalog.new_namespace("one"), catalog.new_namespace("other")
    for name in ("a", "b", "c"):
        catalog.create_namespace((*one, name))
    catalog.create_namespace((*other, "z"))
    token = text(catalog.list_namespaces(one, limit=1)["page_token"], "the page_token of a page after which is more")
    answer = catalog.list_namespaces(other, limit=5, page_token=token, expect=(200, 400))
    if answer.succeeded:
        within(answer["namespaces"], ["z"], "the listed namespaces")


# Freshness


@must("lance.listing.fresh.{}", clause="read-your-writes", each=AT_ONCE, needs=SHOWS)
def test_listing_is_fresh(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} lists an object as soon as its creation has returned."""
    first = case.add(catalog, "first")
    equal(_collect_own(catalog, case), [first], case.what)
    second = case.add(catalog, "second")
    same_items(_collect_own(catalog, case), [first, second], case.what)


# Listed names


@should("lance.listing.relative", operations=["ListTables"], clause="list-tables-relative")
@given(wanted=distinct_names())
def test_tables_are_relative(catalog: LanceCatalog, wanted: list[str]) -> None:
    """ListTables returns the tables of the namespace itself, by their own names, and nothing else."""
    catalog.require_namespaces()
    for name in wanted:
        catalog.new_table(name, rows=1)
    if catalog.nested:
        inner = catalog.new_namespace("inner")
        catalog.make_table((*inner, "deeper"), tables(1))
    same_items(collect_tables(catalog, catalog.home, whole=True), wanted, TABLES)


@must(
    "lance.listing.all_levels",
    operations=["ListAllTables"],
    clause="list-all-tables",
    needs=["lance.listing.shows.list_all_tables"],
)
@given(name=names())
def test_all_tables_of_all_levels(catalog: LanceCatalog, name: str) -> None:
    """ListAllTables returns tables of every level by their full identifiers."""
    expected = [catalog.new_table(name)]
    if catalog.nested:
        inner = catalog.new_namespace("inner")
        catalog.make_table((*inner, name), tables(1))
        expected.append((*inner, name))
    identifiers = [item for item in collect_all_tables(catalog) if item.startswith(catalog.stem)]
    same_items(identifiers, map(join_parts, expected), TABLES)


@must(
    "lance.listing.all_delimiter",
    operations=["ListAllTables"],
    clause="identifier-delimiter",
    needs=["lance.listing.shows.list_all_tables"],
)
@given(delimiter=st.sampled_from(["/", "::", "|"]))  # a dot may occur in the name of any table
def test_all_tables_with_delimiter(catalog: LanceCatalog, delimiter: str) -> None:
    """ListAllTables writes identifiers with the delimiter of the request."""
    id = catalog.new_table()
    contains(collect_all_tables(catalog, delimiter=delimiter), [join_parts(id, delimiter)], TABLES)


@must("lance.listing.declared_hidden", operations=["ListTables"], clause="list-declared")
def test_declared_tables_are_hidden(catalog: LanceCatalog) -> None:
    """ListTables without include_declared leaves out declared-only tables."""
    created = catalog.new_table("created")
    declared = catalog.new_declared_table("declared")
    entries = collect_tables(catalog, catalog.home)
    contains(entries, [created[-1]], TABLES)
    lacks(entries, [declared[-1]], TABLES)


@must("lance.listing.declared_default.{}", clause="list-declared-default", each=DECLARED_LISTS)
def test_declared_tables_by_default(catalog: LanceCatalog, case: LanceListing) -> None:
    """{} without include_declared lists declared-only tables."""
    created, declared = catalog.new_table("created"), catalog.new_declared_table("declared")
    entries = _collect_own(catalog, case)
    contains([entry.rpartition(DELIMITER)[2] for entry in entries], [created[-1], declared[-1]], TABLES)


@should("lance.listing.declared_shown", operations=["ListTables"], clause="list-declared-query")
def test_declared_tables_are_shown(catalog: LanceCatalog) -> None:
    """ListTables with include_declared=true in the query lists declared-only tables."""
    declared = catalog.new_declared_table("declared")
    contains(collect_tables(catalog, catalog.home, include_declared=True), [declared[-1]], TABLES)


@should(
    "lance.listing.all_declared_shown",
    operations=["ListAllTables"],
    clause="list-declared-query",
    needs=["lance.listing.shows.list_all_tables"],
)
def test_declared_tables_of_all_levels_are_shown(catalog: LanceCatalog) -> None:
    """ListAllTables with include_declared=true in the query lists declared-only tables."""
    declared = catalog.new_declared_table("declared")
    contains(collect_all_tables(catalog, include_declared=True), [join_parts(declared)], TABLES)
