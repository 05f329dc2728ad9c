"""All scenarios, with the real connectors, against the reference server.

Each API on the backend that shows more of it: Spark sees no difference between those of Iceberg, and Lance's directory
has tables that its clients open in place. `tox -e spark35` runs them on every backend.
"""

from __future__ import annotations

import pytest

from lakeproof import check
from spark_tests.connectors import spoken_profile
from tests.conformance.whole_runs import not_met

BACKENDS = [("iceberg", "memory"), ("lance", "dir"), ("polaris", "memory")]


@pytest.mark.parametrize(("api", "storage"), BACKENDS)
def test_spark_works_with_the_reference_server(api, storage, spark_can_run, tmp_path, monkeypatch):
    from spark_tests.scenarios.running import run_scenarios  # noqa: PLC0415 - optional

    monkeypatch.chdir(tmp_path)
    storage = f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage
    results, code = check(api=api, profile=spoken_profile(api), storage=storage, runner=run_scenarios)
    verdicts = [(entry.id, entry.verdict, entry.message) for entry in results.requirements]
    assert [verdict for verdict in verdicts if verdict[1] != "pass"] == []
    assert verdicts
    assert code == 0, not_met(results)
    assert results.run.left_behind == []
