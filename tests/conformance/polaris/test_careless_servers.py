"""Servers of Polaris that read a body before they look at rights, and take for a name what is none.

What each does was seen on Apache Polaris 1.4.1.
"""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from lakeproof import check, serve
from tests.conformance.different_iceberg import changes, lacks
from tests.conformance.different_polaris import API, CREATIONS, refusal
from tests.conformance.different_server import Call, DifferentServer, Freedom
from tests.conformance.mutants import ROOT
from tests.conformance.proxy import Answer
from tests.conformance.somebody import SOMEBODY

NOT_FOUND = refusal(404, "NotFoundException", "Unable to find matching target resource method")
NUMBER = "polaris.names.principal or body.field_types.create_p"


def _numbers_are_names(call: Call) -> Answer | None:
    """Take a number for the name of what is created, and a text for the whole of it."""
    entity = CREATIONS.get(call.operation)
    if entity is None:
        return None
    body = json.loads(call.body)
    inner = body.get(entity.field, body) if isinstance(body, dict) else body
    value = inner if isinstance(inner, dict) else {"name": inner}
    if isinstance(value.get("name"), str | int | float):
        named = {**value, "name": str(value["name"])}
        call.body = json.dumps({entity.field: named}).encode()
    return None


def _wants_ids(call: Call) -> Answer | None:
    """Read no spec of a partition that has no id, whoever sends it."""
    added = [update.get("spec") or {} for _, update in changes(call) if update.get("action") == "add-spec"]
    return refusal(400) if any("spec-id" not in spec for spec in added) else None


def _sets_or_removes(call: Call) -> Answer | None:
    """Refuse a property that is set and removed at once, whoever asks for it."""
    both = call.operation == "updateProperties" and {*call.json.get("updates", ())} & {*call.json.get("removals", ())}
    return refusal(422, "UnprocessableEntityException") if both else None


LACKS = lacks("no_register_view", ("registerView",), API)
UNROUTED = replace(LACKS, before=lambda call: NOT_FOUND if call.operation == "registerView" else None)


def judged(freedom, folder, select):
    """The results of a server that does this, and what has no name of the run and is there afterwards."""
    with (
        serve(API, bootstrap=ROOT) as server,
        DifferentServer(server.url, API, [freedom]) as different,
    ):
        given = {"credential": ROOT, "depth": "smoke", "select": select, "report": str(folder)}
        results, _ = check(different.url, api=API, **given)
        there = SOMEBODY[API](server.url, ROOT.partition(":")[2]).content()
    return {result.id: result for result in results.requirements}, {id[:2] for id in there}


def test_what_is_made_of_a_number_is_dropped(tmp_path):
    results, there = judged(Freedom("numbers", API, _numbers_are_names), tmp_path, NUMBER)
    assert results["polaris.names.principal.no_text"].verdict == "fail"
    assert "got 201" in results["polaris.names.principal.no_text"].message
    assert {id for id in there if id[0] in ("catalog", "principal")} == {("principal", "root")}


@pytest.mark.parametrize(
    ("careless", "request_name"), [(_wants_ids, "commit_add_spec"), (_sets_or_removes, "update_namespace")]
)
def test_requests_about_rights_have_no_defect(careless, request_name, tmp_path):
    results, _ = judged(Freedom("careless", API, careless), tmp_path, f"polaris.access.{request_name}")
    assert {result.verdict for result in results.values()} == {"pass"}
    assert len(results) >= 2


def test_what_a_router_says_is_no_operation(tmp_path):
    results, _ = judged(UNROUTED, tmp_path, "iceberg.config.endpoints_complete")
    assert results["iceberg.config.endpoints_complete"].verdict == "pass"


def test_rights_to_an_operation_that_is_not_there_are_nobodys(tmp_path):
    results, _ = judged(UNROUTED, tmp_path, "polaris.access.register_view or polaris.access.load_view")
    assert {id.rpartition(".")[0]: result.verdict for id, result in results.items()} == {
        "polaris.access.register_view": "unoffered",
        "polaris.access.load_view": "pass",
    }
