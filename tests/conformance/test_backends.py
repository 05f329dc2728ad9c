"""The suite against the reference server on a directory, and in a namespace that it is given, in another order there.

These runs are of the depth `smoke`: every requirement, with fewer examples. What the backends have to do alike has
tests of its own in tests/reference_server. `DEPTH=gate tox -e py -- tests/conformance/test_backends.py` draws as many
examples as the runs of test_whole_runs.py, `SEED=1` another order.
"""

from __future__ import annotations

import os

import pytest

from lakeproof import check
from lakeproof.server_process import ServerProcess
from reference_server.iceberg.options import SAMPLE_NAMESPACE
from reference_server.serve import server_settings
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.mutants import SERVED
from tests.conformance.shuffled import Shuffled
from tests.conformance.somebody import SOMEBODY, fill
from tests.conformance.whole_runs import assert_all_met, unchanged, unoffered

FUNCTIONS = {"iceberg": {"functions": SAMPLE_NAMESPACE}}
SEED = int(os.environ.get("SEED", "0"))
DEPTH = os.environ.get("DEPTH", "smoke")


@pytest.mark.parametrize("api", ["lance", "polaris"])
def test_the_embedded_server_conforms_on_a_directory(api, tmp_path):
    storage, report = f"dir:{tmp_path / 'lake'}", tmp_path / "report"
    results, code = check(api=api, storage=storage, report=str(report), depth=DEPTH)
    assert_all_met(results, code, unoffered(api, "dir"))
    assert foreign_names(report, find_profile(api).document(), SAMPLE_NAMESPACE) == []


@pytest.mark.parametrize(("api", "storage"), [("lance", "memory:pure"), ("iceberg", "dir")])
def test_a_run_stays_in_its_namespace_and_order_changes_no_verdict(api, storage, tmp_path):
    order, report = Shuffled(SEED), tmp_path / "report"
    place = f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage
    with ServerProcess(server_settings(api, storage=place, **SERVED.get(api, {}))) as server:
        somebody = SOMEBODY[api](server.url)
        fill(somebody, "other")
        somebody.namespace("shop")
        somebody.namespace("shop", "own")
        somebody.table("shop", "own", "theirs")
        with unchanged(somebody):
            given = {"namespace": "shop.own", "depth": DEPTH, "report": str(report), **FUNCTIONS.get(api, {})}
            results, code = check(server.url, api=api, runner=order.judge, **given)
        assert_all_met(results, code, unoffered(api, storage, open_to_all=True, inside=True))
        assert order.moved > len(results.requirements) / 2
        assert foreign_names(report, find_profile(api).document(), SAMPLE_NAMESPACE, "shop") == []
