"""replaceView: commits to views."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import equal, exactly, same_items, shows
from conformance.author.requirement import must, should
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.assertions import IMPOSSIBLE, POLICY, same_metadata, type_is
from conformance.iceberg.support.content import VIEW_SCHEMA, field, schema, sql, view_version
from conformance.iceberg.support.metadata import by_id, current_version
from conformance.iceberg.support.updates import LAST_ADDED, OTHER_UUID, add_schema, requirement, set_properties, update

REPLACE = ["replaceView"]
KEPT = ["iceberg.view.commit.kept"]  # where it fails, requirements on several versions say nothing new
METADATA, IDS = "the metadata of the view", "the version-ids of the versions"
TEXTS = "the representations of the current version"
NOT_THE_UUID = requirement("assert-view-uuid", uuid=OTHER_UUID)
OTHER_SCHEMA = schema(*VIEW_SCHEMA["fields"], field(3, "more", "double"))


def _replacement(namespace: Names, *texts: dict[str, Any], **version: Any) -> list[dict[str, Any]]:
    """Return the updates that add a version to a view and make it current."""
    added = view_version(namespace, *texts, **version)
    return [
        update("add-view-version", view_version=added),
        update("set-current-view-version", view_version_id=LAST_ADDED),
    ]


def _state(catalog: IcebergCatalog, id: Names) -> tuple[Any, Any]:
    answer = catalog.load_view(id)
    return answer["metadata-location"], answer["metadata"]


def _versions(metadata: dict[str, Any]) -> set[Any]:
    """Return the version-ids of the versions."""
    return {version["version-id"] for version in metadata["versions"]}


def _logged(metadata: dict[str, Any]) -> list[Any]:
    """Return the version-ids of the version-log."""
    return [entry["version-id"] for entry in metadata["version-log"]]


def _unchanged(catalog: IcebergCatalog, id: Names, before: tuple[Any, Any]) -> None:
    """Check that a view has the state that `_state` returned before, and accepts a valid commit."""
    location, metadata = _state(catalog, id)
    same_metadata(catalog, metadata, before[1], METADATA)
    equal(location, before[0], "the metadata-location of the view")
    catalog.control(lambda: catalog.replace_view(id, [set_properties(twin="1")]))


@must("iceberg.view.commit.answer", operations=REPLACE, clause="replace-view")
def test_answer_is_the_new_state(catalog: IcebergCatalog) -> None:
    """replaceView applies updates in order and returns the metadata that loadView then returns."""
    id = catalog.new_view()
    gone = update("remove-properties", removals=["a"])
    answer = catalog.replace_view(id, [set_properties(a="1", b="1"), gone, set_properties(b="2")])
    same_metadata(catalog, catalog.view_metadata(id), answer["metadata"], METADATA)
    properties = answer["metadata"]["properties"]
    equal(properties.get("a"), None, 'the property "a"')
    equal(properties.get("b"), "2", 'the property "b"')


@must("iceberg.view.commit.kept", operations=REPLACE, clause="replace-view-history")
def test_earlier_version_stays(catalog: IcebergCatalog) -> None:
    """A view version stays in the metadata when another one becomes current."""
    id = catalog.new_view()
    earlier = _versions(catalog.view_metadata(id))
    catalog.replace_view(id, _replacement(catalog.home, sql("SELECT 2 AS other"), id=2))
    exactly(_versions(catalog.view_metadata(id)), len(earlier) + 1, IDS)


@must("iceberg.view.commit.version", operations=REPLACE, clause="replace-view-version", needs=KEPT)
def test_version_is_replaced(catalog: IcebergCatalog) -> None:
    """add-view-version assigns an unused version-id, and set-current-view-version with -1 selects the last added."""
    id = catalog.new_view()
    earlier = _versions(catalog.view_metadata(id))
    for number, claimed in ((2, 1), (3, 17)):
        text = sql(f"SELECT {number}")
        metadata = catalog.replace_view(id, _replacement(catalog.home, text, id=claimed))["metadata"]
        exactly(_versions(metadata), len(earlier) + number - 1, IDS)
        shows(current_version(metadata)["representations"], [text], TEXTS)


@must("iceberg.view.commit.history", operations=REPLACE, clause="replace-view-history", needs=KEPT)
def test_history_grows(catalog: IcebergCatalog) -> None:
    """Every change of the current version is appended to version-log and keeps all versions, also when going back."""
    id = catalog.new_view()
    before = catalog.view_metadata(id)
    first = before["current-version-id"]
    second = catalog.replace_view(id, _replacement(catalog.home, sql("SELECT 2"), id=2))["metadata"][
        "current-version-id"
    ]
    back = [update("set-current-view-version", view_version_id=first)]
    metadata = catalog.replace_view(id, back)["metadata"]
    earlier = _logged(before)
    equal(_logged(metadata), [*earlier, second, first], "the version-ids of the version-log")
    same_items(_versions(metadata), {*_versions(before), second}, IDS)


@must("iceberg.view.commit.schema", operations=REPLACE, clause="replace-view-schema")
def test_schema_added_last(catalog: IcebergCatalog) -> None:
    """A view version with schema-id -1 refers to the schema added last in the same commit."""
    id = catalog.new_view()
    replaced = _replacement(catalog.home, sql("SELECT 1, 2, 3"), id=2, schema_id=LAST_ADDED)
    metadata = catalog.replace_view(id, [add_schema(OTHER_SCHEMA), *replaced])["metadata"]
    current = by_id(metadata["schemas"], "schema-id", current_version(metadata)["schema-id"])
    equal(
        [column["name"] for column in current["fields"]], ["id", "name", "more"], "the columns of the version's schema"
    )
    exactly([entry.get("schema-id") for entry in metadata["schemas"]], 2, "the schema-ids of the schemas")


@must("iceberg.view.commit.properties", operations=REPLACE, clause="replace-view-properties")
def test_properties_and_location(catalog: IcebergCatalog) -> None:
    """Changing properties or the location of a view adds no version and no version-log entry."""
    id = catalog.new_view()
    before = catalog.view_metadata(id)
    wanted = f"{before['location'].rstrip('/')}/moved"
    after = catalog.replace_view(id, [set_properties(a="1")])["metadata"]
    moved = catalog.replace_view(id, [update("set-location", location=wanted)], expect=(200, *POLICY))
    if moved.succeeded:
        after = moved["metadata"]
        equal(after["location"], wanted, "the location of the view")
    equal(after["properties"]["a"], "1", 'the property "a"')
    same_items(after["versions"], before["versions"], "the versions of the view")
    equal(after["version-log"], before["version-log"], "the version-log of the view")


@must("iceberg.view.commit.uuid_holds", operations=REPLACE, clause="replace-view-uuid")
def test_uuid_holds(catalog: IcebergCatalog) -> None:
    """replaceView applies a commit whose assert-view-uuid holds."""
    id = catalog.new_view()
    same = requirement("assert-view-uuid", uuid=catalog.view_metadata(id)["view-uuid"])
    catalog.replace_view(id, [set_properties(n="1")], [same])
    equal(catalog.view_metadata(id)["properties"]["n"], "1", 'the property "n"')


@should("iceberg.view.commit.uuid_case", operations=REPLACE, clause="replace-view-uuid-case")
def test_uuid_in_upper_case(catalog: IcebergCatalog) -> None:
    """assert-view-uuid accepts the view's UUID in upper case."""
    id = catalog.new_view()
    same = requirement("assert-view-uuid", uuid=catalog.view_metadata(id)["view-uuid"].upper())
    catalog.replace_view(id, [set_properties(n="1")], [same])


@must("iceberg.view.commit.uuid_fails", operations=REPLACE, clause="replace-view-uuid", kind="error")
def test_uuid_fails(catalog: IcebergCatalog) -> None:
    """replaceView returns 409 with type CommitFailedException when assert-view-uuid fails, and changes nothing."""
    id = catalog.new_view()
    before = _state(catalog, id)
    refused = catalog.replace_view(id, [set_properties(a="1")], [NOT_THE_UUID], expect=409)
    type_is(refused, "CommitFailedException")
    _unchanged(catalog, id, before)


@must("iceberg.view.commit.table", operations=REPLACE, clause="replace-view-not-found", kind="error")
def test_commit_to_a_table(catalog: IcebergCatalog) -> None:
    """replaceView on a table's name returns 404, and the table is unchanged."""
    table = catalog.new_table()
    before = catalog.metadata(table)
    catalog.replace_view(table, [set_properties(a="1")], expect=404)
    same_metadata(catalog, catalog.metadata(table), before, "the metadata of the table")


FOREIGN: dict[str, Any] = {
    "unknown": update("paint-it-black"),
    "add_spec": update("add-spec", spec={"spec-id": 1, "fields": []}),
    "remove_snapshots": update("remove-snapshots", snapshot_ids=[1]),
}


@must(
    "iceberg.view.commit.unknown_update.{}",
    operations=REPLACE,
    clause="replace-view-unknown",
    kind="error",
    each=FOREIGN,
)
def test_unknown_update(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """replaceView with an update that views do not support ({}) returns 400 and changes nothing."""
    id = catalog.new_view()
    before = _state(catalog, id)
    catalog.replace_view(id, [set_properties(a="1"), case], expect=400)
    _unchanged(catalog, id, before)


FOREIGN_REQUIREMENTS: dict[str, Any] = {
    "unknown": requirement("assert-moon-phase", phase="full"),
    "table_uuid": requirement("assert-table-uuid", uuid=OTHER_UUID),
    "create": requirement("assert-create"),
}


@must(
    "iceberg.view.commit.unknown_requirement.{}",
    operations=REPLACE,
    clause="assert-kind",
    kind="error",
    each=FOREIGN_REQUIREMENTS,
)
def test_unknown_requirement(catalog: IcebergCatalog, case: dict[str, Any]) -> None:
    """replaceView with a requirement that views do not support ({}) returns 400 (409 for one of tables): no change."""
    id = catalog.new_view()
    before = _state(catalog, id)
    unknown = case == FOREIGN_REQUIREMENTS["unknown"]
    catalog.replace_view(id, [set_properties(a="1")], [case], expect=400 if unknown else (400, 409))
    _unchanged(catalog, id, before)


INVALID: dict[str, Any] = {
    "unknown_version": [update("set-current-view-version", view_version_id=99)],
    "no_version_added": [update("set-current-view-version", view_version_id=LAST_ADDED)],
    "unknown_schema": [update("add-view-version", view_version=view_version(("n",), id=2, schema_id=99))],
    "doubled_dialect": [update("add-view-version", view_version=view_version(("n",), sql(), sql("SELECT 2"), id=2))],
}


@must(
    "iceberg.view.commit.invalid.{}",
    operations=REPLACE,
    clause="replace-view-refused-unchanged",
    kind="error",
    each=INVALID,
)
def test_refused_commit_changes_nothing(catalog: IcebergCatalog, case: list[dict[str, Any]]) -> None:
    """replaceView with an invalid update ({}) returns 400 or 409 and changes nothing."""
    id = catalog.new_view()
    before = _state(catalog, id)
    catalog.replace_view(id, [set_properties(a="1"), *case], expect=IMPOSSIBLE)
    _unchanged(catalog, id, before)


@should("iceberg.view.commit.uuid_stays", operations=REPLACE, clause="replace-view-reassign", kind="error")
def test_uuid_is_not_reassigned(catalog: IcebergCatalog) -> None:
    """Assigning another UUID to a view returns 400 or 409 and changes nothing."""
    id = catalog.new_view()
    before = _state(catalog, id)
    catalog.replace_view(id, [update("assign-uuid", uuid=OTHER_UUID)], expect=IMPOSSIBLE)
    _unchanged(catalog, id, before)


@should("iceberg.view.commit.dialect_dropped", operations=REPLACE, clause="replace-view-dialects", kind="error")
def test_dialect_is_not_dropped(catalog: IcebergCatalog) -> None:
    """A version that drops a dialect returns 400 or 409 unless the property replace.drop-dialect.allowed is true."""
    id = catalog.new_view()
    trino_alone = _replacement(catalog.home, sql("SELECT 1", "trino"), id=2)
    before = _state(catalog, id)
    catalog.replace_view(id, trino_alone, expect=IMPOSSIBLE)
    _unchanged(catalog, id, before)
    allowed = set_properties(**{"replace.drop-dialect.allowed": "true"})
    metadata = catalog.replace_view(id, [allowed, *trino_alone])["metadata"]
    dialects = [representation["dialect"] for representation in current_version(metadata)["representations"]]
    equal(dialects, ["trino"], "the dialects of the current version")


@should("iceberg.view.commit.history_size", operations=REPLACE, clause="replace-view-history-size", needs=KEPT)
def test_history_is_not_longer(catalog: IcebergCatalog) -> None:
    """With version.history.num-entries=2, a view keeps two versions, including the current one."""
    id = catalog.new_view(properties={"version.history.num-entries": "2"})
    for number in range(2, 6):
        catalog.replace_view(id, _replacement(catalog.home, sql(f"SELECT {number}"), id=number))
    metadata = catalog.view_metadata(id)
    exactly([version["version-id"] for version in metadata["versions"]], 2, IDS)
    shows(current_version(metadata)["representations"], [sql("SELECT 5")], TEXTS)
