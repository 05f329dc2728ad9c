"""The whole suite against the reference server, on every backend."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakeproof import check
from lakeproof.checking import SAMPLE_NAMESPACE as SAMPLES
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names

BACKENDS = [("lance", "memory"), ("lance", "memory:pure"), ("lance", "dir"), ("iceberg", "memory"), ("iceberg", "dir")]
# Why a requirement has nothing to judge on the reference server, as its message says.
UNOFFERED = {
    ("lance", "memory:pure"): ("access to the files",),  # no suite can stage versions there
    "iceberg": (
        "does not have signRequest",  # these need a warehouse in an object store: see test_s3.py
        "hands out no credentials",
        "brings no credentials",
        "has no token",
        "has no scan-planning-mode",
        "plans while the client waits",
        "has pages",  # and these are for servers that lack something
        "names endpoints",
        "has idempotency keys",
        "no separator but 0x1F",
        "holds the separator",
    ),
}


@pytest.mark.parametrize(("api", "storage"), BACKENDS)
def test_the_reference_server_conforms(api, storage, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    results, code = check(api=api, storage=f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage)
    assert code == 0
    expected = UNOFFERED.get((api, storage), UNOFFERED.get(api, ()))
    unoffered = [entry.message for entry in results.requirements if entry.verdict != "pass"]
    assert [message for message in unoffered if not any(reason in message for reason in expected)] == []
    assert [reason for reason in expected if not any(reason in message for message in unoffered)] == []
    assert results.run.left_behind == []
    assert foreign_names(Path(results.target.settings["report"]), find_profile(api).document(), SAMPLES) == []
