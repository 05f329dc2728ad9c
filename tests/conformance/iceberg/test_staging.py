"""The manifest lists of snapshots without files are read by PyIceberg as what they are."""

from __future__ import annotations

import pytest
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table.snapshots import Snapshot

from conformance.iceberg.support.files import LocalFiles
from conformance.iceberg.support.staging import Stage
from conformance.target.local_files import local_path

FIELDS = [{"id": 1, "name": "id", "type": "long", "required": True}]


def stage(folder, version):
    metadata = {
        "format-version": version,
        "current-schema-id": 0,
        "schemas": [{"type": "struct", "schema-id": 0, "fields": FIELDS}],
    }
    return Stage(metadata, f"file://{folder}", LocalFiles())


def test_snapshot_without_files(tmp_path):
    made = stage(tmp_path, 2).snapshot(5, 1)
    assert Snapshot(**made).manifests(PyArrowFileIO()) == []
    assert (made["sequence-number"], made["schema-id"]) == (1, 0)


def test_first_version_has_no_sequence_numbers(tmp_path):
    assert "sequence-number" not in stage(tmp_path, 1).snapshot(5, 1)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c", "/a/b c"),
        ("file:/a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("/a/b", "/a/b"),
        ("s3://bucket/a", None),
        ("file://elsewhere/a", None),
        ("file:a/b", None),
        ("a/b", None),
        ("[None]/lp1", None),
        ("[]", None),
        ("", None),
    ],
)
def test_local_paths(uri, path):
    local = local_path(uri)
    assert (str(local) if local else None) == path
