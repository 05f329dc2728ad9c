"""The whole suite against the reference server, on every backend."""

from __future__ import annotations

import pytest

from lakeproof import check


@pytest.mark.parametrize("storage", ["memory", "memory:pure", "dir"])
def test_the_reference_server_conforms(storage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results, code = check(storage=f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage)
    assert code == 0
    unoffered = [entry for entry in results.requirements if entry["verdict"] != "pass"]
    assert all("access to the files" in entry["message"] for entry in unoffered)
    assert bool(unoffered) is (storage == "memory:pure")  # where no suite can stage versions
    assert results.run["left_behind"] == []
