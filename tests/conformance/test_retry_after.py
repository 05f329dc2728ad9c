"""Retry-After: which values clients can read, and that the requirement about it judges every answer."""

from __future__ import annotations

import pytest

from conformance.apis import requirements
from conformance.http.retry_after import says_when
from lakeproof import serve
from specs.apis import apis
from tests.conformance.mutants import SERVED, TOKEN, judge


@pytest.mark.parametrize(
    "value",
    ["0", "120", "Fri, 31 Dec 2027 23:59:59 GMT", "Friday, 31-Dec-27 23:59:59 GMT", "Fri Dec 31 23:59:59 2027"],
)
def test_seconds_and_dates_of_http_say_when(value):
    assert says_when(value)


@pytest.mark.parametrize(
    "value", ["", "soon", "-1", "1.5", "1 s", "\u0661", "2027-12-31T23:59:59Z", "Fri, 31 Dec 2027 23:59:59 +0000"]
)
def test_other_values_do_not(value):
    assert not says_when(value)


@pytest.mark.parametrize(
    ("fault", "verdict"), [("", "skipped"), ("rate-limited:0", "pass"), ("rate-limit-in-words", "fail")]
)
@pytest.mark.parametrize("api", apis())
def test_requirement_judges_what_a_limit_answers(api, fault, verdict, tmp_path):
    (id,) = (name for name in requirements(api) if ".http.retry_after." in name)
    with serve(api, auth=f"token:{TOKEN}", allow_faults=True, **SERVED.get(api, {})) as server:
        (entry,) = judge(server, tmp_path, fault=fault, ids={id}).requirements
    assert entry.verdict == verdict
