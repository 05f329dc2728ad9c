"""Delete files that a plan returns with each data file, for tables whose files are written by hand."""

from __future__ import annotations

import pytest

from tests.reference_server.iceberg.staged_tables import Staged
from tests.reference_server.iceberg.written_manifests import (
    DATA,
    EQUALITY,
    EXISTING,
    POSITION,
    File,
    Written,
    path_bounds,
)

PARTITIONED = {"fields": [{"name": "p", "transform": "identity", "source-id": 1}]}
BY_P = [("p", ["null", "long"], 1000)]


def deletes_of(answer):
    """Return the paths of the delete files of each data file, sorted; every one listed is referred to."""
    body = answer.body
    listed = [file["file-path"] for file in body["delete-files"]]
    by_path = {
        task["data-file"]["file-path"]: sorted(listed[place] for place in task.get("delete-file-references", []))
        for task in body["file-scan-tasks"]
    }
    assert len(set(listed)) == len(listed)
    assert set(listed) == {path for paths in by_path.values() for path in paths}
    return by_path


def position(path, **more):
    return File(path, POSITION, more=more)


def equality(path, **more):
    return File(path, EQUALITY, more={"equality_ids": [1], **more})


def manifest_of(*files, sequence, **more):
    return Written(list(files), sequence, snapshot=sequence, **more)


@pytest.fixture
def staged(api):
    """An unpartitioned table with one file in each of three commits."""
    return Staged(api).commit(File("f1")).commit(File("f2")).commit(File("f3"))


def test_an_entry_keeps_the_sequence_number_that_it_names(staged):
    existing = File("d", POSITION, status=EXISTING, sequence=1, snapshot=1)
    staged.commit(manifests=[manifest_of(existing, sequence=4)])
    assert deletes_of(staged.plan()) == {"f1": ["d"], "f2": [], "f3": []}


@pytest.mark.parametrize("more", [{"referenced_data_file": "f2"}, path_bounds("f2", "f2")])
def test_position_deletes_may_be_about_one_file(staged, more):
    staged.commit(manifests=[manifest_of(position("d", **more), sequence=4)])
    assert deletes_of(staged.plan()) == {"f1": [], "f2": ["d"], "f3": []}


def test_bounds_say_which_files_position_deletes_are_about(staged):
    staged.commit(manifests=[manifest_of(position("d", **path_bounds("f2", "f3")), sequence=4)])
    assert deletes_of(staged.plan()) == {"f1": [], "f2": ["d"], "f3": ["d"]}


def vector(path, data_file, offset):
    place = {"content_offset": offset, "content_size_in_bytes": 40}
    return position(path, referenced_data_file=data_file, file_format="PUFFIN", **place)


def test_a_deletion_vector_takes_the_place_of_position_deletes(staged):
    two = [vector("v", "f1", 4), vector("v", "f2", 44)]
    staged.commit(manifests=[manifest_of(position("old"), equality("e"), sequence=3)])
    staged.commit(manifests=[manifest_of(*two, sequence=5)])
    body = staged.plan().body
    delete_files = [
        [body["delete-files"][place] for place in task["delete-file-references"]] for task in body["file-scan-tasks"]
    ]
    first, second, third = (
        [(file["file-path"], file.get("content-offset")) for file in files] for files in delete_files
    )
    assert first == [("v", 4), ("e", None)]
    assert second == [("v", 44), ("e", None)]
    assert third == [("old", None)]
    delete_file = delete_files[0][0]
    assert (delete_file["content"], delete_file["file-format"]) == ("position-deletes", "puffin")
    assert (delete_file["content-size-in-bytes"], delete_file["referenced-data-file"]) == (40, "f1")
    assert delete_files[0][1]["equality-ids"] == [1]


def test_partitions_keep_deletes_apart(api):
    staged = Staged(api, **{"partition-spec": PARTITIONED})

    def file(path, value, content=DATA, **more):
        return File(path, content, partition={"p": value}, more=more)

    data = [file("f1", 1), file("f2", 2), file("f3", None)]
    staged.commit(manifests=[manifest_of(*data, sequence=1, partition=BY_P)])
    deletes = [file("d1", 1, POSITION), file("e2", 2, EQUALITY, equality_ids=[1]), file("d3", None, POSITION)]
    staged.commit(manifests=[manifest_of(*deletes, sequence=2, partition=BY_P)])
    assert deletes_of(staged.plan()) == {"f1": ["d1"], "f2": ["e2"], "f3": ["d3"]}
    only_second = {"type": "eq", "term": "id", "value": 2}
    assert deletes_of(staged.plan(filter=only_second)) == {"f2": ["e2"]}


def test_equality_deletes_without_a_partition_are_for_all(api):
    staged = Staged(api)
    spec = {"spec-id": 1, **PARTITIONED}
    staged.api.commit([{"action": "add-spec", "spec": spec}, {"action": "set-default-spec", "spec-id": -1}], expect=200)
    data = [File("f1", partition={"p": 1}), File("f2", partition={"p": 2})]
    staged.commit(manifests=[manifest_of(*data, sequence=1, spec=1, partition=BY_P)])
    staged.commit(manifests=[manifest_of(equality("e"), position("d"), sequence=2)])
    assert deletes_of(staged.plan()) == {"f1": ["e"], "f2": ["e"]}


def test_ranges_and_hints_know_deletes(staged):
    staged.commit(manifests=[manifest_of(position("d"), sequence=2)])
    assert deletes_of(staged.plan(start_snapshot_id=1, end_snapshot_id=3)) == {"f2": [], "f3": []}
    assert list(deletes_of(staged.plan(min_rows_requested=5))) == ["f1", "f2", "f3"]


def test_no_spec_no_tasks(api):
    staged = Staged(api)
    staged.commit(manifests=[manifest_of(File("f1"), sequence=1, spec=7)])
    assert staged.plan().body["status"] == "failed"
