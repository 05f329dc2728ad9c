"""Metadata files that packages of Iceberg ship: our server and Java's parser accept the same, and read it alike.

Java is Iceberg's own fixture server: what it shows of a table or view that it registered is what it parsed.
"""

from __future__ import annotations

import orjson
import pytest

from conformance.iceberg.client import IcebergClient
from conformance.run.session import handshake
from conformance.target.local_files import local_path
from conformance.target.target import connect
from conformance.values.settings import Settings
from lakeproof import serve
from peers.iceberg_java.fixture import fixture
from tests.peers.shipped_metadata import shipped_files

NAMESPACE = ("ns",)
FIRST_FORM = "version 1 lets fields be absent, and readers take the schema beside the list, or the highest id"
LAZY = "Java looks for the schema or version of a view when it is used"
ONLY_OURS = {  # valid for us alone
    "TableMetadataV1NoValidSchema.json": FIRST_FORM,
    "TableMetadataV1SchemasWithoutCurrentId.json": FIRST_FORM,
    "TableMetadataV1PartitionSpecsWithoutDefaultId.json": FIRST_FORM,
    "TableMetadataV3WithPartitionStatistics.json": "snapshots of drafts of version 3 have no added-rows",
}
ONLY_JAVA = {  # valid for Java alone
    "ViewMetadataInvalidCurrentSchema.json": LAZY,
    "ViewMetadataInvalidCurrentVersion.json": LAZY,
    "ViewMetadataV1CurrentVersionNotFound.json": LAZY,
    "ViewMetadataV1SchemaNotFound.json": LAZY,
    "ViewMetadataMultipleSQLsForDialect.json": "a version has one text for a dialect",
    "example_table_metadata_v2.json": "its last-column-id is below the id of a column",
    "example_empty_table_metadata_v2.json": "its last-column-id is below the id of a column",
}
EXPECTED = {**dict.fromkeys(ONLY_OURS, (True, False)), **dict.fromkeys(ONLY_JAVA, (False, True))}
NONE = (("sequence-number", 0), ("current-snapshot-id", -1))  # the same as an absent field
OF_DRAFTS = {"table": (), "view": ("current-schema-id",)}  # fields that Java drops
LEAST = 18  # files of Java's jar


def client(url):
    target = connect(Settings(server=url, api="iceberg"))
    handshake(target)
    return IcebergClient(target.client, target.capabilities["separator"])


@pytest.fixture(scope="module")
def java(java_here):
    with fixture(strict=False) as url:
        java = client(url)
        java.create_namespace(NAMESPACE)
        yield java


@pytest.fixture(params=["memory", "dir"])
def ours(request, tmp_path):
    with serve("iceberg", storage=request.param if request.param == "memory" else f"dir:{tmp_path}") as server:
        ours = client(server.url)
        ours.create_namespace(NAMESPACE)
        yield ours


def registered(catalog, kind, name, location):
    """Return the metadata that a server shows of a registered file, None if it refuses the file with 400."""
    answer = getattr(catalog, f"register_{kind}")((*NAMESPACE, name), metadata_location=location, expect=(200, 400))
    if answer.status == 400:
        return None
    shown = orjson.loads(getattr(catalog, f"load_{kind}")((*NAMESPACE, name)).body)["metadata"]
    getattr(catalog, f"drop_{kind}")((*NAMESPACE, name))
    return spelled(shown)


def spelled(value):
    """Return metadata without what writers may leave out: null, what is empty, and NONE."""
    if isinstance(value, dict):
        inner = {key: spelled(child) for key, child in value.items()}
        return {key: child for key, child in inner.items() if child not in (None, [], {}) and (key, child) not in NONE}
    return [spelled(child) for child in value] if isinstance(value, list) else value


def test_our_server_and_java_agree_on_shipped_files(java_here, ours, java):
    schema = {"type": "struct", "fields": []}
    probe = ours.create_table((*NAMESPACE, "probe"), schema=schema)
    folder = local_path(probe["metadata-location"]).parent
    files = shipped_files(java_here)
    assert len(files) >= LEAST
    for number, (name, content) in enumerate(files.items()):
        file = folder / f"{number:05}.metadata.json"
        file.write_bytes(content)
        kind = "view" if "view" in name.lower() else "table"
        shown, read = (registered(server, kind, f"t{number}", f"file://{file}") for server in (ours, java))
        valid = (shown is not None, read is not None)
        assert valid == EXPECTED.get(name, (valid[1], valid[1])), name
        if shown is not None and read is not None:
            ignored = {field: value for field, value in shown.items() if field in OF_DRAFTS[kind] and field not in read}
            assert shown == {**read, **ignored}, name
