"""Bytes of orjson hold several times the memory that they need: none is kept without a copy."""

from __future__ import annotations

import asyncio
import tracemalloc

import orjson
import pytest

from reference_server.answers import KeptAnswers, key_of
from reference_server.context import Request, json_reply
from reference_server.iceberg.catalog.warehouses import AllowedLocations, Warehouse
from reference_server.iceberg.files.file_io import FileIO
from reference_server.iceberg.files.metadata_files import MetadataFiles
from reference_server.storage.memory import MemoryStorage

DOCUMENTS = [{"text": "x" * 1500, "number": number} for number in range(200)]
NEEDED = sum(len(orjson.dumps(document)) for document in DOCUMENTS)


@pytest.fixture
def files(tmp_path):
    """Metadata files below a folder."""
    return MetadataFiles(FileIO(AllowedLocations([Warehouse("w", f"file://{tmp_path}")]), durable=False))


def in_answers():
    answers = KeptAnswers()
    for number, document in enumerate(DOCUMENTS):
        answers.keep(key_of(Request("1", "GET", f"/{number}", {})), 0, json_reply(document))
    return answers


def in_memory():
    storage = MemoryStorage()
    for number, document in enumerate(DOCUMENTS):
        asyncio.run(storage.commit({}, {b"%d" % number: orjson.dumps(document)}))
    return storage


def held_after(keep):
    """Return the number of bytes that a kept value holds."""
    tracemalloc.start()
    try:
        kept = keep()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept is not None
    return held


@pytest.mark.parametrize("keep", [in_answers, in_memory])
def test_what_is_kept_takes_little_more_than_its_size(keep):
    assert held_after(keep) < 2 * NEEDED


def test_metadata_files_take_little_more_than_their_texts(files, tmp_path):
    def write():
        return [files.write(f"{tmp_path}/{number}.json", document) for number, document in enumerate(DOCUMENTS)]

    assert held_after(write) < 2 * NEEDED
