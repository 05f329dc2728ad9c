"""The suite against servers that offer a part of their API: true verdicts on the part, and nothing about the rest.

Each server lacks a group of operations. A standard run has each group and each form of the missing answers once for
each API, judged by a twentieth of the requirements and those about what a handshake needs; `--thorough` has all.
"""

from __future__ import annotations

from functools import partial

import pytest

from conformance.after.runner import run
from conformance.iceberg.operations import DEFAULT_OPERATIONS
from lakeproof import check, serve
from tests.amount import amount
from tests.conformance.drawing import part
from tests.conformance.partial_servers import FORMS, HANDSHAKE, Partial, all_parts, partial_server, some_parts

NOTHING_TO_MAKE = ("writes", "all but the handshake")
SHARE = 20
# Findings that are true of such a server: the forms of its refusals, and of its answers to unknown paths.
OF_REFUSALS = (".offered.", ".unsupported.form")
OF_ROUTERS = (".request.unknown_path", ".request.nowhere")
OF_FAILING_ROUTERS = (".request.below.", ".request.other_method.")
OF_FORMS = {
    "text_404": (*OF_REFUSALS, *OF_ROUTERS),
    "text_500": (*OF_REFUSALS, *OF_ROUTERS, *OF_FAILING_ROUTERS),
    "error_404": OF_REFUSALS,
    "error_405": OF_REFUSALS,
    "error_406": (),
}
# A document may oblige servers to refuse in one form: then every other one breaks a MUST.
OBLIGED = {"lance": ("error_406",)}
DEFAULTS = "iceberg.config.endpoints_default"  # a server without `endpoints` has the default operations


def judged(case, folder, share):
    """Return the results and the exit code of a run against such a server."""
    runner = partial(run, ids=part(case.api, share, HANDSHAKE)) if share > 1 else run
    with partial_server(case) as server:
        return check(server.url, api=case.api, depth="smoke", report=str(folder), runner=runner, **case.given)


@pytest.mark.parametrize("case", amount([*some_parts()], [*all_parts()]), ids=Partial.name)
def test_a_part_is_judged_truly(case, tmp_path):
    results, code = judged(case, tmp_path, amount(SHARE, 1))
    found = [entry for entry in results.requirements if entry.verdict in ("fail", "warn", "blocked", "error")]
    obliged = not case.says and DEFAULT_OPERATIONS & case.removed
    allowed = (*OF_FORMS[case.form], *([DEFAULTS] if obliged else []))
    untrue = [(entry.id, entry.message) for entry in found if not any(known in entry.id for known in allowed)]
    assert untrue == []
    assert code == (1 if any(entry.verdict == "fail" for entry in found) else 0)
    assert code == 0 or obliged or case.form not in OBLIGED.get(case.api, FORMS)
    assert results.run.left_behind == []
    check_amounts(case, results)


def check_amounts(case, results):
    """Check that the part is tested, that nothing else passes, and that few requests are sent about the rest."""
    # Requirements on unknown paths name an operation, but judge the router alone.
    others = (".offered.", *OF_ROUTERS)
    of_part = [entry for entry in results.requirements if not any(known in entry.id for known in others)]
    passed = [entry for entry in of_part if entry.verdict == "pass"]
    assert 2 * len(passed) >= len(case.document.operations) - len(case.removed)
    assert [entry.id for entry in passed if case.removed.issuperset(entry.operations)] == []
    untested = [entry for entry in results.requirements if entry.verdict in ("unoffered", "skipped")]
    # The first tries of each operation prepare what they need: among a few requirements they count for more.
    assert sum(entry.requests for entry in untested) < amount(4, 2) * len(untested)
    if case.group in NOTHING_TO_MAKE:
        assert results.run.requests < 2 * len(results.requirements)


def test_what_refuses_every_request_passes_nothing(tmp_path):
    case, select = Partial("iceberg", "views", "refused"), "unusual.create_view or padded.create_view"
    with partial_server(case) as server:
        results, _ = check(server.url, api=case.api, select=select, report=str(tmp_path), **case.given)
    assert {entry.verdict for entry in results.requirements} == {"blocked"}
    assert max(entry.requests for entry in results.requirements) < 10


@pytest.mark.parametrize("says", [True, False])
def test_refusals_without_an_error_body_have_one_cause(says, tmp_path):
    case = Partial("iceberg", "writes", "text_404", says)
    with partial_server(case) as server:
        results, code = check(server.url, api=case.api, select="iceberg.offered", report=str(tmp_path), **case.given)
    warned = {id for entry in results.requirements if entry.verdict == "warn" for id in entry.operations}
    assert (warned, code) == (case.removed, 0)
    (cause,) = results.causes
    assert len(cause.requirements) == len(warned)
    refusals = "but return no 4xx with an error body (404, text/plain)"
    assert cause.sentence == f"{len(case.removed)} operations are not offered, {refusals}"


def test_what_a_server_does_not_offer_is_not_blocked_by_its_defects(tmp_path):
    """The description of a table lacks its version, with which a tag would be created before it is moved."""
    select = "lance.offered.update_table_tag or lance.branch.tag.moved"
    with serve("lance", faults=["lost-answer-field:DescribeTable:version"], rules=["UpdateTableTag: 406"]) as server:
        results, _ = check(server.url, api="lance", select=select, report=str(tmp_path))
    assert {entry.id: entry.verdict for entry in results.requirements} == {
        "lance.offered.update_table_tag": "pass",
        "lance.branch.tag.moved": "unoffered",
    }
