"""The whole suite against the reference server: on every backend, alone and beside what others have there.

What others have, and where in a catalog a run stays, changes no verdict; and the run changes nothing of it.
"""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from lakeproof import check, serve
from reference_server.iceberg.catalog.function_files import SAMPLES
from reference_server.iceberg.options import SAMPLE_NAMESPACE
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.somebody import SOMEBODY, fill

# Why a requirement has nothing to judge on the reference server, as its message says.
UNOFFERED = {
    ("lance", "memory:pure"): ("access to the files", "other reasons than a null"),  # no suite can stage versions there
    "lance": ("other reasons than a null",),  # RegisterTable needs a table that exists
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
OPEN = {"lance": ("the run has no token",), "iceberg": ("the run has no token", "the run has no credential")}
INSIDE = {"lance": ("stays in a namespace that it was given",), "iceberg": ()}
SERVED = {"lance": {}, "iceberg": {"functions": str(SAMPLES)}}
JUDGED = {"lance": {}, "iceberg": {"functions": SAMPLE_NAMESPACE}}
ROOTS = ("a", "aaa", "lp000000_1", "shop", "two words", "zzz")  # before, among and behind the names of a run


@contextmanager
def unchanged(somebody):
    """What somebody has is as it was before."""
    before = somebody.content()
    yield
    assert somebody.content() == before


def assert_conformance(api, backend, folder, url=None, **settings):
    """Everything is met or has a reason, nothing foreign is named, and nothing stays."""
    inside = INSIDE[api] if "namespace" in settings else ()
    results, code = check(url, api=api, report=str(folder / "report"), **settings)
    assert code == 0
    expected = UNOFFERED.get((api, backend), UNOFFERED.get(api, ())) + (OPEN[api] if url else ()) + inside
    unoffered = [entry.message for entry in results.requirements if entry.verdict != "pass"]
    assert [message for message in unoffered if not any(reason in message for reason in expected)] == []
    assert [reason for reason in expected if not any(reason in message for message in unoffered)] == []
    assert results.run.left_behind == []
    bases = (SAMPLE_NAMESPACE, *settings.get("namespace", "").split(".")[:1])
    assert foreign_names(folder / "report", find_profile(api).document(), *filter(None, bases)) == []


@pytest.mark.parametrize("api", SERVED)
def test_the_embedded_server_conforms_on_a_directory(api, tmp_path):
    assert_conformance(api, "dir", tmp_path, storage=f"dir:{tmp_path / 'lake'}")


@pytest.mark.parametrize("api", SERVED)
def test_what_others_have_changes_no_verdict(api, tmp_path):
    with serve(api, storage="memory", **SERVED[api]) as server:
        somebody = SOMEBODY[api](server.url)
        for name in ROOTS:
            fill(somebody, name)
        if somebody.roots_have_tables:
            for number in range(5):
                somebody.table(f"orders_{number}")
            somebody.view("declared")
        with unchanged(somebody):
            assert_conformance(api, "memory", tmp_path, server.url, **JUDGED[api])


@pytest.mark.parametrize(("api", "storage"), [("lance", "memory:pure"), ("iceberg", "memory")])
def test_a_run_stays_in_the_namespace_that_it_is_given(api, storage, tmp_path):
    with serve(api, storage=storage, **SERVED[api]) as server:
        somebody = SOMEBODY[api](server.url)
        fill(somebody, "other")
        somebody.namespace("shop")
        somebody.namespace("shop", "own")
        somebody.table("shop", "own", "theirs")
        with unchanged(somebody):
            given = {"namespace": "shop.own", "depth": "smoke", **JUDGED[api]}
            assert_conformance(api, storage, tmp_path, server.url, **given)
