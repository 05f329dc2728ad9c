"""Bugs that servers have shipped: each is noticed by its requirement, and no MUST blames what is permitted.

One in three is looked at by default, by a part of the requirements where none may find anything; all of them with
`tox -e py -- --thorough tests/conformance/test_shipped.py`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from conformance.apis import requirements
from conformance.values.verdict import FINDINGS
from lakeproof.server_process import ServerProcess
from mutants.faults import FAULTS
from mutants.mutation import Shown, judging, near, show
from mutants.shipped import Bug, Permitted, Shipped, count, read_shipped
from mutants.shipped_page import shipped_page
from reference_server.serve import server_settings
from specs.apis import apis
from tests.amount import tried
from tests.conformance.mutants import ERRING, SERVED, TOKEN, settings_for

ONE_IN, MUSTS = 3, 12  # one in so many, of the faults and of the requirements that must permit one
NOTICED_AS_MUST = 27  # the least number
SHIPPED = read_shipped()
BUGS = [bug for bug in SHIPPED.bug if tried(bug.fault, ONE_IN)]
PERMITTED = [entry for entry in SHIPPED.permitted if tried(entry.fault, ONE_IN)]


def _asked(bug: Bug) -> set[str]:
    """Return the requirement of a bug, and those that get the errors that it judges."""
    judges = judging(bug.api)[bug.requirement].kind == "wire"
    return {bug.requirement, *(ERRING if judges else ())}


def _musts(entry: Permitted) -> set[str]:
    """Return some of the requirements of the operations of a fault that are a MUST, all in thorough tests."""
    close, known = near(entry.api, FAULTS[entry.fault].operations), judging(entry.api)
    return {name for name in close if known[name].level == "MUST" and tried(f"{entry.fault} {name}", MUSTS)}


@pytest.fixture(scope="module")
def findings(tmp_path_factory) -> Callable[[Bug | Permitted], set[str] | None]:
    """Return a function that returns the requirements that a fault violates, None where none could be judged.

    All faults of an API are shown in one run.
    """

    @cache
    def of_api(api: str) -> dict[str, Shown]:
        plan = {bug.fault: [_asked(bug)] for bug in BUGS if bug.api == api}
        plan |= {entry.fault: [_musts(entry)] for entry in PERMITTED if entry.api == api}
        with ServerProcess(
            server_settings(api, auth=f"token:{TOKEN}", allow_faults=True, **SERVED.get(api, {}))
        ) as server:
            return {entry.fault: entry for entry in show(settings_for(server, tmp_path_factory.mktemp(api)), plan)}

    def of_fault(entry: Bug | Permitted) -> set[str] | None:
        results = of_api(entry.api)[entry.fault].results
        return {result.id for result in results if result.verdict in FINDINGS} if results else None

    return of_fault


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.fault)
def test_a_shipped_bug_is_noticed(bug, findings):
    assert bug.requirement in findings(bug)


@pytest.mark.parametrize("entry", PERMITTED, ids=lambda entry: entry.fault)
def test_what_is_permitted_violates_no_must(entry, findings):
    assert findings(entry) == set()


def test_entries_name_faults_and_requirements():
    for bug in SHIPPED.bug:
        assert bug.fault in FAULTS
        assert bug.level == requirements(bug.api)[bug.requirement].level, bug.fault
    faults = [*(bug.fault for bug in SHIPPED.bug), *(entry.fault for entry in SHIPPED.permitted)]
    assert len(set(faults)) == len(faults)
    assert {entry.fault for entry in SHIPPED.permitted} <= FAULTS.keys()
    assert {entry.api for entry in SHIPPED.bug} == set(apis())
    assert sum(bug.level == "MUST" for bug in SHIPPED.bug) >= NOTICED_AS_MUST


def test_levels_are_counted_from_the_strongest():
    assert count(["SHOULD", "MUST", "none", "MUST"]) == "2 by a MUST, 1 by a SHOULD, 1 by nothing"


def test_the_page_has_a_row_for_each_entry():
    bug, entry = SHIPPED.bug[0], SHIPPED.permitted[0]
    page = shipped_page(Shipped(bug=(bug,), permitted=(entry,)))
    assert f"| {bug.api} | 1 | 1 by a {bug.at_first} | 1 by a {bug.level} |" in page
    assert f"| {bug.kind} | {bug.client} | `{bug.fault}` | `{bug.requirement}` | {bug.level} | {bug.at_first} |" in page
    assert f"| {entry.api} | {entry.client} | `{entry.fault}` | {entry.why} |" in page
