"""listFunctions and loadFunction. No operation creates functions: those are judged that the catalog has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from conformance.client import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.listing import FIRST_PAGE, NEXT
from conformance.outcomes import Unoffered
from conformance.requirement import may, must

LIST, LOAD = ["listFunctions"], ["loadFunction"]
MOST_NAMESPACES = 100
MOST_FUNCTIONS = 20
MOST_PAGES = 50
TABLE_FUNCTION = "udtf"
Definition = dict[str, Any]


def _namespaces(catalog: IcebergCatalog) -> Iterator[Names]:
    """Return namespaces of the first level, and those right below them."""
    outer = [tuple(one) for one in catalog.list_namespaces()["namespaces"]][:MOST_NAMESPACES]
    yield from outer
    for one in outer if catalog.nested else ():
        yield from (tuple(inner) for inner in catalog.list_namespaces(one, expect=None).get("namespaces") or ())


def _home_of_functions(catalog: IcebergCatalog) -> tuple[Names, Answer]:
    """Return a namespace that has functions, and its listing. Raises Unoffered when none is found."""
    for namespace in list(_namespaces(catalog))[:MOST_NAMESPACES]:
        listed = catalog.list_functions(namespace, expect=(200, 404))
        if listed.status == 200 and listed.get("identifiers"):
            return namespace, listed
    raise Unoffered("the catalog shows no functions, and none can be created")


def _functions(catalog: IcebergCatalog) -> list[Answer]:
    """Return some functions of the catalog as it shows them."""
    _, listed = _home_of_functions(catalog)
    return [catalog.load_function(tuple(id)) for id in listed["identifiers"][:MOST_FUNCTIONS]]


def _definitions(catalog: IcebergCatalog) -> list[Definition]:
    """Return all overloads of some functions."""
    return [one for answer in _functions(catalog) for one in answer["metadata"]["definitions"]]


def _type_names(type: Any) -> Iterator[str]:
    """Return the names of a type and of all types in it."""
    if isinstance(type, str):
        yield type
        return
    inner = [type.get(name) for name in ("element", "key", "value")]
    for one in [*inner, *(field["type"] for field in type.get("fields", ()))]:
        if one is not None:
            yield from _type_names(one)


def _doubled(values: list[Any]) -> list[Any]:
    return [value for value, count in Counter(values).items() if count > 1]


@must("iceberg.function.list.full", operations=LIST, clause="list-functions")
def test_functions_are_listed(catalog: IcebergCatalog) -> None:
    """The functions of a namespace are listed by its levels and their names, each once."""
    namespace, listed = _home_of_functions(catalog)
    found = [tuple(one) for one in listed["identifiers"]]
    assert {one[:-1] for one in found} == {namespace}
    assert _doubled(found) == []


@must("iceberg.function.list.none", operations=LIST, clause="list-functions")
def test_a_new_namespace_has_no_functions(catalog: IcebergCatalog) -> None:
    """A new namespace has no functions; a table in it is none."""
    catalog.new_table()
    assert not catalog.list_functions(catalog.home).get("identifiers")


@must("iceberg.function.list.namespace_missing", operations=LIST, clause="list-not-found", kind="error")
def test_functions_of_a_missing_namespace(catalog: IcebergCatalog) -> None:
    """Listing the functions of a namespace that does not exist is 404 of type NoSuchNamespaceException."""
    refused = catalog.list_functions(catalog.missing_namespace(), expect=404)
    assert refused.type == "NoSuchNamespaceException"


@must("iceberg.function.list.pages", operations=LIST, clause="page-partition", kind="pagination")
def test_pages_of_functions(catalog: IcebergCatalog) -> None:
    """Pages of one function each hold every function exactly once."""
    namespace, listed = _home_of_functions(catalog)
    wanted = sorted(map(tuple, listed["identifiers"]))
    if len(wanted) > MOST_PAGES:
        raise Unoffered("the catalog shows too many functions to page through")
    found = list[tuple[str, ...]]()
    token: str | None = FIRST_PAGE
    while token is not None and len(found) <= len(wanted):
        page = catalog.list_functions(namespace, pageToken=token, pageSize=1)
        found += map(tuple, page["identifiers"])
        token = page.get(NEXT)
    assert sorted(found) == wanted


@must("iceberg.function.load.listed", operations=LOAD, clause="load-function")
def test_listed_functions_are_shown(catalog: IcebergCatalog) -> None:
    """Every listed function is shown, with at least one overload, and each has a version."""
    for answer in _functions(catalog):
        definitions = answer["metadata"]["definitions"]
        assert definitions
        assert all(one["versions"] for one in definitions)


@must("iceberg.function.load.missing", operations=LOAD, clause="load-function-not-found", kind="error")
def test_missing_function(catalog: IcebergCatalog) -> None:
    """A function that does not exist is 404 of type NoSuchFunctionException, also if a table has the name."""
    for id in (catalog.table_id("missing"), catalog.new_table()):
        refused = catalog.load_function(id, expect=404)
        assert refused.type == "NoSuchFunctionException"


@must("iceberg.function.load.namespace_missing", operations=LOAD, clause="load-function-not-found", kind="error")
def test_function_of_a_missing_namespace(catalog: IcebergCatalog) -> None:
    """A function of a namespace that does not exist is 404, and the type names the function or the namespace."""
    refused = catalog.load_function((*catalog.missing_namespace(), "f"), expect=404)
    assert refused.type in {"NoSuchFunctionException", "NoSuchNamespaceException"}


@may("iceberg.function.load.location", operations=LOAD, clause="load-function-location")
def test_location_of_a_function(catalog: IcebergCatalog) -> None:
    """The answer says where the metadata file of a function is."""
    for answer in _functions(catalog):
        assert answer.get("metadata-location")


@must("iceberg.function.current", operations=LOAD, clause="function-current")
def test_current_versions(catalog: IcebergCatalog) -> None:
    """The current version of each overload is among its versions."""
    for one in _definitions(catalog):
        assert one["current-version-id"] in {version["version-id"] for version in one["versions"]}


@must("iceberg.function.definition_id", operations=LOAD, clause="function-definition-id")
def test_ids_of_overloads(catalog: IcebergCatalog) -> None:
    """The id of an overload is its parameter types, joined by commas without spaces, and no two are the same."""
    for answer in _functions(catalog):
        definitions = answer["metadata"]["definitions"]
        ids = [one["definition-id"] for one in definitions]
        assert _doubled(ids) == []
        assert [id for id in ids if " " in id] == []
        for one in definitions:
            types = [parameter["type"] for parameter in one["parameters"]]
            if all(isinstance(type, str) for type in types):  # how nested ones are written is said nowhere
                assert one["definition-id"] == ",".join(types)


@must("iceberg.function.specific_name", operations=LOAD, clause="function-specific-name")
def test_specific_names(catalog: IcebergCatalog) -> None:
    """No two overloads of a function have the same specific name."""
    for answer in _functions(catalog):
        names = [one["specific-name"] for one in answer["metadata"]["definitions"] if one.get("specific-name")]
        assert _doubled(names) == []


@must("iceberg.function.table", operations=LOAD, clause="function-table")
def test_table_functions(catalog: IcebergCatalog) -> None:
    """A table function returns a struct."""
    returned = [one["return-type"] for one in _definitions(catalog) if one["function-type"] == TABLE_FUNCTION]
    if not returned:
        raise Unoffered("the catalog shows no table function")
    assert [one for one in returned if isinstance(one, str) or one["type"] != "struct"] == []


@must("iceberg.function.type_text", operations=LOAD, clause="function-type-text")
def test_names_of_types(catalog: IcebergCatalog) -> None:
    """Names of types hold neither spaces nor quotes."""
    for one in _definitions(catalog):
        types = [one["return-type"], *(parameter["type"] for parameter in one["parameters"])]
        names = [name for type in types for name in _type_names(type)]
        assert [name for name in names if set(name) & set(" \"'")] == []
