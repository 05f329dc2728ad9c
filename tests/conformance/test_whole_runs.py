"""One run of the whole suite for each API, against the reference server in memory, on which others have things too.

What others have changes no verdict and is as it was, all that the server meets notices a fault, nothing that the
document declares is left out without a reason, and requirements accept the statuses that their clauses name.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from conformance.after.cell_coverage import cell_coverage, held_line
from conformance.after.runner import run
from conformance.after.status_coverage import GAP, clause_coverage, status_coverage
from conformance.values.results import Results
from lakeproof import check
from lakeproof.server_process import ServerProcess
from mutants.noticed import matching
from reference_server.iceberg.options import SAMPLE_NAMESPACE
from reference_server.serve import server_settings
from specs.profiles import find_profile
from tests.conformance.accepted import Accepting, Statuses, differences, reasons, unexplained
from tests.conformance.harmless import foreign_names
from tests.conformance.mutants import NOTICED, SERVED, SETTINGS, TOKEN
from tests.conformance.somebody import SOMEBODY, fill
from tests.conformance.whole_runs import APIS, assert_all_met, assert_all_occur, unchanged, unoffered

ROOTS = ("a", "aaa", "lp000000_1", "shop", "two words", "zzz")  # before, among and behind the names of a run


@dataclass
class WholeRun:
    api: str
    results: Results
    code: int
    report: Path
    accepted: Statuses


@pytest.fixture(scope="module", params=APIS)
def whole(request, tmp_path_factory):
    """A run, after which what others have is as it was. It has one job: its process notes what is accepted."""
    api, folder, accepting = request.param, tmp_path_factory.mktemp("whole"), Accepting()
    with (
        accepting.noted(),
        ServerProcess(server_settings(api, auth=f"token:{TOKEN}", **SERVED.get(api, {}))) as server,
    ):
        somebody = SOMEBODY[api](server.url, TOKEN)
        for name in ROOTS:
            fill(somebody, name)
        if somebody.roots_have_tables:
            for number in range(5):
                somebody.table(f"orders_{number}")
            somebody.view("declared")
        with unchanged(somebody):
            given: dict[str, Any] = {"token": TOKEN, "jobs": "1", **SETTINGS.get(api, {})}
            runner = partial(run, plugins=[accepting])
            results, code = check(server.url, api=api, report=str(folder), runner=runner, **given)
    return WholeRun(api, results, code, folder, accepting.accepted)


def test_the_reference_server_conforms(whole):
    reasons = unoffered(whole.api)
    assert_all_met(whole.results, whole.code, reasons)
    assert_all_occur(whole.results, reasons)


def test_nothing_is_named_that_the_run_did_not_make(whole):
    assert foreign_names(whole.report, find_profile(whole.api).document(), SAMPLE_NAMESPACE) == []


def test_every_requirement_that_the_server_meets_notices_a_fault(whole):
    met = {entry.id for entry in whole.results.requirements if entry.verdict == "pass"}
    assert met
    suites = find_profile(whole.api).suites
    patterns = {pattern for suite in suites for patterns in NOTICED[suite].values() for pattern in patterns}
    assert sorted(met - matching(patterns, met)) == []


def test_statuses_and_clauses_have_no_gap(whole):
    profile = find_profile(whole.api)
    statuses = status_coverage(whole.results, profile.document())
    clauses = [entry for suite in profile.suites for entry in clause_coverage(suite)]
    assert [status for status in statuses if status.state == GAP] == []
    assert [clause for clause in clauses if clause.state == GAP] == []


def test_no_more_cells_are_left_out_than_allowed(whole):
    assert held_line(cell_coverage(whole.results), whole.api) == []


def test_each_difference_between_clause_and_requirement_has_a_reason(whole):
    assert len(whole.accepted) > len(whole.results.requirements) / 3
    assert unexplained(differences(whole.api, whole.accepted)) == []


def test_each_reason_explains_a_difference(whole):
    found = differences(whole.api, whole.accepted)
    assert [
        reason.ids
        for reason in reasons()
        if reason.ids.startswith(f"{whole.api}.") and not any(reason.explains(entry) for entry in found)
    ] == []
