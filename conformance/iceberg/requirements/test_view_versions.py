"""Versions of views: stored whole, with schema ids that the server assigns, and forgotten with the view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.author.checks import equal, exactly, shows, unequal
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import IMPOSSIBLE, POLICY
from conformance.iceberg.support.content import VIEW_SCHEMA, field, schema, sql, view_body, view_version
from conformance.iceberg.support.metadata import Metadata, by_id, comparable, current_version, properties_of
from conformance.iceberg.support.updates import LAST_ADDED, Updates, add_schema, set_properties, update
from conformance.iceberg.worlds import all_but
from conformance.values.outcomes import Unoffered

REPLACE = ["replaceView"]
KEPT = ["iceberg.view.commit.kept"]
USE = update("set-current-view-version", view_version_id=LAST_ADDED)
WIDER = schema(*VIEW_SCHEMA["fields"], field(3, "more", "double"))
TEXTS = [sql("SELECT id, 'ü \" \\ '\nFROM t"), sql("SELECT `id` FROM t", "trino"), sql("SELECT 1", "duckdb")]


def _columns(metadata: Metadata, version: Metadata) -> list[str]:
    """Return the columns of the schema to which a version refers."""
    found = by_id(metadata["schemas"], "schema-id", version["schema-id"])
    return [column["name"] for column in found["fields"]]


def _version(namespace: Names) -> dict[str, Any]:
    """Return a version with every field of the document, and with several texts."""
    return {**view_version((*namespace, "other"), *TEXTS, id=2), "default-catalog": "elsewhere"}


PARTS = {
    "representations": lambda version: comparable(version)["representations"],
    "default_namespace": lambda version: version.get("default-namespace"),
    "default_catalog": lambda version: version.get("default-catalog"),
}


@must("iceberg.view.commit.stored.{}", operations=REPLACE, clause="view-version-stored", each=PARTS)
def test_version_is_stored(catalog: IcebergCatalog, case: Callable[[Metadata], Any]) -> None:
    """loadView returns the {} of a version that replaceView added as sent."""
    id, sent = catalog.new_view(), _version(catalog.home)
    catalog.replace_view(id, [update("add-view-version", view_version=sent), USE])
    shows(case(current_version(catalog.view_metadata(id))), case(sent), "what loadView shows of the version")


@should("iceberg.view.commit.stored.summary", operations=REPLACE, clause="view-stored-summary")
def test_summary_is_stored(catalog: IcebergCatalog) -> None:
    """loadView returns the summary of a version that replaceView added as sent."""
    id = catalog.new_view()
    sent = {**_version(catalog.home), "summary": {"engine-name": "lakeproof", "engine-version": "1.0 ü"}}
    catalog.replace_view(id, [update("add-view-version", view_version=sent), USE])
    shows(current_version(catalog.view_metadata(id))["summary"], sent["summary"], "the summary of the version")


@must("iceberg.view.commit.earlier", operations=REPLACE, clause="replace-view-history", needs=KEPT)
def test_earlier_version_is_unchanged(catalog: IcebergCatalog) -> None:
    """After replaceView made another version current, the earlier one has its texts, schema and namespace as before."""
    id = catalog.new_view()
    before = catalog.view_metadata(id)
    first = current_version(before)
    updates = [add_schema(WIDER), _with_schema(_version(catalog.home), LAST_ADDED), USE]
    catalog.replace_view(id, updates)
    after = catalog.view_metadata(id)
    same = by_id(after["versions"], "version-id", first["version-id"])
    equal(comparable(same), comparable(first), "the first version afterwards")
    equal(_columns(after, same), _columns(before, first), "the columns of the first version")
    equal(_columns(after, current_version(after)), ["id", "name", "more"], "the columns of the current version")


def _with_schema(version: dict[str, Any], id: int) -> dict[str, Any]:
    return update("add-view-version", view_version={**version, "schema-id": id})


# Schema ids

CLAIMED: dict[str, tuple[Any, int]] = {"alike": (7, 7), "first": (1, 1), "absent": (None, 0)}


@must("iceberg.view.create.schema_id.{}", operations=["createView"], clause="create-view-schema-id", each=CLAIMED)
def test_schema_id_of_a_new_view(catalog: IcebergCatalog, case: tuple[Any, int]) -> None:
    """The version of a new view refers to the requested schema, whatever schema-id the request claims ({})."""
    claimed, named = case
    body = view_body(catalog.home)
    body["schema"] = VIEW_SCHEMA if claimed is None else {**VIEW_SCHEMA, "schema-id": claimed}
    body["view-version"]["schema-id"] = named
    id = catalog.table_id("v")
    if not catalog.create_view(id, **body, expect=200 if claimed is None else (200, *POLICY)).succeeded:
        raise Unoffered("the server refuses the schema-id of the request")
    metadata = catalog.view_metadata(id)
    equal(_columns(metadata, current_version(metadata)), ["id", "name"], "the columns of the version's schema")


@dataclass(frozen=True, slots=True)
class SchemaClaim:
    """Updates of a view with a schema id, in words, and the columns that are due for the new version.

    `read_only` marks those that claim an id for a new schema, which a server may reject.
    """

    id: str
    updates: Callable[[dict[str, Any], int], Updates]
    columns: list[str]
    read_only: bool = False


def _claiming(schema_id: int) -> dict[str, Any]:
    return add_schema({**WIDER, "schema-id": schema_id})


SCHEMA_CLAIMS = {
    "existing": SchemaClaim(
        "the id of the first schema", lambda version, first: [_with_schema(version, first)], ["id", "name"]
    ),
    "existing_beside_new": SchemaClaim(
        "the id of the first schema beside a new one",
        lambda version, first: [add_schema(WIDER), _with_schema(version, first)],
        ["id", "name"],
    ),
    "claimed": SchemaClaim(
        "the id that the added schema claims",
        lambda version, _: [_claiming(19), _with_schema(version, 19)],
        ["id", "name", "more"],
        read_only=True,
    ),
    "last_of_claimed": SchemaClaim(
        "-1 after a schema with a claimed id",
        lambda version, _: [_claiming(19), _with_schema(version, LAST_ADDED)],
        ["id", "name", "more"],
        read_only=True,
    ),
    "last_of_two": SchemaClaim(
        "-1 after two schemas",
        lambda version, _: [
            add_schema(schema(*WIDER["fields"], field(4, "most"))),
            add_schema(WIDER),
            _with_schema(version, LAST_ADDED),
        ],
        ["id", "name", "more"],
    ),
}


@must("iceberg.view.commit.schema_id.{}", operations=REPLACE, clause="replace-view-schema", each=SCHEMA_CLAIMS)
def test_schema_id_of_a_version(catalog: IcebergCatalog, case: SchemaClaim) -> None:
    """A view version with {} refers to that schema; a claimed id may be rejected, which changes nothing."""
    id = catalog.new_view()
    before = catalog.view_metadata(id)
    version = view_version(catalog.home, sql("SELECT 2"), id=2)
    updates = [*case.updates(version, current_version(before)["schema-id"]), USE]
    made = catalog.replace_view(id, updates, expect=(200, *IMPOSSIBLE) if case.read_only else 200)
    after = catalog.view_metadata(id)
    if made.succeeded:
        equal(_columns(after, current_version(after)), case.columns, "the columns of the current version")
    else:
        equal(after["current-version-id"], before["current-version-id"], "the current-version-id")
        equal(len(after["schemas"]), len(before["schemas"]), "the number of schemas")


@must("iceberg.view.drop.forgotten", operations=["dropView", "createView"], clause="drop-view")
def test_dropped_view_is_forgotten(catalog: IcebergCatalog) -> None:
    """A new view under a dropped view's name has a UUID, one version, a schema and properties of its own."""
    id = catalog.new_view(properties={"a": "1"})
    with catalog.client.preparing():
        catalog.replace_view(id, [add_schema(WIDER), _with_schema(_version(catalog.home), LAST_ADDED), USE])
    former = catalog.view_metadata(id)["view-uuid"]
    catalog.drop_view(id)
    catalog.create_view(id, **view_body(catalog.home))
    metadata = catalog.view_metadata(id)
    unequal(metadata["view-uuid"], former, "the view-uuid")
    equal(properties_of(metadata).get("a"), None, 'the property "a"')
    for name in ("versions", "schemas", "version-log"):
        exactly(metadata[name], 1, name)
    equal(_columns(metadata, current_version(metadata)), ["id", "name"], "the columns of the version's schema")


@must(
    "iceberg.view.commit.log_time",
    operations=REPLACE,
    clause="view-metadata-log",
    world=all_but(view=("replaced",)),  # a version of before comes back with its time
)
def test_version_log_goes_on(catalog: IcebergCatalog) -> None:
    """replaceView adds to version-log behind the entries before, whose ids and times stay."""
    id = catalog.new_view()
    before = catalog.view_metadata(id)["version-log"]
    for number in (2, 3):
        added = view_version(catalog.home, sql(f"SELECT {number}"), id=number)
        catalog.replace_view(id, [update("add-view-version", view_version=added), USE])
    catalog.replace_view(id, [set_properties(a="1")])
    log = catalog.view_metadata(id)["version-log"]
    equal(log[:1], before, "the first entry of the version-log")
    exactly([entry["version-id"] for entry in log], 3, "the version-ids of the version-log")
