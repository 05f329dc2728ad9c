"""The model of a catalog: what a server may decide is not predicted."""

from __future__ import annotations

import pytest

from conformance.iceberg.support.assertions import PLACE_REFUSED
from conformance.iceberg.support.model import CREATED, DONE, CatalogModel, ViewModel

A, B = ("home", "a"), ("home", "b")
VIEW = ViewModel(["SELECT 1"])


@pytest.fixture
def model():
    """A model in which a view was renamed out of a namespace that was dropped then."""
    model = CatalogModel({A, B}, views={(*A, "v"): VIEW})
    assert model.rename(model.views, (*A, "v"), (*B, "w")) == DONE
    assert model.drop_namespace(A) == DONE
    return model


def test_where_files_of_something_renamed_may_lie_a_server_may_refuse_to_create(model):
    assert model.namespace_creation(A) == CREATED | {*PLACE_REFUSED}
    model.namespaces.add(A)
    assert model.creation((*A, "v")) == CREATED | {*PLACE_REFUSED}
    assert model.creation((*A, "other")) == CREATED


@pytest.mark.parametrize("back", [False, True])
def test_what_was_renamed_is_in_the_way_until_it_is_dropped(model, back):
    model.namespaces.add(A)
    last = (*A, "u") if back else (*B, "w")
    if back:
        assert model.rename(model.views, (*B, "w"), last) == DONE
    assert model.creation((*A, "v")) == CREATED | {*PLACE_REFUSED}
    assert model.drop(model.views, last) == DONE
    assert model.creation((*A, "v")) == CREATED
