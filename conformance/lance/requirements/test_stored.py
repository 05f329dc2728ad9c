"""Stored properties, versions and details, and their values in later responses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from conformance.author.checks import contains, equal, exactly, holds, keyed, lacks, one_of, shows
from conformance.author.requirement import must, should
from conformance.author.strategies import tables
from conformance.http.answers import Answer
from conformance.lance.catalog import LanceCatalog, Names
from conformance.lance.locations import check_place
from conformance.lance.support.arrow import stream
from conformance.lance.support.columns import schema_of
from conformance.lance.support.indexing import all_indices
from conformance.lance.support.ordinary import ordinary
from conformance.lance.support.staging import stage
from conformance.lance.support.versions import new_table_with_versions, new_tagged, new_transaction, numbers
from conformance.values.outcomes import Unoffered

OWNER = {"owner": "somebody"}
ODD = {
    "": "the key is empty",
    "empty": "",
    "two words": " around ",
    "größe ✓": "数据 🚀",
    "dots.and$delimiters/slashes": "a.b$c/d",
    'quotes"\\': 'it\'s "quoted" \\ and\nlines\tand tabs',
    "null": "null",
    "json": '{"a": [1, true, null]}',
    "long": "x" * 10_000,
}


def _kept(answer: Answer, sent: dict[str, str], what: str) -> None:
    """Check the properties of a response; a server may add its own."""
    properties = answer.get("properties") or {}
    contains(properties, sent, what)
    equal({key: properties[key] for key in sent}, sent, what)


def _require_kept(answer: Answer) -> None:
    """Raise Unoffered when an object created with the properties OWNER is described without them."""
    if OWNER.items() - (answer.get("properties") or {}).items():
        raise Unoffered("the server keeps no properties here")


# Properties with unusual keys and values


@should("lance.namespace.properties.odd", operations=["CreateNamespace"], clause="create-namespace-properties")
def test_odd_properties_of_namespace(catalog: LanceCatalog) -> None:
    """CreateNamespace stores properties with unusual keys and values, and DescribeNamespace returns them."""
    _require_kept(catalog.describe_namespace(catalog.new_namespace("plain", properties=OWNER)))
    id = catalog.new_namespace(properties=ODD)
    _kept(catalog.describe_namespace(id), ODD, "the properties of the namespace")


@should("lance.table.properties.odd", operations=["DeclareTable"], clause="table-properties")
def test_odd_properties_of_table(catalog: LanceCatalog) -> None:
    """DeclareTable stores properties with unusual keys and values, and DescribeTable returns them."""
    _require_kept(catalog.describe_table(catalog.new_declared_table("plain", properties=OWNER)))
    id = catalog.new_declared_table(properties=ODD)
    _kept(catalog.describe_table(id), ODD, "the properties of the table")


@should("lance.table.properties.stay", operations=["InsertIntoTable", "DescribeTable"], clause="table-properties")
def test_properties_stay(catalog: LanceCatalog) -> None:
    """InsertIntoTable on a declared table keeps the properties of the table."""
    id = catalog.new_declared_table(properties=OWNER)
    _require_kept(catalog.describe_table(id))
    catalog.insert_into_table(id, stream(tables(1)))
    _kept(catalog.describe_table(id), OWNER, "the properties of the table")


@must("lance.metadata.update.odd", operations=["UpdateTableSchemaMetadata"], clause="schema-metadata")
def test_odd_schema_metadata(catalog: LanceCatalog) -> None:
    """UpdateTableSchemaMetadata stores unusual keys and values, and DescribeTable returns them."""
    id = catalog.new_table()
    shows(catalog.update_table_schema_metadata(id, ODD).json, ODD, "the metadata of the answer")
    shows(schema_of(catalog, id).get("metadata"), ODD, "the metadata of the schema")


@must("lance.transaction.alter.odd", operations=["AlterTransaction"], clause="alter-transaction-properties")
def test_odd_properties_of_transaction(catalog: LanceCatalog) -> None:
    """AlterTransaction stores properties with unusual keys and values, and DescribeTransaction returns them."""
    id = new_transaction(catalog)
    sent = {key: value for key, value in ODD.items() if key}
    actions = [{"setPropertyAction": {"key": key, "value": value}} for key, value in sent.items()]
    _kept(catalog.alter_transaction(id, actions=actions), sent, "the properties of the answer")
    _kept(catalog.describe_transaction(id), sent, "the properties of the transaction")


# Objects without properties, on servers that store properties


@should("lance.namespace.properties.none", operations=["CreateNamespace"], clause="properties-none")
def test_namespace_without_properties(catalog: LanceCatalog) -> None:
    """For a namespace without properties, DescribeNamespace returns an empty properties object."""
    _require_kept(catalog.describe_namespace(catalog.new_namespace("other", properties=OWNER)))
    id = catalog.namespace_id()
    contains(catalog.create_namespace(id).json, ["properties"], "the fields of the answer to the creation")
    equal(catalog.describe_namespace(id).get("properties"), {}, "the properties of the description")


@should("lance.table.properties.none", operations=["DescribeTable"], clause="properties-none")
def test_table_without_properties(catalog: LanceCatalog) -> None:
    """For a table without properties, DescribeTable returns an empty properties object."""
    _require_kept(catalog.describe_table(catalog.new_declared_table("other", properties=OWNER)))
    equal(catalog.describe_table(catalog.new_declared_table()).get("properties"), {}, "the properties of the table")


# Responses of drops, deregistrations and creations


@should("lance.namespace.drop.properties", operations=["DropNamespace"], clause="answer-properties")
def test_dropped_properties(catalog: LanceCatalog) -> None:
    """DropNamespace returns the properties of the dropped namespace."""
    id = catalog.new_namespace(properties=OWNER)
    _require_kept(catalog.describe_namespace(id))
    _kept(catalog.drop_namespace(id), OWNER, "the properties of the answer")


LAST_WORDS: dict[str, tuple[str, Callable[[LanceCatalog, Names], Answer]]] = {
    "drop": ("DropTable", lambda catalog, id: catalog.drop_table(id)),
    "deregister": ("DeregisterTable", lambda catalog, id: catalog.deregister_table(id)),
}


def _operation(case: tuple[str, Any]) -> list[str]:
    return [case[0]]


@should("lance.table.{}.properties_told", operations=_operation, clause="answer-properties", each=LAST_WORDS)
def test_last_properties(catalog: LanceCatalog, case: tuple[str, Callable[..., Answer]]) -> None:
    """A request to {} a table returns the properties that the table had."""
    id = catalog.new_declared_table(properties=OWNER)
    _require_kept(catalog.describe_table(id))
    _kept(case[1](catalog, id), OWNER, "the properties of the answer")


@should("lance.table.{}.told", operations=_operation, clause="answer-names-table", each=LAST_WORDS)
def test_last_location(catalog: LanceCatalog, case: tuple[str, Callable[..., Answer]]) -> None:
    """A request to {} a table returns its id, and the location that DescribeTable had."""
    id = catalog.new_table()
    location = catalog.describe_table(id)["location"]
    answer = case[1](catalog, id)
    equal(answer.get("id"), list(id), "the id in the answer")
    check_place(answer.get("location"), location, "the location in the answer")


@should("lance.table.create.told", operations=["CreateTable"], clause="answer-names-table")
def test_created_location(catalog: LanceCatalog) -> None:
    """CreateTable returns the location and the version that DescribeTable returns."""
    id = catalog.table_id()
    answer = catalog.create_table(id, stream(tables(1)))
    described = catalog.describe_table(id, _query={"load_detailed_metadata": True})
    check_place(answer.get("location"), described["location"], "the location in the answer")
    equal(answer.get("version"), described["version"], "the version in the answer")


@should("lance.table.register.properties", operations=["RegisterTable"], clause="register-properties")
def test_registered_properties(catalog: LanceCatalog) -> None:
    """RegisterTable with properties stores and returns them, and DescribeTable returns them too."""
    _require_kept(catalog.describe_table(catalog.new_declared_table("other", properties=OWNER)))
    request = ordinary(catalog, "RegisterTable").with_body(properties=OWNER)
    answer = request.send(catalog, "RegisterTable", expect=200)
    _kept(answer, OWNER, "the properties of the answer")
    _kept(catalog.describe_table(request.id or ()), OWNER, "the properties of the table")


# Remains of a table replaced in mode Overwrite


@must("lance.table.create.overwrite_tags", operations=["CreateTable"], clause="create-table-mode-overwrite")
def test_overwritten_tags(catalog: LanceCatalog) -> None:
    """CreateTable in mode Overwrite leaves none of the tags of the replaced table."""
    id, _, _ = new_tagged(catalog)
    catalog.create_table(id, stream(tables(1)), mode="Overwrite")
    equal(catalog.list_table_tags(id)["tags"], {}, "the tags of the new table")


@must("lance.table.create.overwrite_indices", operations=["CreateTable"], clause="create-table-mode-overwrite")
def test_overwritten_indices(catalog: LanceCatalog) -> None:
    """CreateTable in mode Overwrite leaves none of the indices of the replaced table."""
    id = ordinary(catalog, "DescribeTableIndexStats").id or ()
    catalog.create_table(id, stream(tables(1)), mode="Overwrite")
    equal(all_indices(catalog, id), [], "the indices of the new table")


@must("lance.table.create.overwrite_versions", operations=["CreateTable"], clause="create-table-new")
def test_overwritten_versions(catalog: LanceCatalog) -> None:
    """CreateTable in mode Overwrite leaves a table with the versions of a new one, none of the replaced table."""
    id, twin = new_table_with_versions(catalog), catalog.table_id("twin")
    with catalog.client.preparing():
        catalog.create_table(twin, stream(tables(1)))
        new = numbers(catalog, twin)
    catalog.create_table(id, stream(tables(1)), mode="Overwrite")
    exactly(numbers(catalog, id), len(new), "the versions of the new table")


@must("lance.table.create.overwrite_properties", operations=["CreateTable"], clause="create-table-new")
def test_overwritten_properties(catalog: LanceCatalog) -> None:
    """CreateTable in mode Overwrite leaves none of the properties of the replaced table."""
    id = catalog.new_declared_table(properties=OWNER)
    catalog.insert_into_table(id, stream(tables(1)))
    _require_kept(catalog.describe_table(id))
    catalog.create_table(id, stream(tables(1)), mode="Overwrite")
    lacks(catalog.describe_table(id).get("properties") or {}, OWNER, "the properties of the new table")


# Descriptions

DETAILS = ("table", "namespace", "version", "schema", "stats", "metadata")


@should("lance.table.describe.plain", operations=["DescribeTable"], clause="describe-detailed-only", reads=True)
def test_plain_description(catalog: LanceCatalog) -> None:
    """DescribeTable with load_detailed_metadata=false returns none of the detailed fields."""
    id = catalog.new_table()
    answer = catalog.describe_table(id, _query={"load_detailed_metadata": False})
    equal([name for name in DETAILS if answer.get(name) is not None], [], "the detailed fields that are told")


@must("lance.table.describe.stats", operations=["DescribeTable"], clause="describe-stats")
def test_described_stats(catalog: LanceCatalog) -> None:
    """DescribeTable returns stats with deleted rows, and with as many fragments as GetTableStats."""
    id = catalog.new_table(rows=3)
    detailed = {"load_detailed_metadata": True}
    before = catalog.describe_table(id, _query=detailed)["stats"]
    equal(before["num_deleted_rows"], 0, "the num_deleted_rows before the deletion")
    fragments = catalog.get_table_stats(id)["fragment_stats"]["num_fragments"]
    equal(before["num_fragments"], fragments, "the num_fragments, beside those of GetTableStats")
    catalog.delete_from_table(id, "id = 1")
    after = catalog.describe_table(id, _query=detailed)["stats"]
    one_of(after["num_deleted_rows"], (0, 1), "the num_deleted_rows, unless the rows were written anew")


# Versions


@must("lance.version.describe.as_listed", operations=["DescribeTableVersion"], clause="version-record")
def test_described_as_listed(catalog: LanceCatalog) -> None:
    """DescribeTableVersion returns all the values that ListTableVersions returns for the version."""
    id = new_table_with_versions(catalog)
    for listed in catalog.list_table_versions(id)["versions"]:
        described = catalog.describe_table_version(id, version=listed["version"])["version"]
        fields = {key: value for key, value in listed.items() if value is not None}
        equal({key: described.get(key) for key in fields}, fields, f"the version {listed['version']}")


@should("lance.version.create.whole", operations=["CreateTableVersion"], clause="create-version-told")
def test_created_version_is_told_whole(catalog: LanceCatalog) -> None:
    """CreateTableVersion returns the version as DescribeTableVersion does, with its manifest_size and metadata."""
    id = catalog.new_table()
    staged = stage(catalog, id)
    made = catalog.create_table_version(id, **staged, metadata={"writer": "a client"}).get("version")
    _same_version(catalog, id, made, staged)
    equal(made.get("metadata"), {"writer": "a client"}, "the metadata in the answer")


@should("lance.version.batch_create.whole", operations=["BatchCreateTableVersions"], clause="create-version-told")
def test_versions_of_a_batch_are_told_whole(catalog: LanceCatalog) -> None:
    """BatchCreateTableVersions returns each version as DescribeTableVersion does, with its manifest_size."""
    ids = [catalog.new_table(name) for name in ("a", "b")]
    staged = [stage(catalog, id) for id in ids]
    entries = [{"id": id, **body} for id, body in zip(ids, staged, strict=True)]
    made = exactly(catalog.batch_create_table_versions(entries=entries)["versions"], 2, "the versions of the answer")
    for id, version, answered in zip(ids, staged, made, strict=True):
        _same_version(catalog, id, answered, version)


def _same_version(catalog: LanceCatalog, id: Names, made: Any, staged: dict[str, Any]) -> None:
    described = catalog.describe_table_version(id, version=staged["version"])["version"]
    holds(isinstance(made, dict), "the answer has the version as an object")
    fields = {key: value for key, value in made.items() if value is not None}
    equal({key: described.get(key) for key in fields}, fields, "the described version, beside the one in the answer")
    equal(fields.get("manifest_size"), staged["manifest_size"], "the manifest_size in the answer")


@should("lance.version.delete.counted", operations=["BatchDeleteTableVersions"], clause="delete-versions-told")
def test_deleted_versions_are_counted(catalog: LanceCatalog) -> None:
    """BatchDeleteTableVersions returns a deleted_count, 0 when no version is in a range."""
    id = new_table_with_versions(catalog)
    first = numbers(catalog, id)[0]
    nothing = [{"start_version": 9000, "end_version": 9001}]
    equal(catalog.batch_delete_table_versions(id, ranges=nothing).get("deleted_count"), 0, "the deleted_count")
    some = [{"start_version": first, "end_version": first + 1}]
    equal(catalog.batch_delete_table_versions(id, ranges=some).get("deleted_count"), 1, "the deleted_count")
    equal(catalog.batch_delete_table_versions(id, ranges=some).get("deleted_count"), 0, "the deleted_count afterwards")


@must("lance.tag.list.whole", operations=["ListTableTags"], clause="list-tags")
def test_sizes_of_tags(catalog: LanceCatalog) -> None:
    """ListTableTags returns the manifestSize of each tag, the manifest_size of its version where versions have one."""
    id, first, _ = new_tagged(catalog)
    versions = keyed(catalog.list_table_versions(id)["versions"], "version")
    contains(versions, [first], "the listed versions")
    size = versions[first].get("manifest_size")
    tags = catalog.list_table_tags(id)["tags"]
    contains(tags, ["old"], "the listed tags")
    equal(tags["old"]["version"], first, "the version of the tag old")
    equal(tags["old"]["manifestSize"], tags["old"]["manifestSize"] if size is None else size, "the manifestSize")
