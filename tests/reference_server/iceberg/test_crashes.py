"""kill -9 at random moments: what was going on is whole or absent, no table has lost its metadata file, and no folder
is left without a table.

`python -m tests.stress kills --api iceberg` kills as often as you like.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeproof import serve
from tests.reference_server.iceberg.conftest import Api
from tests.reference_server.iceberg.crashes import IcebergCrashes

CRASHES = 4


def test_kills(tmp_path):
    crashes = IcebergCrashes(tmp_path / "lake")
    try:
        crashes.crash(CRASHES)
    finally:
        crashes.kill()
    crashes.tally.expect_none()


@pytest.mark.parametrize("storage", ["memory", "dir"])
def test_what_was_temporary_is_gone(tmp_path, http, storage):
    chosen = storage if storage == "memory" else f"dir:{tmp_path}"
    with serve("iceberg", storage=chosen) as server:
        api = Api(http, server.url)
        api.namespace("a")
        path = Path(api.table().body["metadata-location"].removeprefix("file://"))
        assert path.exists()
    assert path.exists() == (storage == "dir")
