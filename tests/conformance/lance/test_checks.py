"""Checks of the error codes and the locations in Lance responses."""

from __future__ import annotations

import pytest

from conformance.lance.locations import same_place
from conformance.lance.support.checks import code_matches_status
from conformance.values.exchange import Exchange
from conformance.values.verdict import GOOD
from lakeproof import check, serve
from tests.conformance.different_server import DifferentServer, Freedom, of_json, with_json


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


@pytest.mark.parametrize(
    ("location", "other", "same"),
    [
        ("file:///lake/t.lance", "/lake/t.lance", True),
        ("file:///lake/a%20b/", "/lake/a b", True),
        ("file:///lake/a%20b/", "/lake/a%20b", True),
        ("s3://bucket/lake/t", "lake/t", True),
        ("t.lance", "/lake/t.lance", True),
        ("/lake/t.lance", "/lake/at.lance", False),
        ("t.lance", "/lake/at.lance", False),
        ("s3://bucket/t", "s3://other/t", False),
    ],
)
def test_a_place_has_several_spellings(location, other, same):
    assert same_place(location, other) is same_place(other, location) is same


def paths_in_descriptions(call, answer):
    """Return the location of a described table as a path, as pylance's RestAdapter does for tables of the root."""
    value = of_json(answer)
    if call.operation != "DescribeTable" or answer.status != 200:
        return answer
    return with_json(answer, {**value, "location": value["location"].removeprefix("file://")})


def test_a_location_need_not_be_a_uri(tmp_path):
    select = "lance.option.declare.credentials or lance.description.declare or told or lance.version.batch"
    freedom = Freedom("paths_in_descriptions", "lance", after=paths_in_descriptions)
    with (
        serve("lance", storage=f"dir:{tmp_path / 'lake'}") as server,
        DifferentServer(server.url, "lance", [freedom]) as different,
    ):
        results, _ = check(different.url, api="lance", select=select, depth="smoke", report=str(tmp_path / "report"))
    assert [result.id for result in results.requirements if result.verdict not in GOOD] == []
    assert len(results.requirements) > 5
