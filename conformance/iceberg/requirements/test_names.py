"""Hostile names, and separators of namespace levels."""

from __future__ import annotations

import posixpath
from functools import partial

from hypothesis import strategies as st

from conformance.author.checks import equal, holds, same_items
from conformance.author.requirement import given, must, should
from conformance.common import bodies
from conformance.common.bodies import RequestCase
from conformance.common.names import TOO_LONG, Named, NamedObject, name_is_kept, named
from conformance.http.client import Encoded
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.operations import OPERATIONS
from conformance.iceberg.support.content import SCHEMA, view_body
from conformance.iceberg.support.listing import items_of, namespaces_below, tables_in, views_in
from conformance.iceberg.support.ordinary import ISSUED, preparation
from conformance.target.hostile import CLIMBED, LONG_NAMES, NAMES, climbs, has_dot_segment, own
from conformance.target.local_files import local_path
from conformance.values.json_values import shown
from conformance.values.outcomes import Unoffered
from specs.identifiers import UNIT_SEPARATOR, encode_segment, encode_separator

# Clients cannot send these in a path: URL normalization removes dot segments.
UNSPEAKABLE = {"dot", "dot_dot"}
SPEAKABLE = {key: name for key, name in NAMES.items() if key not in UNSPEAKABLE}
REFUSALS = (400, 404, 406, 414, 422)
INSIDE = {
    key: NAMES[key] for key in ("dot", "dot_dot", "climbing", "climbing_far", "slash", "percent_encoded", "backslash")
}


def _namespace_id(catalog: IcebergCatalog, name: str) -> Names:
    """Return the identifier of a namespace with a hostile name; on the first level the name gets the run's prefix.

    Raises Unoffered for a name that contains the separator of levels.
    """
    if catalog.separator in name:
        raise Unoffered("the name holds the separator that the server advertises")
    return catalog.hostile_id(name) if catalog.nested else catalog.namespace_id(own(name, catalog.target.prefix))


def _load_namespace(catalog: IcebergCatalog, id: Names) -> None:
    equal(catalog.load_namespace_metadata(id)["namespace"], list(id), "the levels of the namespace")


def _drop_namespace(catalog: IcebergCatalog, id: Names) -> None:
    catalog.drop_namespace(id)
    catalog.load_namespace_metadata(id, expect=404)


NAMESPACE = NamedObject(
    "namespace",
    ["createNamespace", "loadNamespaceMetadata", "listNamespaces"],
    _namespace_id,
    IcebergCatalog.create_namespace,
    _load_namespace,
    lambda catalog, id: namespaces_below(catalog, id[:-1] or None),
    _drop_namespace,
    lambda catalog, id, _: catalog.load_namespace_metadata(id, expect=REFUSALS),
)
TABLE = NamedObject(
    "table",
    ["createTable", "loadTable", "listTables"],
    IcebergCatalog.hostile_id,
    partial(IcebergCatalog.create_table, schema=SCHEMA),
    IcebergCatalog.load_table,
    lambda catalog, id: tables_in(catalog, id[:-1]),
    IcebergCatalog.drop_table,
    lambda catalog, id, _: catalog.load_table(id, expect=REFUSALS),
    alone=True,
)
VIEW = NamedObject(
    "view",
    ["createView", "loadView", "listViews"],
    IcebergCatalog.hostile_id,
    lambda catalog, id, **rest: catalog.create_view(id, **view_body(catalog.home), **rest),
    IcebergCatalog.load_view,
    lambda catalog, id: views_in(catalog, id[:-1]),
    IcebergCatalog.drop_view,
    lambda catalog, id, _: catalog.load_view(id, expect=REFUSALS),
    alone=True,
)
KINDS = {"namespace": NAMESPACE, "table": TABLE, "view": VIEW}

test_name_is_kept = name_is_kept.declare(__name__, named(KINDS, SPEAKABLE) | named(KINDS, LONG_NAMES, TOO_LONG))


@must(
    "iceberg.names.there.{}",
    operations=lambda case: case.operations[:2],
    clause="create-{}",
    kind="hostile",
    each={key: Named(kind, "", "any") for key, kind in KINDS.items()},
    statement="A {0.kind.word} that is created under an unusual name loads under this name at once.".format,
)
@given(name=st.sampled_from(sorted(name for name in SPEAKABLE.values() if not has_dot_segment(name))))
def test_unusual_name_is_there(catalog: IcebergCatalog, case: Named, name: str) -> None:
    """An object that is created under an unusual name loads under this name at once."""
    try:
        id = case.kind.id(catalog, name)
    except Unoffered as error:
        if error.operation:
            raise
        return  # no name of a namespace holds the separator of levels
    if case.kind.make(catalog, id, expect=(case.kind.made, *TOO_LONG)).succeeded:
        case.kind.look(catalog, id)


@should(
    "iceberg.names.inside.{}",
    operations=["createTable"],
    clause="names-stay-inside",
    kind="hostile",
    each=INSIDE,
)
def test_names_stay_inside(catalog: IcebergCatalog, case: str) -> None:
    """A table named like a path ({}) is rejected, or its location is separate and inside the catalog's location."""
    others = [catalog.new_table("plain")]
    if catalog.nested:
        inner = catalog.table_id("a")
        catalog.create_namespace(inner)
        others += [(*inner, "b"), catalog.table_id(own(CLIMBED, catalog.target.prefix))]
        for other in others[1:]:
            catalog.create_table(other, schema=SCHEMA)
    locations = [str(catalog.metadata(other)["location"]) for other in others]
    id = catalog.hostile_id(case)
    beside = _beside(catalog, id)
    answer = catalog.create_table(id, schema=SCHEMA, expect=(200, 400, 403, 406, 422))
    if answer.succeeded:
        location = answer["metadata"]["location"]
        led, place = posixpath.normpath(f"{beside}/{id[-1]}"), posixpath.normpath(location)
        named = catalog.target.prefix in id[-1] and place.startswith(led)  # the server may add something to the name
        left = climbs(id[-1]) and (named or place == led)
        holds(not left, f"the location {shown(location)} is not where the name leads from the tables beside it")
        steps = "/../" in f"{location}/" or "/./" in f"{location}/"
        holds(local_path(location) is None or not steps, f"the location {shown(location)} has no steps . and ..")
        equal(_beginning(location), _beginning(locations[0]), "the beginning of the location")
        overlapping = [other for other in locations if _overlap(location, other)]
        equal(overlapping, [], f"the locations of other tables that overlap with {shown(location)}")


def _beside(catalog: IcebergCatalog, id: Names) -> str:
    """Return the folder of a plain table in the namespace of another one."""
    beside = (*id[:-1], catalog.target.new_name())
    with catalog.client.preparing():
        made = catalog.create_table(beside, schema=SCHEMA)
    return posixpath.dirname(str(made["metadata"]["location"]).rstrip("/"))


def _beginning(location: str) -> str:
    """Return the beginning that the locations of a catalog share: scheme and host or bucket, or the first folders."""
    return "/".join(location.split("/")[:3])


def _overlap(location: str, other: str) -> bool:
    """True when two locations are equal or one contains the other."""
    first, second = f"{location.rstrip('/')}/", f"{other.rstrip('/')}/"
    return first.startswith(second) or second.startswith(first)


@should(
    "iceberg.names.case",
    operations=["createTable", "listTables"],
    clause="names-round-trip",
    kind="hostile",
)
def test_case_of_names(catalog: IcebergCatalog) -> None:
    """Two names that differ only in case are two tables, or creating the second returns 400 or 409."""
    first, second = catalog.table_id("orders"), catalog.table_id("Orders")
    catalog.create_table(first, schema=SCHEMA)
    answer = catalog.create_table(second, schema=SCHEMA, expect=(200, 400, 409))
    wanted = [first, second] if answer.succeeded else [first]
    same_items(tables_in(catalog, catalog.home), wanted, "the listed tables")


# Separators


def _path(levels: tuple[str, ...], separator: str) -> dict[str, str]:
    return {"namespace": Encoded(encode_separator(separator).join(map(encode_segment, levels)))}


def _list_below_one_level(catalog: IcebergCatalog) -> None:
    """List the children of a namespace without any: a server that lists others here does so with any separator."""
    below = catalog.list_namespaces(catalog.new_namespace())
    equal(items_of(below, "namespaces"), [], "the namespaces below a namespace of one level")


def _use_everywhere(catalog: IcebergCatalog, separator: str) -> None:
    """Use a nested namespace, written with this separator, in every kind of request."""
    catalog.require_nested()
    id = (*catalog.home, "inner")
    catalog.create_namespace(id)
    path = _path(id, separator)
    equal(catalog.send("loadNamespaceMetadata", path)["namespace"], list(id), "the levels of the namespace")
    catalog.note_tables([(*id, "t")])
    catalog.send("createTable", path, catalog.body("createTable", (*id, "t"), schema=SCHEMA))
    same_items(items_of(catalog.send("listTables", path), "identifiers"), [(*id, "t")], "the listed tables")
    catalog.send("loadTable", {**path, "table": "t"})
    catalog.send("updateProperties", path, {"updates": {"a": "1"}})
    catalog.control(lambda: _list_below_one_level(catalog))
    below = catalog.send("listNamespaces", query={"parent": separator.join(id)})
    equal(items_of(below, "namespaces"), [], "the namespaces below")


SEPARATED = ["loadNamespaceMetadata", "createTable", "listTables", "loadTable", "updateProperties", "listNamespaces"]


@must("iceberg.names.separator.unit", operations=SEPARATED, clause="separator-unit", kind="hostile")
def test_unit_separator(catalog: IcebergCatalog) -> None:
    """0x1F separates namespace levels in paths and in parent, whatever separator the server advertises."""
    _use_everywhere(catalog, UNIT_SEPARATOR)


@must("iceberg.names.separator.advertised", operations=SEPARATED, clause="separator-advertised", kind="hostile")
def test_advertised_separator(catalog: IcebergCatalog) -> None:
    """The advertised separator separates namespace levels in paths and in parent."""
    if catalog.separator == UNIT_SEPARATOR:
        raise Unoffered("the server advertises no separator but 0x1F")
    _use_everywhere(catalog, catalog.separator)


JOINTS = {"dot": ".", "dash": "-", "colon": ":", "dollar": "$"}
ABSENT = (400, 404, 406, 422)


@must(
    "iceberg.names.levels.{}",
    operations=["loadNamespaceMetadata", "namespaceExists"],
    clause="levels-apart",
    kind="hostile",
    each=JOINTS,
)
def test_levels_are_not_joined(catalog: IcebergCatalog, case: str) -> None:
    """A nested namespace is not found under a single name that joins its levels with a {}."""
    catalog.require_nested()
    if catalog.separator == case:
        raise Unoffered("the server advertises this as the separator of levels")
    with catalog.client.preparing():
        id = (*catalog.home, "inner")
        catalog.create_namespace(id)
        equal(catalog.load_namespace_metadata(id)["namespace"], list(id), "the levels of the namespace")
    joined = (*id[:-2], case.join(id[-2:]))
    catalog.load_namespace_metadata(joined, expect=ABSENT)
    catalog.namespace_exists(joined, expect=ABSENT)


@should("iceberg.names.nested", operations=SEPARATED[:1], clause="names-round-trip", kind="hostile")
@given(name=st.sampled_from(["two words", "a+b", "a/b", "größe", "100%"]))
def test_odd_name_within_a_namespace(catalog: IcebergCatalog, name: str) -> None:
    """A nested namespace with an unusual name can be loaded and listed, or its creation returns 400."""
    catalog.require_nested()
    id = (*catalog.home, name)
    if catalog.create_namespace(id, expect=(200, 400)).succeeded:
        equal(catalog.load_namespace_metadata(id)["namespace"], list(id), "the levels of the namespace")
        same_items(namespaces_below(catalog, catalog.home), [id], "the listed namespaces")


# Objects in nested namespaces

RENAMES = ("renameTable", "renameView")  # their bodies name the namespaces
NESTED = {
    name: RequestCase(operation, preparation(operation), accepted=operation.id not in ISSUED)
    for name, operation in OPERATIONS.items()
    if ("{namespace}/" in operation.path and operation.id not in ("updateProperties", "signRequest"))
    or operation.id in RENAMES
}
test_nested_namespaces_are_like_others = bodies.nested_namespaces_are_like_others.declare(__name__, NESTED)
