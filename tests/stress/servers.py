"""The servers that are put under stress: each in a process of its own, on a directory that nobody needs afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.reference_server.polaris import drawing as polaris
from tests.reference_server.served import Served, served

OPTIONS = {"polaris": polaris.OPTIONS}


@contextmanager
def on_directory(api: str) -> Iterator[tuple[Served, Path]]:
    """Yield a server of an API, and the folder that has its directory and its log."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--storage", f"dir:{folder}/lake", *OPTIONS.get(api, ()))
        with served(api, folder, *options) as server:
            yield server, Path(folder)
