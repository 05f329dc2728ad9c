"""Generic tables: each field as it was sent, tables of other kinds, and names that are given again."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, lacks, same_items, shows, unequal
from conformance.author.requirement import must, should
from conformance.http.paging import pages
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import SINCE, Names
from conformance.polaris.support import policies
from conformance.polaris.support.readables import TYPES, ReadableType, new_generic_table
from conformance.polaris.worlds import WITHOUT_NAMESAKES, WITHOUT_OTHER_VIEWS
from conformance.values.outcomes import Unoffered

CREATE, LOAD, LIST, DROP = ["createGenericTable"], ["loadGenericTable"], ["listGenericTables"], ["dropGenericTable"]
MISSING = 404
GENERIC, POLICY = TYPES["generic_table"], TYPES["policy"]


def _load(catalog: PolarisCatalog, id: Names) -> Any:
    return catalog.load_generic_table(id[:-1], id[-1])["table"]


def _new(catalog: PolarisCatalog, name: str = "g", **fields: Any) -> Names:
    """Create a generic table as preparation and return its id."""
    id = catalog.tables.table_id(name)
    with catalog.client.preparing():
        new_generic_table(catalog, id, **fields)
    return id


FORMATS = {"csv": "csv", "lance": "lance", "hudi": "hudi", "capitals": "DELTA", "own": "lakeproof-format"}


@must(
    "polaris.generic_table.format.{}",
    operations=[*CREATE, *LOAD],
    clause="generic-table-kept",
    each=FORMATS,
    since=SINCE,
)
def test_format_is_kept(catalog: PolarisCatalog, case: str) -> None:
    """createGenericTable and loadGenericTable return the format in the letters that were sent: {}."""
    id = catalog.tables.table_id("g")
    made = new_generic_table(catalog, id, format=case, expect=(200, 400))
    if not made.succeeded:
        raise Unoffered(f"the server takes no generic table of the format {case}")
    for table in (made["table"], _load(catalog, id)):
        equal(table["format"], case, "the format")


FIELDS: dict[str, dict[str, Any]] = {
    "none": {},
    "doc": {"doc": "events of a day"},
    "properties": {"properties": {"a": "1", "b.c": "2"}},
}


@must(
    "polaris.generic_table.fields.{}",
    operations=[*CREATE, *LOAD],
    clause="generic-table-kept",
    each=FIELDS,
    since=SINCE,
)
def test_optional_fields_are_kept(catalog: PolarisCatalog, case: dict[str, Any]) -> None:
    """A generic table has the optional fields that were sent, whichever these are: {}."""
    id = catalog.tables.table_id("g")
    made = new_generic_table(catalog, id, **case)["table"]
    for table in (made, _load(catalog, id)):
        shows(table, {"name": id[-1], "format": "delta", **case}, "the table")


@should("polaris.generic_table.fields.null", operations=[*CREATE, *LOAD], clause="null-is-absent", since=SINCE)
def test_optional_fields_that_are_null(catalog: PolarisCatalog) -> None:
    """createGenericTable takes an optional field that is null as absent."""
    id = catalog.tables.table_id("g")
    catalog.control(lambda: _new(catalog, "h"))
    new_generic_table(catalog, id, **{"doc": None, "properties": None, "base-location": None})
    equal(_load(catalog, id)["name"], id[-1], "the name of the table")


@must("polaris.generic_table.remade", operations=[*DROP, *CREATE, *LOAD], clause="generic-table-dropped", since=SINCE)
def test_generic_table_made_again(catalog: PolarisCatalog) -> None:
    """A generic table under the name of a dropped one has its own format, and no field of the dropped one."""
    id = _new(catalog, format="csv", doc="first", properties={"first": "1"})
    catalog.drop_generic_table(id[:-1], id[-1])
    made = new_generic_table(catalog, id, properties={"second": "2"}, expect=(200, 409))
    if not made.succeeded:
        raise Unoffered("the server does not give the name of a dropped generic table again")
    table = _load(catalog, id)
    shows(table, {"format": "delta", "properties": {"second": "2"}}, "the table")
    lacks(table["properties"], ["first"], "the properties")
    unequal(table.get("doc"), "first", "the doc")


# Tables of another kind

ICEBERG = {name: TYPES[name] for name in ("table", "view")}


@must(
    "polaris.generic_table.not.{}",
    operations=[*LOAD, *DROP],
    clause="generic-table-alone",
    kind="error",
    each=ICEBERG,
    since=SINCE,
)
def test_what_is_no_generic_table(catalog: PolarisCatalog, case: ReadableType) -> None:
    """loadGenericTable and dropGenericTable of a {} of Iceberg return 404 and leave it alone."""
    other, id = case.new(catalog, catalog.tables.table_id("o")), _new(catalog)
    catalog.control(lambda: _load(catalog, id))
    catalog.load_generic_table(other[:-1], other[-1], expect=MISSING)
    catalog.drop_generic_table(other[:-1], other[-1], expect=MISSING)
    case.read(catalog, catalog.tables.client, other)


FOREIGN = {
    f"{name}.{what}": (kind, getattr(kind, field))
    for name, kind in ICEBERG.items()
    for what, field in (("load", "reads"), ("drop", "drops"))
}


@should(
    "polaris.generic_table.as.{}",
    operations=lambda case: [case[1]],
    clause="generic-table-apart",
    kind="error",
    each=FOREIGN,
    since=SINCE,
)
def test_generic_table_as_another_kind(catalog: PolarisCatalog, case: tuple[ReadableType, str]) -> None:
    """An operation on tables or views of Iceberg returns 404 for a generic table and leaves it alone: {}."""
    kind, operation = case
    id, other = _new(catalog), kind.new(catalog, catalog.tables.table_id("o"))
    catalog.control(lambda: kind.read(catalog, catalog.tables.client, other))
    kind.send(catalog, operation, catalog.tables.client, id, expect=MISSING)
    equal(_load(catalog, id)["name"], id[-1], "the name of the generic table")


# Lists


def _fill(catalog: PolarisCatalog) -> dict[str, list[str]]:
    """Create objects of four kinds whose names alternate; return their names by kind."""
    kinds = {**ICEBERG, "generic_table": GENERIC, "policy": POLICY}
    names: dict[str, list[str]] = {name: [] for name in kinds}
    for number in range(2):
        for name, kind in kinds.items():
            id = kind.new(catalog, catalog.tables.table_id(f"o{number}-{len(names[name])}-{name.replace('_', '-')}"))
            names[name].append(id[-1])
    return names


def _paged(catalog: PolarisCatalog, listing: Any, made: dict[str, list[str]]) -> list[str]:
    """Return the created names that the pages of a list contain, one on each."""
    home, every = catalog.tables.home, {name for names in made.values() for name in names}
    answers = pages(lambda token: listing(home, pageToken=token or "", pageSize=1), "next-page-token")
    names = [str(entry["name"]) for page in answers for entry in page["identifiers"]]
    return [name for name in names if name in every]


@must(
    "polaris.listing.between",
    operations=[*LIST, "listPolicies"],
    clause="lists-of-one-kind",
    kind="pagination",
    since=SINCE,
    world=WITHOUT_NAMESAKES,
)
def test_pages_with_other_kinds_between(catalog: PolarisCatalog) -> None:
    """The pages of listGenericTables and listPolicies are complete where objects of other kinds lie between."""
    names = _fill(catalog)
    same_items(
        _paged(catalog, catalog.list_generic_tables, names), names["generic_table"], "the generic tables on all pages"
    )
    same_items(_paged(catalog, catalog.list_policies, names), names["policy"], "the policies on all pages")


@should(
    "polaris.listing.between.iceberg",
    operations=["listTables", "listViews"],
    clause="generic-table-apart",
    kind="pagination",
    since=SINCE,
    world=WITHOUT_OTHER_VIEWS,
)
def test_pages_of_tables_with_other_kinds_between(catalog: PolarisCatalog) -> None:
    """The pages of listTables and listViews have all tables or views, and no generic tables and policies."""
    made = _fill(catalog)
    same_items(_paged(catalog, catalog.tables.list_tables, made), made["table"], "the tables on all pages")
    same_items(_paged(catalog, catalog.tables.list_views, made), made["view"], "the views on all pages")


LISTS = {"generic_table": (GENERIC, "listGenericTables"), "policy": (POLICY, "listPolicies")}


@must(
    "polaris.listing.nested.{}", operations=lambda case: [case[1]], clause="lists-of-one-kind", each=LISTS, since=SINCE
)
def test_lists_of_nested_namespaces(catalog: PolarisCatalog, case: tuple[ReadableType, str]) -> None:
    """The list of a namespace names all its levels, and has nothing of namespaces around or inside it: {}."""
    kind, operation = case
    catalog.tables.require_nested()
    levels = [catalog.tables.home]
    for _ in range(2):
        levels.append(TYPES["namespace"].new(catalog, (*levels[-1], "n")))
    ids = [kind.new(catalog, (*level, f"o{number}")) for number, level in enumerate(levels)]
    for id in ids:
        listed = catalog.documented(catalog.send(operation, {"namespace": id[:-1]})["identifiers"])
        equal(listed, [{"namespace": list(id[:-1]), "name": id[-1]}], "the identifiers")


@must(
    "polaris.listing.changes.{}", operations=lambda case: [case[1]], clause="lists-of-one-kind", each=LISTS, since=SINCE
)
def test_lists_follow_changes(catalog: PolarisCatalog, case: tuple[ReadableType, str]) -> None:
    """The list has an object from its creation to its drop, and the others all the time: {}."""
    kind, operation = case
    first, second = kind.new(catalog, catalog.tables.table_id("a")), catalog.tables.table_id("b")

    def names() -> list[str]:
        return [str(entry["name"]) for entry in catalog.send(operation, {"namespace": first[:-1]})["identifiers"]]

    lacks(names(), [second[-1]], "the names before")
    kind.create(catalog, second)
    contains(names(), [first[-1], second[-1]], "the names after the creation")
    kind.drop(catalog, second)
    contains(names(), [first[-1]], "the names after the drop")
    lacks(names(), [second[-1]], "the names after the drop")


@must("polaris.policy.namespace_dropped", operations=["dropNamespace"], clause="policy-with-namespace", since=SINCE)
def test_namespace_with_a_policy(catalog: PolarisCatalog) -> None:
    """dropNamespace of a namespace with a policy returns 400 or 409 and leaves the policy, or drops it, too."""
    namespace = catalog.tables.new_namespace()
    id = (*namespace, catalog.target.new_name())
    with catalog.client.preparing():
        policies.create(catalog, id)
    dropped = catalog.tables.drop_namespace(namespace, expect=(204, 400, 409)).succeeded
    catalog.load_policy(namespace, id[-1], expect=MISSING if dropped else 200)
    catalog.tables.load_namespace_metadata(namespace, expect=MISSING if dropped else 200)
