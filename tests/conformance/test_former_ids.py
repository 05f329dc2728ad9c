"""Former ids of requirements go on meaning something: in selections, expectations, frozen sets and comparisons."""

from __future__ import annotations

import msgspec
import pytest

from conformance.after.comparing.runs import differences
from conformance.former_ids import followed, is_former, present_ids
from conformance.run.frozen import frozen
from conformance.values.settings import SUITES
from lakeproof import check, serve
from tests.conformance.mutants import ROOT

FORMER, PRESENT = "polaris.principal.delete.gone", "polaris.effect.delete_principal"
FAULT = ("X-Lakeproof-Fault: said-only:deletePrincipal",)


@pytest.fixture(scope="module")
def server():
    with serve("polaris", bootstrap=ROOT, allow_faults=True) as started:
        yield started.url


def run(server, folder, *, select=FORMER, header=FAULT, expect=""):
    return check(
        server,
        api="polaris",
        credential=ROOT,
        select=select,
        header=header,
        expect=expect,
        world=("plain",),
        report=str(folder),
    )


def test_a_former_id_stands_for_those_that_took_its_place():
    assert is_former(FORMER)
    assert present_ids(FORMER) == (PRESENT,)
    assert present_ids(PRESENT) == (PRESENT,)
    assert present_ids("no.such.id") == ("no.such.id",)


def test_a_selection_and_expectations_read_former_ids(server, tmp_path):
    results, code = run(server, tmp_path)
    assert [(result.id, result.verdict) for result in results.requirements] == [(PRESENT, "fail")]
    assert code == 1
    file = tmp_path / "known.toml"
    file.write_text(f'profile = "{results.target.profile}"\n[[known]]\ncause = "x"\nrequirements = ["{FORMER}"]\n')
    results, code = run(server, tmp_path, expect=str(file))
    assert [(result.id, result.verdict, code) for result in results.requirements] == [(PRESENT, "known", 0)]
    results, code = run(server, tmp_path, header=(), expect=str(file))
    assert [(result.id, result.verdict, code) for result in results.requirements] == [(PRESENT, "pass", 0)]
    assert [record.state for record in results.expectations] == ["unseen"]


def test_a_frozen_set_has_the_level_of_the_former_id():
    assert frozen("polaris", SUITES[0])[PRESENT] == "MUST"
    assert frozen("polaris", SUITES[0])["polaris.refusal.create_principal.taken"] == "SHOULD"
    assert FORMER not in frozen("polaris", SUITES[0])


def test_results_of_an_older_kit_are_compared_by_present_ids(server, tmp_path):
    faulty, _ = run(server, tmp_path)
    sound, _ = run(server, tmp_path, header=())
    was_faulty, was_sound = (
        msgspec.structs.replace(
            results, requirements=[msgspec.structs.replace(results.requirements[0], id=FORMER)], causes=[]
        )
        for results in (faulty, sound)
    )
    seen = {
        name: [(difference.change, difference.requirements) for difference in differences(old, new)]
        for name, old, new in (
            ("fixed", was_faulty, sound),
            ("broken", was_sound, faulty),
            ("the same", was_faulty, faulty),
        )
    }
    assert seen == {"fixed": [("fixed", (PRESENT,))], "broken": [("broken", (PRESENT,))], "the same": []}


GRANT, ADDED = "polaris.grant.role_deleted", "polaris.effect.delete_catalog_role"
AGAIN = "polaris.after.delete_catalog_role.create_catalog_role"


@pytest.mark.parametrize(
    ("failed", "now", "expected"),
    [
        (True, {ADDED: False, AGAIN: True}, [AGAIN]),
        (True, {ADDED: False, AGAIN: False}, [ADDED]),
        (False, {ADDED: False, AGAIN: True}, [ADDED, AGAIN]),
        (False, {}, []),
    ],
)
def test_a_result_is_compared_with_the_part_that_fails(failed, now, expected):
    assert followed(GRANT, failed, now) == expected
