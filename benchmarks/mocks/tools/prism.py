"""Prism, which answers from the OpenAPI document alone."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from benchmarks.iceberg import document
from benchmarks.mocks.client import Client
from benchmarks.servers import prism

ALONE = "its answers follow from the document alone: a client chooses another status by a header, `Prefer: code=503`"
CANNOT = {
    **dict.fromkeys(("retry", "applied", "lost", "conflict", "unauthorized", "expired", "read_only", "stale"), ALONE),
    **dict.fromkeys(("command", "language"), ALONE),
    "delay": "it has no delays",
    "sent": "it compares requests with the document, and keeps none",
    "reset": "it has no state",
    "isolated": "it has no state",
    "pages": "a listing is the example of the document",
    "partial": "its configuration is the example of the document",
    "cut": "every request is answered",
    "status": "it returns only statuses of the document",
    "tls": "it speaks no TLS",
}


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with tempfile.TemporaryDirectory() as folder, prism(document(Path(folder))) as running:
        yield SimpleNamespace(url=running.url)


@contextmanager
def fresh(mock: Any) -> Iterator[Any]:
    """The mock of a row."""
    yield mock


def client(mock: Any) -> Client:
    """The client with the prefix that the document has in its paths."""
    return Client(mock.url, prefix="/any")


def seed(client: Client) -> None:
    client.load()
