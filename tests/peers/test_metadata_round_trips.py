"""Metadata files that the reference server wrote are read by Java and by PyIceberg, and come back as they were.

Java is Iceberg's own fixture server: what it shows of a table that it registered is what it read.
"""

from __future__ import annotations

import random
from typing import Any

import orjson
import pytest
from pyiceberg.table.metadata import TableMetadataUtil

from conformance.iceberg.catalog import IcebergCatalog
from conformance.iceberg.client import IcebergClient
from conformance.iceberg.support.commit_choices import Choice, updates
from conformance.iceberg.support.content import NESTED_SCHEMA, SCHEMA, sql, view_version
from conformance.iceberg.support.staging import stage
from conformance.iceberg.support.table_model import MetadataModel
from conformance.iceberg.support.updates import update
from conformance.run.session import handshake
from conformance.target.local_files import local_path
from conformance.target.target import connect
from conformance.values.settings import Settings
from lakeproof import serve
from peers.iceberg_java.fixture import fixture

COMMITS = 25
TABLES = 8


def met(url):
    target = connect(Settings(server=url, api="iceberg"))
    handshake(target)
    return target


@pytest.fixture(scope="module")
def ours():
    with serve("iceberg") as server:
        yield met(server.url)


@pytest.fixture(scope="module")
def java(java_here):
    with fixture(strict=False) as url:
        target = met(url)
        client = IcebergClient(target.client, target.capabilities["separator"])
        client.create_namespace(("round",))
        yield client


def grown_table(target, version, seed):
    """Return the metadata file of a table that has lived through random commits."""
    chooser = random.Random(seed)
    catalog = IcebergCatalog(target)
    catalog.begin_example()
    schema = NESTED_SCHEMA if seed % 4 == 0 else SCHEMA
    id = catalog.new_table(schema=schema, properties={"format-version": str(version)})
    if schema is SCHEMA:
        choice = Choice(chooser.choice, catalog.revision, stage(catalog, id))
        for _ in range(COMMITS):
            wanted, after = updates(MetadataModel.of(catalog.metadata(id)), choice)
            same_version = not any(change["action"] == "upgrade-format-version" for change in wanted)
            if after is not None and same_version:
                catalog.update_table(id, wanted, expect=(200, 400))
    return catalog.load_table(id)["metadata-location"]


def grown_view(target):
    catalog = IcebergCatalog(target)
    catalog.begin_example()
    id = catalog.new_view(properties={"owner": "me"})
    for number in range(2, 5):
        text = view_version(catalog.home, sql(f"SELECT {number}"), sql("SELECT 1", "trino"), id=number)
        use = update("set-current-view-version", view_version_id=-1)
        catalog.replace_view(id, [update("add-view-version", view_version=text), use])
    return catalog.load_view(id)["metadata-location"]


def read(location):
    return orjson.loads(local_path(location).read_bytes())


@pytest.mark.parametrize("version", [1, 2, 3])
def test_java_shows_our_tables_as_they_are(ours, java, version):
    for seed in range(TABLES):
        location = grown_table(ours, version, seed)
        shown = java.register_table(("round", f"t{version}_{seed}"), metadata_location=location)
        assert spelled(shown["metadata"]) == spelled(read(location))


def test_java_shows_our_views_as_they_are(ours, java):
    location = grown_view(ours)
    assert java.register_view(("round", "v"), metadata_location=location)["metadata"] == read(location)


@pytest.mark.parametrize("version", [1, 2])
def test_pyiceberg_writes_our_tables_as_they_are(ours, version):
    """PyIceberg 0.12 reads version 3, but does not write it."""
    for seed in range(TABLES):
        metadata = read(grown_table(ours, version, seed))
        parsed = TableMetadataUtil.parse_raw(orjson.dumps(metadata).decode())
        written = parsed.model_dump_json()
        assert TableMetadataUtil.parse_raw(written) == parsed
        if version == 1:
            metadata["last-partition-id"] = parsed.last_partition_id  # counted anew from the specs that are left
        assert stripped(orjson.loads(written)) == stripped(metadata)


def test_pyiceberg_reads_our_tables_of_version_3(ours):
    for seed in range(TABLES):
        metadata = read(grown_table(ours, 3, seed))
        parsed: Any = TableMetadataUtil.parse_raw(orjson.dumps(metadata).decode())
        assert parsed.next_row_id == metadata["next-row-id"]
        assert [snapshot.snapshot_id for snapshot in parsed.snapshots] == [
            snapshot["snapshot-id"] for snapshot in metadata["snapshots"]
        ]


def spelled(metadata):
    """Return metadata with one way to say that there is no current snapshot; Java has two, and absence is a third."""
    return metadata if metadata.get("current-snapshot-id") not in (-1, None) else {**metadata, "current-snapshot-id": 0}


def stripped(value):
    """Return metadata without what is empty: PyIceberg writes some of it out, and leaves some of it away."""
    if isinstance(value, dict):
        inner = {key: stripped(child) for key, child in value.items()}
        return {key: child for key, child in inner.items() if child not in (None, [], {})}
    return [stripped(child) for child in value] if isinstance(value, list) else value
