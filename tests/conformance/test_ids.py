"""Ids of requirements stay: what users have written down about one must go on naming it."""

from __future__ import annotations

import pytest

from conformance.former_ids import former_ids
from specs.apis import apis
from tests.conformance.ids import known_ids, listed_ids


@pytest.mark.parametrize("api", apis())
def test_no_id_goes(api):
    assert listed_ids(api) - known_ids(api) == set()


@pytest.mark.parametrize("api", apis())
def test_every_id_is_listed(api):
    new = sorted(known_ids(api) - listed_ids(api))
    assert new == [], "add them with `python -m tests.conformance.ids`"


@pytest.mark.parametrize("api", apis())
def test_a_former_id_leads_to_present_ones(api):
    former = former_ids(api)
    assert list(former) == sorted(former)
    assert {id for present in former.values() for id in present} <= known_ids(api)
    assert set(former) & known_ids(api) == set()
