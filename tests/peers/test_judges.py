"""Other judges of faults: what is read of their reports, and which operations they are asked about."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from peers.judges import Judge, Judging
from peers.schemathesis.judging import beside, failures, known_things
from specs.apis import apis
from specs.profiles import find_profile

REPORT = """
<testsuites><testsuite>
  <testcase name="GET /a"><failure message="ST202">1. Test Case ID: x

- ST202 Schema-valid request rejected

    Valid data should have been accepted

[400] Bad Request:

    `{}`

2. Test Case ID: y

- ST101 Server error

- ST103 Undocumented status code

[500] Internal Server Error:
</failure></testcase>
  <testcase name="GET /b" />
</testsuite></testsuites>
"""


def test_a_failure_is_an_operation_a_check_and_a_status():
    assert set(failures(ET.fromstring(REPORT))) == {
        "GET /a: ST202 Schema-valid request rejected (400)",
        "GET /a: ST101 Server error (500)",
        "GET /a: ST103 Undocumented status code (500)",
    }


def test_schemathesis_is_asked_about_the_paths_of_a_fault():
    document = find_profile("iceberg").document()
    assert beside(document, ["loadView"]) == ["dropView", "loadView", "replaceView", "viewExists"]
    assert beside(document, []) == []


@pytest.mark.parametrize("api", apis())
def test_what_is_made_for_schemathesis_is_made_by_operations_of_the_document(api):
    places = {
        (operation.method, operation.path.count("/")) for operation in find_profile(api).document().operations.values()
    }
    things = known_things(api)["things"]
    assert things
    assert {(thing.get("method", "POST"), thing["path"].count("/")) for thing in things} <= places


def test_a_judge_is_not_credited_with_what_it_finds_without_a_fault():
    asked = []

    def judge(_api, url, _operations, seconds):
        asked.append(seconds)
        return {"always", "now"} if len(asked) % 2 else {"always"}

    judging = Judging(Judge(judge, lambda *_: (), lambda _: {}, ""), "lance", 3.0)
    assert judging.finds("conflict-as-400") == {"now"}
    assert asked == [3.0, 6.0]
