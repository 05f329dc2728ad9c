"""Identifiers on the wire: delimiters, percent-encoding and hostile names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from hypothesis import strategies as st

from conformance.author.checks import contains, equal
from conformance.author.requirement import given, leveled, must, should
from conformance.common import bodies
from conformance.common.bodies import RequestCase
from conformance.common.names import TOO_LONG, NamedObject, name_is_kept, named
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.operations import OPERATIONS
from conformance.lance.support.checks import routed
from conformance.lance.support.listing import collect, collect_namespaces, collect_tables
from conformance.lance.support.ordinary import preparation
from conformance.lance.worlds import all_but
from conformance.target import hostile
from specs.lance.identifiers import join_parts
from specs.openapi import Operation

NAMESPACES = "the listed namespaces"
DELIMITERS = st.sampled_from([".", "/", "::", "|", "-"])


@must("lance.identifier.delimiter", operations=["CreateNamespace"], clause="identifier-delimiter")
@given(delimiter=DELIMITERS)
def test_other_delimiter(catalog: LanceCatalog, delimiter: str) -> None:
    """CreateNamespace accepts an id written with the delimiter of the request."""
    catalog.require_nested()
    id = catalog.namespace_id()
    routed(delimiter, (200,), partial(catalog.send, "CreateNamespace", id, {}, delimiter=delimiter))
    catalog.describe_namespace(id)


@must("lance.identifier.root_delimiter", operations=["ListNamespaces"], clause="identifier-root", reads=True)
@given(delimiter=DELIMITERS.filter(lambda delimiter: delimiter != "."))  # a lone "." is a path segment of its own
def test_root_is_the_delimiter(catalog: LanceCatalog, delimiter: str) -> None:
    """ListNamespaces with only the delimiter as its id lists the root, for every delimiter of a request."""
    catalog.require_namespaces()
    first = catalog.home[0] if catalog.home else catalog.new_namespace()[0]
    ask = partial(catalog.send, "ListNamespaces", (), delimiter=delimiter)
    namespaces = collect(lambda **page: routed(delimiter, (200,), partial(ask, query=page)), "namespaces")
    contains(namespaces, [first], NAMESPACES)


JOINTS = {"dot": ".", "dash": "-", "colon": ":"}
ABSENT = (400, 404)


@must(
    "lance.identifier.levels.{}",
    operations=["DescribeNamespace", "NamespaceExists"],
    clause="identifier-delimiter",
    kind="hostile",
    each=JOINTS,
)
def test_levels_are_not_joined(catalog: LanceCatalog, case: str) -> None:
    """A nested namespace is not found under a single name that joins its levels with a {}."""
    catalog.require_nested()
    with catalog.client.preparing():
        id = (*catalog.home, "inner")
        catalog.create_namespace(id)
        catalog.describe_namespace(id)
    joined = (*id[:-2], case.join(id[-2:]))
    catalog.describe_namespace(joined, expect=ABSENT)
    catalog.namespace_exists(joined, expect=ABSENT)


@must(
    "lance.identifier.default_delimiter",
    operations=["CreateNamespace"],
    clause="identifier-delimiter",
    world=all_but(place=("root",), names=("dot",)),
)
def test_default_delimiter_as_text(catalog: LanceCatalog) -> None:
    """With another delimiter, CreateNamespace treats a $ in a name literally or returns 400."""
    catalog.require_nested()
    id = (*catalog.home, "do$lar")
    answer = catalog.send("CreateNamespace", id, {}, delimiter=".", expect=(200, 400))
    if answer.succeeded:
        equal(collect_namespaces(catalog, catalog.home), ["do$lar"], NAMESPACES)


@should(
    "lance.identifier.empty_part.{}",
    clause="identifier-empty-part",
    kind="hostile",
    each={name: OPERATIONS[name] for name in ("create_namespace", "declare_table", "drop_table")},
)
def test_empty_part(catalog: LanceCatalog, case: Operation) -> None:
    """{} with an empty part in its id returns 400 with code 13."""
    body: dict[str, str] | None = {} if case.request else None
    refused = catalog.send(case.id, f"{catalog.home_name}$$n", body, expect=400)
    equal(refused.code, 13, "the code of the error")


@must(
    "lance.identifier.body_path", operations=["DescribeNamespace"], clause="identifier-body", kind="error", reads=True
)
def test_body_names_another_object(catalog: LanceCatalog) -> None:
    """DescribeNamespace whose body id differs from the id in the path returns 400 with code 13."""
    id = catalog.new_namespace()
    catalog.control(lambda: catalog.send("DescribeNamespace", id, {}))
    refused = catalog.send("DescribeNamespace", id, {"id": [hostile.UNUSED]}, expect=400)
    equal(refused.code, 13, "the code of the error")


@must("lance.identifier.body_same", operations=["DescribeNamespace"], clause="identifier-body", reads=True)
def test_body_names_the_same_object(catalog: LanceCatalog) -> None:
    """DescribeNamespace accepts a body that repeats the id of the path."""
    id = catalog.new_namespace()
    catalog.send("DescribeNamespace", id, {"id": list(id)})


def _refused(catalog: LanceCatalog, _: Names, answer: Answer) -> None:
    catalog.check_invalid(answer)


def _make(create: Callable[..., Answer], catalog: LanceCatalog, id: Names, *, expect: tuple[int, ...]) -> Answer:
    return routed(id[-1], expect, partial(create, catalog, id))


def _beside(names: Iterable[str], id: Names) -> list[Names]:
    """Return the ids of a listing's items beside an id, whether the listing has names or full identifiers."""
    start = join_parts([*id[:-1], ""])
    return [(*id[:-1], name.removeprefix(start)) for name in names]


NAMESPACE = NamedObject(
    "namespace",
    ["CreateNamespace"],
    partial(LanceCatalog.hostile_id, namespace=True),
    partial(_make, LanceCatalog.create_namespace),
    LanceCatalog.describe_namespace,
    lambda catalog, id: _beside(collect_namespaces(catalog, id[:-1]), id),
    LanceCatalog.drop_namespace,
    _refused,
)
TABLE = NamedObject(
    "table",
    ["DeclareTable"],
    LanceCatalog.hostile_id,
    partial(_make, LanceCatalog.declare_table),
    LanceCatalog.describe_table,
    lambda catalog, id: _beside(collect_tables(catalog, id[:-1], include_declared=True), id),
    LanceCatalog.drop_table,
    _refused,
)

KINDS = {"namespace": NAMESPACE, "table": TABLE}
test_name_is_kept = name_is_kept.declare(
    __name__,
    named(KINDS, hostile.NAMES),
    id="name.{}",
    level=leveled(lambda case: "SHOULD" if hostile.has_dot_segment(case.name) else "MUST"),
    clause=lambda case: "names-dot-segments" if hostile.has_dot_segment(case.name) else "names-kept",
    statement="A {} keeps exactly this name, or its creation returns 400 with code 13 or 403.",
)
test_long_name_is_kept = name_is_kept.declare(
    __name__,
    named(KINDS, hostile.LONG_NAMES, TOO_LONG),
    id="name.{}",
    clause="long-texts",
    statement="A {} keeps exactly this name, or its creation returns 4xx.",
)


@must("lance.name.case", operations=["CreateNamespace"], clause="names-kept", kind="hostile")
def test_names_differ_by_case(catalog: LanceCatalog) -> None:
    """CreateNamespace keeps names that differ only by case apart, or returns 400 or 409 for the second."""
    catalog.new_namespace("case")
    second = catalog.namespace_id("CASE")
    if catalog.create_namespace(second, expect=(200, 400, 409)).succeeded:
        namespaces = collect_namespaces(catalog, second[:-1])
        contains([name.removeprefix(catalog.beside("")) for name in namespaces], ["case", "CASE"], NAMESPACES)


# Tables and views in nested namespaces

NESTED = {
    name: RequestCase(operation, preparation(operation))
    for name, operation in OPERATIONS.items()
    if any(f"/{kind}/{{id}}/" in operation.path for kind in ("table", "materialized_view"))
    and operation.id != "RegisterTable"  # its location would be taken
}
test_nested_namespaces_are_like_others = bodies.nested_namespaces_are_like_others.declare(__name__, NESTED)
