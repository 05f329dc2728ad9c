"""Avro files: what is read of them, and what they may cost."""

from __future__ import annotations

import io

import fastavro
import pytest

from reference_server import limits
from reference_server.errors import InvalidInput
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.scans.avro import key, read_avro

SCHEMA = {"type": "record", "name": "entry", "fields": [{"name": "path", "type": "string", "field-id": 100}]}
CODECS = ["null", "deflate", "bzip2", "xz"]


def avro(paths, codec="null"):
    stream = io.BytesIO()
    fastavro.writer(stream, SCHEMA, [{"path": path} for path in paths], codec=codec, sync_interval=100)
    return stream.getvalue()


@pytest.mark.parametrize("codec", CODECS)
def test_records_of_all_blocks_are_read_by_the_ids_of_fields(codec):
    paths = [f"file-{number}" for number in range(100)]
    file = read_avro("a.avro", avro(paths, codec))
    assert [record[key(100)] for record in file.records] == paths
    assert file.header["avro.codec"] == codec


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("blocks", [1, 20])
def test_files_are_unpacked_within_bounds(monkeypatch, codec, blocks):
    monkeypatch.setattr(limits, "MANIFEST", 10_000)
    packed = avro(["x" * (20_000 // blocks)] * blocks, codec)
    with pytest.raises(InvalidInput, match="unpacks to more than 10000 bytes"):
        read_avro("a.avro", packed)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda data: b"no Avro", "not an Avro file"),
        (lambda data: b"Obj\x02" + data[4:], "does not begin like one"),
        (lambda data: data[:-1], "does not end where it says"),
        (lambda data: data.replace(b"null", b"lzip"), "its codec is 'lzip'"),
    ],
)
def test_damaged_files_are_refused(damage, reason):
    with pytest.raises(InvalidInput, match=reason):
        read_avro("a.avro", damage(avro(["file"])))


def test_files_are_read_within_bounds(monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MANIFEST", 1_000)
    file_io = FileIO(AllowedLocations([Warehouse("w", f"file://{tmp_path}")]), durable=False)
    for size in (1_000, 1_001):
        (tmp_path / f"{size}.avro").write_bytes(bytes(size))
    assert len(file_io.read(f"file://{tmp_path}/1000.avro")) == 1_000
    with pytest.raises(InvalidInput, match="more than 1000 bytes"):
        file_io.read(f"file://{tmp_path}/1001.avro")
