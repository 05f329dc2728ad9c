"""The whole suite against the reference server, on every backend."""

from __future__ import annotations

import pytest

from lakeproof import check


@pytest.mark.parametrize("storage", ["memory", "memory:pure", "dir"])
def test_the_reference_server_conforms(storage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results, code = check(storage=f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage)
    assert code == 0
    assert {entry["verdict"] for entry in results.requirements} <= {"pass", "unoffered"}
    unserved = {entry["id"] for entry in results.target["operations"] if entry["state"] == "refused"}
    for entry in results.requirements:
        if entry["verdict"] == "unoffered":
            assert set(entry["operations"]) & unserved, entry["id"]
    assert results.run["left_behind"] == []
