"""Responses of creations and listings compared with the descriptions of the same objects."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, find, listed, shows
from conformance.author.requirement import should
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.locations import check_place
from conformance.lance.support.indexing import KINDS, new_index
from conformance.lance.support.ordinary import ordinary
from conformance.lance.support.versions import new_table_with_versions

OWNER = {"owner": "lakeproof"}
VERSION_FIELDS = ("version", "manifest_path", "manifest_size", "e_tag", "timestamp_millis")


@dataclass(frozen=True, slots=True)
class LanceCreation:
    """An operation that creates an object, the fields added to its plain request, and the description of the object.

    `fields` are those that the response and the description share.
    """

    id: str
    fields: tuple[str, ...]
    describe: Callable[[LanceCatalog, Names], Any]
    body: Mapping[str, Any]


def _table(catalog: LanceCatalog, id: Names) -> Any:
    return catalog.describe_table(id)


def _namespace(catalog: LanceCatalog, id: Names) -> Any:
    return catalog.describe_namespace(id)


CREATIONS = {
    "create_namespace": LanceCreation("CreateNamespace", ("properties",), _namespace, {"properties": OWNER}),
    "register_table": LanceCreation("RegisterTable", ("location",), _table, {}),
    "create_table": LanceCreation("CreateTable", ("location", "version", "properties"), _table, {}),
    "declare_table": LanceCreation("DeclareTable", ("location", "properties"), _table, {"properties": OWNER}),
    "create_empty_table": LanceCreation("CreateEmptyTable", ("location", "properties"), _table, {"properties": OWNER}),
}


@should("lance.description.{}", clause="answers-agree", each=CREATIONS)
def test_creation_is_described_alike(catalog: LanceCatalog, case: LanceCreation) -> None:
    """The response of {} has the values that the description of the created object has."""
    request = ordinary(catalog, case.id)
    if case.body:
        request = request.with_body(**case.body)
    answer = request.send(catalog, case.id, expect=catalog.successes(case.id))
    described = case.describe(catalog, tuple(request.id or ()))
    for field in case.fields:
        shown = described.get(field)
        if isinstance(shown, dict):  # a server may add properties of its own
            own = {name: shown.get(name) for name in case.body.get(field, ())}
            shows(answer.get(field), own, f"the {field} of the answer")
        elif field == "location":
            check_place(answer.get(field), shown, "the location of the answer", of="the object")
        elif shown is not None:
            equal(answer.get(field), shown, f"the {field} of the answer")


@should("lance.description.managed", operations=["DeclareTable"], clause="answers-agree")
def test_declaration_tells_who_manages_versions(catalog: LanceCatalog) -> None:
    """DeclareTable returns the managed_versioning that DescribeTable returns, false and none being the same."""
    request = ordinary(catalog, "DeclareTable")
    answer = request.send(catalog, "DeclareTable", expect=200)
    described = catalog.describe_table(tuple(request.id or ())).get("managed_versioning")
    equal(bool(answer.get("managed_versioning")), bool(described), "the managed_versioning of the answer")


@should("lance.description.list_table_versions", operations=["ListTableVersions"], clause="answers-agree")
def test_versions_are_listed_as_they_are_described(catalog: LanceCatalog) -> None:
    """ListTableVersions and DescribeTableVersion return the same values for every version."""
    id = new_table_with_versions(catalog)
    for version in listed(catalog.list_table_versions(id)["versions"], "the listed versions"):
        described = catalog.describe_table_version(id, version=version["version"])["version"]
        _same_version(version, described, "of the listed version")


@should("lance.description.create_table_version", operations=["CreateTableVersion"], clause="answers-agree")
def test_version_is_created_as_it_is_described(catalog: LanceCatalog) -> None:
    """CreateTableVersion and DescribeTableVersion return the same values for a new version."""
    request = ordinary(catalog, "CreateTableVersion").with_body(e_tag="a-tag")
    made = request.send(catalog, "CreateTableVersion", expect=200)["version"]
    described = catalog.describe_table_version(tuple(request.id or ()), version=request.body["version"])["version"]
    _same_version(made, described, "of the answer")


def _same_version(version: Any, described: Any, of: str) -> None:
    for field in VERSION_FIELDS:
        if described.get(field) is not None:
            equal(version.get(field), described.get(field), f"the {field} {of}")


@should("lance.description.list_table_indices", operations=["ListTableIndices"], clause="answers-agree")
def test_indices_are_listed_with_their_columns(catalog: LanceCatalog) -> None:
    """ListTableIndices returns the column of an index and no other column."""
    id = catalog.new_table()
    new_index(catalog, id, KINDS["btree"], "idx", column="name")
    indexes = listed(catalog.list_table_indices(id)["indexes"], "the listed indices")
    index = find(indexes, lambda entry: entry["index_name"] == "idx", "the index")
    equal(index["columns"], ["name"], "the columns of the index")
