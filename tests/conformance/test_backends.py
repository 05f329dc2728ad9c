"""The suite against the reference server on a directory, and in a namespace that it is given, in another order there.

These runs are of the depth `smoke`, of one requirement in sixteen. What the backends have to do alike has tests of its
own in tests/reference_server. `tox -e py -- --thorough tests/conformance/test_backends.py` asks everything, with as
many examples as the runs of test_whole_runs.py; `--seeds 1` is another order.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from conformance.after.runner import run
from lakeproof import check
from lakeproof.server_process import ServerProcess
from reference_server.iceberg.options import SAMPLE_NAMESPACE
from reference_server.serve import server_settings
from specs.profiles import find_profile
from tests.amount import amount, seeds
from tests.conformance.drawing import part
from tests.conformance.harmless import foreign_names
from tests.conformance.mutants import SERVED
from tests.conformance.shuffled import Shuffled
from tests.conformance.somebody import SOMEBODY, fill
from tests.conformance.whole_runs import assert_all_met, unchanged, unoffered

FUNCTIONS = {"iceberg": {"functions": SAMPLE_NAMESPACE}}
DEPTH = amount("smoke", "gate")
PART = 16
IN_PART = ("saw no response to judge",)  # what is checked over all responses, where a part of the requirements saw none


@pytest.mark.parametrize("api", ["lance", "polaris"])
def test_the_embedded_server_conforms_on_a_directory(api, tmp_path):
    storage, report = f"dir:{tmp_path / 'lake'}", tmp_path / "report"
    runner = partial(run, ids=part(api, PART))
    results, code = check(api=api, storage=storage, report=str(report), depth=DEPTH, world=("drawn",), runner=runner)
    assert_all_met(results, code, (*unoffered(api, "dir"), *IN_PART))
    assert foreign_names(report, find_profile(api).document(), SAMPLE_NAMESPACE) == []


@pytest.mark.parametrize("seed", seeds())
@pytest.mark.parametrize(("api", "storage"), [("lance", "memory:pure"), ("iceberg", "dir")])
def test_a_run_stays_in_its_namespace_and_order_changes_no_verdict(api, storage, seed, tmp_path):
    order, report = Shuffled(seed), tmp_path / "report"
    place = f"dir:{tmp_path / 'lake'}" if storage == "dir" else storage
    with ServerProcess(server_settings(api, storage=place, **SERVED.get(api, {}))) as server:
        somebody = SOMEBODY[api](server.url)
        fill(somebody, "other")
        somebody.namespace("shop")
        somebody.namespace("shop", "own")
        somebody.table("shop", "own", "theirs")
        with unchanged(somebody):
            given: dict[str, Any] = {
                "namespace": "shop.own",
                "depth": DEPTH,
                "world": ("drawn",),
                "report": str(report),
                **FUNCTIONS.get(api, {}),
            }
            results, code = check(server.url, api=api, runner=partial(order.judge, ids=part(api, PART)), **given)
        assert_all_met(results, code, (*unoffered(api, storage, open_to_all=True, inside=True), *IN_PART))
        assert order.moved > len(results.requirements) / 2
        assert foreign_names(report, find_profile(api).document(), SAMPLE_NAMESPACE, "shop") == []
