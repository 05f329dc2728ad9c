"""Stored schemas as the suite judges them: the requested columns in a valid schema."""

from __future__ import annotations

from typing import Any

import pytest

from conformance.iceberg.support.content import field, schema
from conformance.iceberg.support.validity import mended
from conformance.values.outcomes import Violation


def stored(*types: str) -> dict[str, Any]:
    fields = [field(id, f"c{id}", kind) for id, kind in enumerate(types, 1)]
    return {"format-version": 2, "current-schema-id": 0, "schemas": [{**schema(*fields), "schema-id": 0}]}


def test_blanks_in_a_type_mean_nothing():
    mended(stored("decimal(9, 2)"), schema(field(1, "c1", "decimal(9,2)")))


@pytest.mark.parametrize(
    ("kind", "wanted", "words"),
    [("decimal(40, 2)", "decimal(40,2)", "no type decimal"), ("decimal(38, 2)", "decimal(40,2)", "the columns")],
)
def test_a_type_that_does_not_exist_is_neither_stored_nor_replaced(kind, wanted, words):
    with pytest.raises(Violation, match=words):
        mended(stored(kind), schema(field(1, "c1", wanted)))
