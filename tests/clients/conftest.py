"""Record of what clients send: with LAKEPROOF_CLIENTS=FILE, a test adds a line for each shape of its requests."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reference_server.serve import Server
from tests.clients.shapes import shape_of

RECORD = "LAKEPROOF_CLIENTS"


class Recorder:
    """Access log that keeps the program, the profile, the storage, the operation and the shape of each request."""

    def __init__(self, server: Server, seen: set[tuple[str, ...]]) -> None:
        self._settings, self._seen = server.settings, seen

    def write(self, request: Any, operation: Any, reply: Any, _seconds: float) -> None:
        """Keep a request that an operation answered."""
        if operation is not None and reply.status < 500:
            agent, storage = request.headers.get("User-Agent", ""), self._settings.storage.partition(":")[0]
            shape = json.dumps(shape_of(request), sort_keys=True)
            self._seen.add((agent, " ".join(self._settings.apis), storage, operation.id, shape))


@pytest.fixture(autouse=True)
def _recorded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Record the requests of a test to servers that it starts, if a file for them is named."""
    file = os.environ.get(RECORD)
    if not file:
        yield
        return
    seen: set[tuple[str, ...]] = set()
    build = Server._build

    def built(server: Server) -> Any:
        app = build(server)
        app.access_log = Recorder(server, seen)  # type: ignore[assignment]
        return app

    monkeypatch.setattr(Server, "_build", built)
    yield
    with Path(file).open("a") as lines:
        for one in sorted(seen):
            lines.write(json.dumps([request.node.nodeid, *one]) + "\n")
