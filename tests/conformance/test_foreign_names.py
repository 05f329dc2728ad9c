"""What others have in a catalog, and where in it a run stays, changes no verdict; and the run changes nothing of it."""

from __future__ import annotations

import pytest

from lakeproof import check, serve
from specs.profiles import find_profile
from tests.conformance.harmless import foreign_names
from tests.conformance.somebody import SOMEBODY, fill

ROOTS = ("a", "aaa", "lp000000_1", "shop", "two words", "zzz")  # before, among and behind the names of a run
APIS = ("lance", "iceberg")


def judged(url, api, folder, **settings):
    """The verdicts of a run, and what else has to be so."""
    results, code = check(url, api=api, depth="smoke", report=str(folder), **settings)
    assert results.run.left_behind == []
    bases = [settings["namespace"].partition(".")[0]] if "namespace" in settings else []
    assert foreign_names(folder, find_profile(api).document(), *bases) == []
    found = {entry.id: (entry.verdict, entry.message) for entry in results.requirements}
    assert [one for one in found.items() if one[1][0] not in ("pass", "unoffered")] == []
    assert code == 0
    return {name: verdict for name, (verdict, _) in found.items()}


@pytest.fixture(scope="module", params=APIS)
def api(request):
    return request.param


@pytest.fixture(scope="module")
def alone(api, tmp_path_factory):
    """The verdicts on an empty catalog."""
    with serve(api) as server:
        return judged(server.url, api, tmp_path_factory.mktemp("alone"))


def crowd(somebody):
    """Make things of others, in the root too where it can have them."""
    for name in ROOTS:
        fill(somebody, name)
    if somebody.roots_have_tables:
        for number in range(5):
            somebody.table(f"orders_{number}")
        somebody.view("declared")
    return somebody.content()


def test_what_others_have_changes_no_verdict_and_stays_as_it_is(api, alone, tmp_path):
    with serve(api) as server:
        somebody = SOMEBODY[api](server.url)
        before = crowd(somebody)
        assert judged(server.url, api, tmp_path) == alone
        assert somebody.content() == before


def test_a_run_stays_in_the_namespace_that_it_is_given(api, alone, tmp_path):
    with serve(api) as server:
        somebody = SOMEBODY[api](server.url)
        fill(somebody, "other")
        somebody.namespace("shop")
        somebody.namespace("shop", "own")
        somebody.table("shop", "own", "theirs")
        before = somebody.content()
        assert judged(server.url, api, tmp_path, namespace="shop.own") == alone
        assert somebody.content() == before
