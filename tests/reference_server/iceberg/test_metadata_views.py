"""Views: new ones, their updates, and documents from outside."""

from __future__ import annotations

import copy

import pytest

from reference_server.iceberg.metadata.errors import (
    InvalidMetadata,
    InvalidRequirement,
    InvalidUpdate,
    RequirementFailed,
)
from reference_server.iceberg.metadata.requirements import check_view_requirements
from reference_server.iceberg.metadata.view_documents import read_view
from reference_server.iceberg.metadata.views import new_view, update_view

NOW = 1_700_000_000_000
UUID = "f79c3e09-677c-4bbd-a479-3f349cb785e7"


def schema(*names, id=0):
    fields = [{"id": count, "name": name, "required": False, "type": "long"} for count, name in enumerate(names, 1)]
    return {"type": "struct", "schema-id": id, "fields": fields}


def version(*dialects, id=1, schema_id=0, sql="select 1", at=NOW):
    texts = [{"type": "sql", "sql": sql, "dialect": dialect} for dialect in dialects or ("spark",)]
    rest = {"summary": {"engine-name": "e"}, "default-namespace": ["ns"], "representations": texts}
    return {"version-id": id, "schema-id": schema_id, "timestamp-ms": at, **rest}


def view(*dialects, **properties):
    request = {"schema": schema("a", id=5), "view-version": version(*dialects, id=9, schema_id=5)}
    return new_view({**request, "properties": properties}, location="s3://b/v", uuid=UUID, now=NOW)


def add(*dialects, **more):
    return {"action": "add-view-version", "view-version": version(*dialects, **more)}


def use(id=-1):
    return {"action": "set-current-view-version", "view-version-id": id}


def put(**properties):
    updates = {key.replace("_", "."): value for key, value in properties.items()}
    return {"action": "set-properties", "updates": updates}


def replaced(base, count, **more):
    for number in range(count):
        base = update_view(base, [add(sql=f"select {number + 2}", at=NOW + number + 1, **more), use()], now=NOW + 99)
    return base


def ids(metadata, key="versions", id_key="version-id"):
    return [entry[id_key] for entry in metadata[key]]


def test_a_new_view_has_version_1_and_schema_0():
    metadata = view("spark", "trino", owner="me")
    assert metadata["versions"] == [version("spark", "trino")]
    assert metadata["schemas"] == [schema("a")]
    assert metadata["version-log"] == [{"version-id": 1, "timestamp-ms": NOW}]
    assert (metadata["current-version-id"], metadata["format-version"], metadata["view-uuid"]) == (1, 1, UUID)
    assert (metadata["location"], metadata["properties"]) == ("s3://b/v", {"owner": "me"})
    assert read_view(metadata) == metadata


@pytest.mark.parametrize(
    "change",
    [
        {"view-version": version("spark", "SPARK")},
        {"view-version": {**version(), "representations": []}},
        {"view-version": {**version(), "representations": [{"type": "python"}]}},
        {"view-version": {**version(), "representations": [{"type": "sql", "sql": "select 1"}]}},
        {"view-version": {**version(), "summary": {"a": 1}}},
        {"view-version": None},
        {"schema": None},
        {"properties": {"version.history.num-entries": "0"}},
        {"properties": {"a": 1}},
    ],
)
def test_what_makes_no_view(change):
    request = {"schema": schema("a"), "view-version": version(), "properties": {}, **change}
    with pytest.raises(InvalidMetadata):
        new_view(request, location="s3://b/v", uuid=UUID, now=NOW)


def test_a_view_needs_a_location():
    with pytest.raises(InvalidMetadata):
        new_view({"schema": schema("a"), "view-version": version()}, location="", uuid=UUID, now=NOW)


def test_a_version_is_added_with_the_schema_that_was_added_before_it():
    updates = [{"action": "add-schema", "schema": schema("a", "b", id=0)}, add(schema_id=-1, at=NOW + 5), use()]
    updated = update_view(view(), updates, now=NOW + 9)
    assert ids(updated, "schemas", "schema-id") == [0, 1]
    assert (ids(updated), updated["versions"][1]["schema-id"], updated["current-version-id"]) == ([1, 2], 1, 2)
    assert updated["version-log"][-1] == {"version-id": 2, "timestamp-ms": NOW + 5}


def test_the_same_schema_and_version_are_found_again():
    base = replaced(view(), 1)
    updated = update_view(base, [{"action": "add-schema", "schema": schema("a", id=8)}, add(id=7, at=NOW + 8)], now=NOW)
    assert updated is base
    back = update_view(base, [use(1)], now=NOW + 50)
    assert ids(back) == [1, 2]
    assert back["version-log"][-1] == {"version-id": 1, "timestamp-ms": NOW + 50}


def test_minus_one_stands_for_a_version_and_a_schema_that_were_there():
    base = replaced(view(), 1)
    back = update_view(base, [add(at=NOW + 8), use()], now=NOW + 50)
    assert (ids(back), back["current-version-id"]) == ([1, 2], 1)
    assert back["version-log"][-1] == {"version-id": 1, "timestamp-ms": NOW + 50}
    known = {"action": "add-schema", "schema": schema("a", id=8)}
    assert update_view(base, [known, add(schema_id=-1, sql="select 2"), use()], now=NOW) is base
    other = update_view(base, [known, add(schema_id=-1, sql="select 3"), use()], now=NOW)
    assert (ids(other), other["versions"][2]["schema-id"], other["current-version-id"]) == ([1, 2, 3], 0, 3)


def test_the_log_gets_one_entry_for_a_commit():
    updated = update_view(view(), [add(sql="2"), use(), add(sql="3"), use()], now=NOW)
    assert ids(updated) == [1, 2, 3]
    assert ids(updated, "version-log") == [1, 3]


def test_as_many_versions_are_kept_as_the_view_wants():
    assert ids(replaced(view(), 11)) == list(range(3, 13))
    short = replaced(view(**{"version.history.num-entries": "2"}), 4)
    assert ids(short) == ids(short, "version-log") == [4, 5]
    both = update_view(view(**{"version.history.num-entries": "1"}), [add(sql="2"), add(sql="3"), use()], now=NOW)
    assert ids(both) == [2, 3], "what was added in the commit stays"
    assert ids(both, "version-log") == [3]


def test_the_current_version_is_kept_however_old():
    base = update_view(replaced(view(), 3), [use(1)], now=NOW)
    cut = update_view(base, [put(version_history_x="1"), {"action": "set-properties", "updates": {
        "version.history.num-entries": "2"}}], now=NOW)  # fmt: skip
    assert ids(cut) == [1, 4]
    assert ids(cut, "version-log") == [4, 1]


def test_a_dialect_is_dropped_with_permission_only():
    base = view("spark", "trino")
    change = [add("Spark", sql="2"), use()]
    with pytest.raises(InvalidUpdate, match="trino"):
        update_view(base, change, now=NOW)
    allowed = {"action": "set-properties", "updates": {"replace.drop-dialect.allowed": "true"}}
    assert update_view(base, [*change, allowed], now=NOW)["current-version-id"] == 2


def test_properties_and_location_make_no_version():
    base = view(a="b")
    updates = [put(c="d"), {"action": "remove-properties", "removals": ["a", "x"]}]
    updated = update_view(base, [*updates, {"action": "set-location", "location": "s3://b/w"}], now=NOW)
    assert (updated["properties"], updated["location"], ids(updated)) == ({"c": "d"}, "s3://b/w", [1])
    assert base["properties"] == {"a": "b"}


@pytest.mark.parametrize(
    "updates",
    [
        [use()],
        [use(7)],
        [add(schema_id=-1, sql="2")],
        [add(schema_id=4, sql="2")],
        [add("spark", "Spark", sql="2")],
        [{"action": "assign-uuid", "uuid": "other"}],
        [{"action": "upgrade-format-version", "format-version": 2}],
        [{"action": "set-location", "location": ""}],
        [{"action": "set-location"}],
        [{"action": "set-current-schema", "schema-id": 0}],
        [{"action": "set-properties", "updates": {"version.history.num-entries": "none"}}],
        [None],
    ],
)
def test_updates_that_no_view_takes(updates):
    with pytest.raises(InvalidUpdate):
        update_view(view(), updates, now=NOW)


@pytest.mark.parametrize(
    "updates",
    [
        [],
        [put()],
        [{"action": "assign-uuid", "uuid": UUID}],
        [{"action": "upgrade-format-version", "format-version": 1}],
        [{"action": "set-location", "location": "s3://b/v"}],
        [{"action": "remove-properties", "removals": []}],
        [use(1)],
    ],
)
def test_updates_that_change_nothing(updates):
    base = view()
    assert update_view(base, updates, now=NOW) is base


def test_the_requirement_of_a_view():
    check_view_requirements(view(), [{"type": "assert-view-uuid", "uuid": UUID.upper()}])
    with pytest.raises(RequirementFailed):
        check_view_requirements(view(), [{"type": "assert-view-uuid", "uuid": "other"}])
    with pytest.raises(InvalidRequirement):
        check_view_requirements(view(), [{"type": "assert-table-uuid", "uuid": UUID}])


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("format-version", 2),
        ("view-uuid", None),
        ("location", ""),
        ("schemas", []),
        ("schemas", [schema("a"), schema("b")]),
        ("current-version-id", 2),
        ("versions", [version(), version(sql="2")]),
        ("versions", [version("spark", "SPARK")]),
        ("versions", [{"version-id": 1}]),
        ("version-log", [{"version-id": 1}]),
        ("version-log", None),
        ("properties", {"a": 1}),
    ],
)
def test_documents_that_do_not_hold_together(key, value):
    document = copy.deepcopy(view())
    with pytest.raises(InvalidMetadata):
        read_view({**document, key: value})
