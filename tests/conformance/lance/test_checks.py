"""Checks of the error codes of Lance responses."""

from __future__ import annotations

import pytest

from conformance.lance.support.checks import code_matches_status
from conformance.values.exchange import Exchange


@pytest.mark.parametrize(
    ("operation", "status", "code", "fits"),
    [
        ("DropNamespace", 404, 1, True),
        ("DropNamespace", 400, 1, True),  # the status that the document states for mode Fail
        ("DropNamespace", 409, 1, False),
        ("DropNamespace", 400, 4, False),
        ("DescribeNamespace", 400, 1, False),
    ],
)
def test_a_code_has_its_status_or_the_one_that_the_document_states(operation, status, code, fits):
    exchange = Exchange(operation, "POST", "http://h/v1/namespace/n/drop", {}, status=status)
    assert (code_matches_status(exchange, {"code": code}) == []) is fits
