"""Iceberg's fixture, the server of its own tests, which the image apache/iceberg-rest-fixture contains."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
import requests

from benchmarks.mocks.client import TABLES, Client, Refused
from peers.iceberg_java.fixture import fixture

ROWS = (
    "retry delay applied lost conflict sent unauthorized expired pages partial read_only cut status stale tls command"
)
CANNOT = {
    **dict.fromkeys((*ROWS.split(), "language"), "it is a plain server: nothing says how it should answer"),
    "isolated": "it has one catalog for all: tests choose names of their own",
}


@contextmanager
def start() -> Iterator[Any]:
    """The mock."""
    with fixture() as url:
        yield SimpleNamespace(url=url)


@contextmanager
def fresh(mock: Any) -> Iterator[Any]:
    """The mock of a row."""
    requests.delete(f"{mock.url}{TABLES}/t", timeout=9)
    requests.delete(f"{mock.url}/v1/namespaces/a", timeout=9)
    yield mock


def seed(mock: Any, client: Client) -> None:
    requests.post(f"{mock.url}/v1/namespaces", json={"namespace": ["a"]}, timeout=9)
    client.create("t")
    client.load()


def reset(mock: Any, client: Client) -> None:
    requests.delete(f"{mock.url}{TABLES}/t", timeout=9)
    requests.delete(f"{mock.url}/v1/namespaces/a", timeout=9)
    with pytest.raises(Refused, match="404"):
        client.load()
