"""Fixtures that several parts of the tests share."""

from __future__ import annotations

from pathlib import Path

import pytest
import urllib3

from lakeproof import Server, serve

BACKENDS = ("memory", "memory:pure", "dir")


def storage_option(kind: str, folder: Path) -> str:
    """The value of --storage for one of BACKENDS."""
    return f"dir:{folder}" if kind == "dir" else kind


@pytest.fixture(params=BACKENDS)
def lance(request, tmp_path):
    """A Lance server on each backend."""
    with serve("lance", storage=storage_option(request.param, tmp_path / "lake")) as server:
        yield server


@pytest.fixture
def lance_directory(tmp_path):
    """A Lance server on a directory that other clients can open."""
    with serve("lance", storage=f"dir:{tmp_path / 'lake'}") as server:
        yield server


@pytest.fixture
def http():
    """A client that sends exactly what it is told."""
    with urllib3.PoolManager(retries=False) as pool:
        yield lambda method, url, **rest: pool.request(method, url, redirect=False, **rest)


def post_json(http, server: Server, path: str, body: object = None):
    """POST a JSON body to the Lance API and return status and JSON."""
    answer = http("POST", server.url + path, json={} if body is None else body)
    return answer.status, answer.json() if answer.data else None
