"""The servers that are put under stress: each in a process of its own, with a storage that nobody needs afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.reference_server.polaris import drawing as polaris
from tests.reference_server.served import Served, served

MEMORY, DIRECTORY = STORAGES = ("memory", "dir")
OPTIONS = {"polaris": polaris.OPTIONS}


@contextmanager
def under_stress(api: str, storage: str = DIRECTORY) -> Iterator[tuple[Served, Path]]:
    """Yield a server of an API on a kind of storage, and the folder that has its log, and its directory if any."""
    with tempfile.TemporaryDirectory() as folder:
        place = f"dir:{folder}/lake" if storage == DIRECTORY else storage
        options = ("--storage", place, *OPTIONS.get(api, ()))
        with served(api, folder, *options) as server:
            yield server, Path(folder)
