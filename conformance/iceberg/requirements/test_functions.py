"""listFunctions and loadFunction, tested on existing functions: no operation creates one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.author.checks import contains, equal, holds, same_items, text
from conformance.author.requirement import may, must
from conformance.http.answers import Answer
from conformance.http.paging import pages
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import type_is
from conformance.iceberg.support.listing import FIRST_PAGE, NEXT, items_of
from conformance.values.outcomes import Skipped, Unoffered

LIST, LOAD = ["listFunctions"], ["loadFunction"]
MOST_FUNCTIONS = 20
MOST_PAGES = 50
TABLE_FUNCTION = "udtf"
Definition = dict[str, Any]


def _home_of_functions(catalog: IcebergCatalog) -> tuple[Names, Answer]:
    """Return the namespace given by --functions, and its listing.

    Raises Skipped without one: the run reads no other namespaces that it did not create.
    """
    namespace = catalog.target.settings.namespace_levels("functions")
    if not namespace:
        raise Skipped("no operation creates functions, and no namespace with some is given", "--functions")
    listed = catalog.list_functions(namespace)
    if not listed.get("identifiers"):
        raise Skipped("the given namespace shows no functions", "--functions with another one")
    return namespace, listed


def _functions(catalog: IcebergCatalog) -> list[Answer]:
    """Load some functions of the catalog and return the answers."""
    _, listed = _home_of_functions(catalog)
    return [catalog.load_function(id) for id in _identifiers(listed)[:MOST_FUNCTIONS]]


def _identifiers(listing: Answer) -> list[Names]:
    """Return the listed functions as namespace levels followed by the name."""
    identifiers = items_of(listing, "identifiers")
    equal(
        [identifier for identifier in identifiers if len(identifier) < 2],
        [],
        "the identifiers without a namespace and a name",
    )
    return identifiers


def _definitions(catalog: IcebergCatalog) -> list[Definition]:
    """Return all overloads of some functions."""
    return [definition for answer in _functions(catalog) for definition in answer["metadata"]["definitions"]]


def _type_names(type: Any) -> Iterator[str]:
    """Yield the names of a type and of all types nested in it."""
    if isinstance(type, str):
        yield type
        return
    inner = [type.get(name) for name in ("element", "key", "value")]
    for part in [*inner, *(field["type"] for field in type.get("fields", ()))]:
        if part is not None:
            yield from _type_names(part)


def _doubled(values: list[Any]) -> list[Any]:
    return [value for value, count in Counter(values).items() if count > 1]


@must("iceberg.function.list.full", operations=LIST, clause="list-functions", reads=True)
def test_functions_are_listed(catalog: IcebergCatalog) -> None:
    """listFunctions returns each function once, with the namespace's levels, and the same ones when repeated."""
    namespace, listed = _home_of_functions(catalog)
    identifiers = _identifiers(listed)
    same_items({identifier[:-1] for identifier in identifiers}, [namespace], "the namespaces of the listed functions")
    equal(_doubled(identifiers), [], "the functions that are listed more than once")
    again = _identifiers(catalog.list_functions(namespace))
    same_items(again, identifiers, "the functions that are listed the next time")


@must("iceberg.function.list.none", operations=LIST, clause="list-functions", twin=True)
def test_a_new_namespace_has_no_functions(catalog: IcebergCatalog) -> None:
    """listFunctions on a new namespace with a table returns no functions."""
    catalog.new_table()
    equal(catalog.list_functions(catalog.home).get("identifiers") or [], [], "the functions of a new namespace")


@must("iceberg.function.list.namespace_missing", operations=LIST, clause="list-not-found", kind="error", reads=True)
def test_functions_of_a_missing_namespace(catalog: IcebergCatalog) -> None:
    """listFunctions on a missing namespace returns 404 with type NoSuchNamespaceException."""
    refused = catalog.list_functions(catalog.missing_namespace(), expect=404)
    type_is(refused, "NoSuchNamespaceException")


@must("iceberg.function.list.pages", operations=LIST, clause="page-partition", kind="pagination", reads=True)
def test_pages_of_functions(catalog: IcebergCatalog) -> None:
    """Pages of listFunctions with pageSize=1 together contain every function exactly once."""
    namespace, listed = _home_of_functions(catalog)
    wanted = _identifiers(listed)
    if len(wanted) > MOST_PAGES:
        raise Unoffered("the catalog shows too many functions to page through")
    first = catalog.list_functions(namespace, pageToken=FIRST_PAGE, pageSize=1)
    behind = pages(lambda token: catalog.list_functions(namespace, pageToken=token, pageSize=1), NEXT, first)
    identifiers = [identifier for page in behind for identifier in _identifiers(page)]
    same_items(identifiers, wanted, "the functions on all pages")


@must("iceberg.function.load.listed", operations=LOAD, clause="load-function", reads=True)
def test_listed_functions_are_shown(catalog: IcebergCatalog) -> None:
    """loadFunction on every listed function returns at least one overload, each with at least one version."""
    for answer in _functions(catalog):
        definitions = answer["metadata"]["definitions"]
        holds(definitions, "a listed function has an overload")
        holds(all(definition["versions"] for definition in definitions), "each overload of a function has a version")


@must("iceberg.function.load.missing", operations=LOAD, clause="load-function-not-found", kind="error", reads=True)
def test_missing_function(catalog: IcebergCatalog) -> None:
    """loadFunction on a missing name or a table's name returns 404 with type NoSuchFunctionException."""
    for id in (catalog.table_id("missing"), catalog.new_table()):
        refused = catalog.load_function(id, expect=404)
        type_is(refused, "NoSuchFunctionException")


@must(
    "iceberg.function.load.namespace_missing",
    operations=LOAD,
    clause="load-function-not-found",
    kind="error",
    reads=True,
)
def test_function_of_a_missing_namespace(catalog: IcebergCatalog) -> None:
    """loadFunction in a missing namespace returns 404: NoSuchFunctionException or NoSuchNamespaceException."""
    refused = catalog.load_function((*catalog.missing_namespace(), "f"), expect=404)
    type_is(refused, "NoSuchFunctionException", "NoSuchNamespaceException")


@may("iceberg.function.load.location", operations=LOAD, clause="load-function-location", reads=True)
def test_location_of_a_function(catalog: IcebergCatalog) -> None:
    """loadFunction returns the metadata-location of the function."""
    for answer in _functions(catalog):
        text(answer.get("metadata-location"), "the metadata-location of the function")


@must("iceberg.function.current", operations=LOAD, clause="function-current", reads=True)
def test_current_versions(catalog: IcebergCatalog) -> None:
    """current-version-id of every function overload is one of its versions."""
    for definition in _definitions(catalog):
        versions = [version["version-id"] for version in definition["versions"]]
        contains(versions, [definition["current-version-id"]], "the versions of the overload")


@must("iceberg.function.definition_id", operations=LOAD, clause="function-definition-id", reads=True)
def test_ids_of_overloads(catalog: IcebergCatalog) -> None:
    """definition-id of a function overload is its parameter types joined by commas without spaces, and is unique."""
    for answer in _functions(catalog):
        definitions = answer["metadata"]["definitions"]
        ids = [overload["definition-id"] for overload in definitions]
        equal(_doubled(ids), [], "the ids that several overloads of a function have")
        equal([id for id in ids if " " in id], [], "the ids of overloads with spaces")
        for definition in definitions:
            types = [parameter["type"] for parameter in definition["parameters"]]
            if all(isinstance(type, str) for type in types):  # the document does not define the form of nested types
                equal(definition["definition-id"], ",".join(types), "the definition-id of the overload")


@must("iceberg.function.specific_name", operations=LOAD, clause="function-specific-name", reads=True)
def test_specific_names(catalog: IcebergCatalog) -> None:
    """Overloads of a function have different specific-names."""
    for answer in _functions(catalog):
        names = [
            definition["specific-name"]
            for definition in answer["metadata"]["definitions"]
            if definition.get("specific-name")
        ]
        equal(_doubled(names), [], "the specific names that several overloads of a function have")


@must("iceberg.function.table", operations=LOAD, clause="function-table", reads=True)
def test_table_functions(catalog: IcebergCatalog) -> None:
    """The return type of a table function (udtf) is a struct."""
    returned = [
        definition["return-type"]
        for definition in _definitions(catalog)
        if definition["function-type"] == TABLE_FUNCTION
    ]
    if not returned:
        raise Skipped("the given namespace shows no table function", "--functions with another one")
    others = [kind for kind in returned if isinstance(kind, str) or kind["type"] != "struct"]
    equal(others, [], "the types other than structs that table functions return")


@must("iceberg.function.type_text", operations=LOAD, clause="function-type-text", reads=True)
def test_names_of_types(catalog: IcebergCatalog) -> None:
    """Type names in function definitions contain neither spaces nor quotes."""
    for definition in _definitions(catalog):
        types = [definition["return-type"], *(parameter["type"] for parameter in definition["parameters"])]
        names = [name for type in types for name in _type_names(type)]
        equal([name for name in names if set(name) & set(" \"'")], [], "the names of types with spaces or quotes")
