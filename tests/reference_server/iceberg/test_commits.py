"""updateTable and commitTransaction over HTTP."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from reference_server.faults import HEADER
from tests.reference_server.iceberg.committing import (
    CREATE,
    STALE,
    UUID,
    creation,
    metadata_files,
    register,
    set_property,
    transact,
)
from tests.reference_server.iceberg.conftest import BAD_REQUEST, SCHEMA, at_once

PREVIOUS_VERSIONS, DELETE_AFTER_COMMIT = (
    f"write.metadata.{name}" for name in ("previous-versions-max", "delete-after-commit.enabled")
)


def local(uri):
    return Path(urlsplit(uri).path)


def test_a_commit_makes_one_new_file(api):
    created = api.table().body
    committed = api.commit([set_property("a", "1"), set_property("b", "2")], expect=200)
    metadata = committed.body["metadata"]
    assert metadata["properties"].items() >= {"a": "1", "b": "2"}.items()
    assert [entry["metadata-file"] for entry in metadata["metadata-log"]] == [created["metadata-location"]]
    assert metadata["last-updated-ms"] >= created["metadata"]["last-updated-ms"]
    assert metadata_files(api) == ["00000", "00001"]
    loaded = api.load(expect=200)
    assert loaded.headers["ETag"] == committed.headers["ETag"]
    assert {key: loaded.body[key] for key in committed.body} == committed.body


def test_a_commit_that_changes_nothing_writes_nothing(api):
    created = api.table()
    same = {"type": "assert-table-uuid", "uuid": created.body["metadata"]["table-uuid"]}
    unchanged = api.commit([], [same], expect=200)
    assert unchanged.body["metadata-location"] == created.body["metadata-location"]
    assert unchanged.headers["ETag"] == created.headers["ETag"]
    assert metadata_files(api) == ["00000"]


@pytest.mark.parametrize(
    ("updates", "requirements", "status", "kinds"),
    [
        ([set_property()], [STALE], 409, ("CommitFailedException",)),
        ([set_property()], [CREATE], 409, ("CommitFailedException",)),
        ([set_property()], [CREATE, STALE], 400, BAD_REQUEST),
        ([set_property()], [{"type": "assert-view-uuid", "uuid": UUID}], 400, BAD_REQUEST),
        ([set_property()], [{"type": "assert-nothing"}], 400, BAD_REQUEST),
        ([{"action": "dance"}], [STALE], 400, BAD_REQUEST),
        ([set_property(), {"action": "set-current-schema", "schema-id": 9}], [], 400, BAD_REQUEST),
        ([{"action": "set-location", "location": "/etc/x"}], [], 400, BAD_REQUEST),
        ([set_property("write.metadata.path", "file:///etc/x")], [], 400, BAD_REQUEST),
        ([set_property("write.metadata.compression-codec", "lzma")], [], 400, BAD_REQUEST),
    ],
)
def test_refused_commits_change_nothing(api, updates, requirements, status, kinds):
    created = api.table().body
    assert api.commit(updates, requirements, expect=status).type in kinds
    assert api.load().body == created
    assert metadata_files(api) == ["00000"]
    transact(api, ("t", [set_property("first", "1")], []), ("t", updates, requirements), expect=status)
    assert api.load().body == created
    assert metadata_files(api) == ["00000"]


def test_a_table_is_created_by_commit(api, tmp_path):
    location = f"file://{tmp_path}/mine"
    created = api.commit([*creation(location), set_property()], [CREATE], expect=200).body
    assert created["metadata-location"].startswith(f"{location}/metadata/00000-")
    assert created["metadata"]["table-uuid"] == UUID
    assert created["metadata"]["metadata-log"] == []
    assert api.load(expect=200).body["metadata"] == created["metadata"]
    assert api.commit(creation(), [CREATE], expect=409).type in ("CommitFailedException", "AlreadyExistsException")
    assert api.commit(creation(), [CREATE], path="none/tables/t", expect=404).type == "NoSuchNamespaceException"


def test_a_creation_needs_a_schema(api):
    api.commit([], [CREATE], expect=400)
    api.load(expect=404)


@pytest.mark.parametrize(
    ("deleting", "left"), [("true", ["00003", "00004", "00005"]), ("false", [f"0000{number}" for number in range(6)])]
)
def test_superfluous_files_go_where_that_is_wanted(api, deleting, left):
    api.table(properties={PREVIOUS_VERSIONS: "2", DELETE_AFTER_COMMIT: deleting})
    for number in range(5):
        metadata = api.commit([set_property("k", str(number))], expect=200).body["metadata"]
    assert metadata_files(api) == left
    assert [local(entry["metadata-file"]).name[:5] for entry in metadata["metadata-log"]] == ["00003", "00004"]


def test_files_go_with_a_shorter_log_of_a_transaction_and_with_no_refusal(api):
    api.table(properties={DELETE_AFTER_COMMIT: "true"})
    for number in range(5):
        api.commit([set_property("k", str(number))], expect=200)
    everything = [f"0000{number}" for number in range(6)]
    assert metadata_files(api) == everything
    shorter = [set_property(PREVIOUS_VERSIONS, "1")]
    transact(api, ("t", shorter, [STALE]), expect=409)
    assert metadata_files(api) == everything
    transact(api, ("t", shorter, []), expect=204)
    assert metadata_files(api) == ["00005", "00006"]
    (entry,) = api.load().body["metadata"]["metadata-log"]
    assert local(entry["metadata-file"]).name.startswith("00005")


def test_without_its_properties_a_table_keeps_all_files_and_names_the_last_hundred(api):
    api.table()
    for number in range(102):
        committed = api.commit([set_property("k", str(number))], expect=200)
    assert len(metadata_files(api)) == 103
    names = [local(entry["metadata-file"]).name[:5] for entry in committed.body["metadata"]["metadata-log"]]
    assert names == [f"{number:05}" for number in range(2, 102)]


@pytest.mark.parametrize("spelling", ["file://{}", "file:{}", "{}", "file://localhost{}"])
def test_a_log_names_no_file_of_others_for_deletion(api, tmp_path, spelling):
    """Of what the log of a registered file names, only what lies below the table's own location goes."""
    victim, stranger = local(api.table("a/tables/victim").body["metadata-location"]), tmp_path / "x.metadata.json"
    stranger.write_text("{}")
    created = api.table(properties={PREVIOUS_VERSIONS: "1", DELETE_AFTER_COMMIT: "true"}).body
    folder = local(created["metadata"]["location"]) / "metadata"
    own = folder / "own.metadata.json"
    own.write_text("{}")
    around = folder / "../../.." / victim.relative_to(folder.parents[2])
    named = [{"timestamp-ms": 1, "metadata-file": spelling.format(path)} for path in (victim, stranger, around, own)]
    file = folder / "00007-log.metadata.json"
    file.write_text(json.dumps({**created["metadata"], "metadata-log": named}))
    api.call("DELETE", "namespaces/a/tables/t", expect=204)
    register(api, str(file), expect=200)
    api.commit([set_property()], expect=200)
    assert (victim.exists(), stranger.exists(), own.exists()) == (True, True, False)
    api.load("a/tables/victim", expect=200)


def test_commits_at_once_without_requirements_all_land(api):
    api.table()
    keys = iter(range(100))
    answers = at_once(12, lambda: api.commit([set_property(f"k{next(keys)}")]).status)
    assert answers == [200] * 12
    metadata = api.load().body["metadata"]
    assert {f"k{number}" for number in range(12)} <= metadata["properties"].keys()
    assert len(metadata["metadata-log"]) == 12
    assert len(metadata_files(api)) == 13


def test_of_commits_that_assume_the_same_one_succeeds(api):
    api.table()
    schema = {**SCHEMA, "fields": [*SCHEMA["fields"], {"id": 5, "name": "new", "type": "int", "required": False}]}
    updates = [{"action": "add-schema", "schema": schema}, {"action": "set-current-schema", "schema-id": -1}]
    assumed = [{"type": "assert-current-schema-id", "current-schema-id": 0}]
    answers = at_once(8, lambda: api.commit(updates, assumed))
    assert sorted(answer.status for answer in answers) == [200] + [409] * 7
    assert {answer.type for answer in answers if answer.status == 409} == {"CommitFailedException"}
    assert metadata_files(api) == ["00000", "00001"]


# Transactions


def test_a_transaction_changes_all_tables(api):
    for name in ("t", "u"):
        api.table(f"a/tables/{name}")
    transact(api, ("t", [set_property()], []), ("u", [set_property()], []), ("n", creation(), [CREATE]), expect=204)
    for name in ("t", "u"):
        assert api.load(f"a/tables/{name}").body["metadata"]["properties"]["k"] == "v"
        assert metadata_files(api, name) == ["00000", "00001"]
    assert metadata_files(api, "n") == ["00000"]


@pytest.mark.parametrize(
    ("last", "status"),
    [
        (("u", [set_property()], [STALE]), 409),
        (("none", [set_property()], []), 404),
        (("u", [{"action": "set-current-schema", "schema-id": 9}], []), 400),
        (("u", creation(), [CREATE]), 409),
        (("u", [{"action": "set-location", "location": "/etc/x"}], []), 400),
    ],
)
def test_a_refused_transaction_changes_nothing(api, last, status):
    before = [api.table("a/tables/t").body, api.table("a/tables/u").body]
    transact(api, ("t", [set_property()], []), ("n", creation(), [CREATE]), last, expect=status)
    assert [api.load("a/tables/t").body, api.load("a/tables/u").body] == before
    assert metadata_files(api, "t") == ["00000"]
    api.load("a/tables/n", expect=404)


def test_several_changes_of_one_table_come_in_order(api):
    created = api.table().body
    transact(
        api,
        ("t", [set_property("a", "1"), set_property("b", "1")], []),
        ("t", [set_property("b", "2")], [{"type": "assert-table-uuid", "uuid": created["metadata"]["table-uuid"]}]),
        expect=204,
    )
    metadata = api.load().body["metadata"]
    assert (metadata["properties"]["a"], metadata["properties"]["b"]) == ("1", "2")
    assert [entry["metadata-file"] for entry in metadata["metadata-log"]] == [created["metadata-location"]]
    assert metadata_files(api) == ["00000", "00001"]


def test_a_table_created_in_a_transaction_is_changed_in_it(api):
    transact(api, ("n", creation(), [CREATE]), ("n", [set_property()], []), expect=204)
    metadata = api.load("a/tables/n").body["metadata"]
    assert metadata["properties"]["k"] == "v"
    assert metadata["metadata-log"] == []
    assert metadata_files(api, "n") == ["00000"]


def test_transactions_at_once_leave_tables_alike(api):
    for name in ("t", "u"):
        api.table(f"a/tables/{name}")
    numbers = iter(range(100))

    def change():
        value, names = str(next(numbers)), ("t", "u")
        order = names if int(value) % 2 else names[::-1]
        return transact(api, *((name, [set_property("k", value)], []) for name in order)).status

    assert at_once(10, change) == [204] * 10
    assert len({api.load(f"a/tables/{name}").body["metadata"]["properties"]["k"] for name in ("t", "u")}) == 1
    assert len(api.load().body["metadata"]["metadata-log"]) == 10


# Faults


def test_an_unknown_state_is_a_commit_that_happened(api):
    api.table()
    refused = api.commit([set_property()], headers={HEADER: "commit-state-unknown"}, expect=500)
    assert refused.type == "CommitStateUnknownException"
    assert api.load().body["metadata"]["properties"]["k"] == "v"


def test_a_conflict_by_fault_changes_nothing(api):
    created = api.table().body
    refused = api.commit([set_property()], headers={HEADER: "commit-conflict"}, expect=409)
    assert refused.type == "CommitFailedException"
    assert api.load().body == created
