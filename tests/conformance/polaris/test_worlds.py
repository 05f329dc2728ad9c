"""Worlds of Polaris: their operations, the forms of requests, and findings that occur in one of them alone."""

from __future__ import annotations

import json

import pytest

from conformance.apis import suite_part
from conformance.polaris.entities import PRINCIPAL, PRINCIPAL_ROLE
from conformance.polaris.forms import CLI, FORMS
from conformance.polaris.operations import MANAGEMENT, OPERATIONS
from conformance.polaris.worlds import (
    DIMENSIONS,
    FORMS_OF_NAMES,
    FORMS_OF_POLICIES,
    ONLY_PLAIN,
    OWN,
    STATES,
    other_case,
)
from lakeproof import serve
from reference_server.context import Reply
from reference_server.errors import InvalidInput
from reference_server.faults import FAULTS, Call, Fault
from reference_server.iceberg.faults.blocks import refused
from specs.profiles import find_profile
from specs.validation import Validators
from tests.conformance.mutants import ROOT, judge

NEWEST, OLDEST = find_profile("polaris/1.7").document(), find_profile("polaris/2024-09").document()
CATALOG = {
    "name": "c",
    "type": "INTERNAL",
    "properties": {"default-base-location": "s3://b/c"},
    "storageConfigInfo": {"storageType": "S3", "roleArn": "arn:aws:iam::123456789012:role/r"},
}
SMALLEST = {
    "createCatalog": {"catalog": CATALOG},
    "createPrincipal": {"principal": {"name": "p"}},
    "createPrincipalRole": {"principalRole": {"name": "r"}},
    "createCatalogRole": {"catalogRole": {"name": "r"}},
    "assignPrincipalRole": {"principalRole": {"name": "r"}},
    "assignCatalogRoleToPrincipalRole": {"catalogRole": {"name": "r"}},
    "createGenericTable": {"name": "t", "format": "delta"},
    "attachPolicy": {"target": {"type": "catalog"}},
    "detachPolicy": {"target": {"type": "catalog"}},
}
DONE = (200, 204)
BODIES = [(operation, form) for operation in SMALLEST for form in FORMS]


def within(smaller, larger):
    """True when all fields of a body are in another one, at any depth."""
    if isinstance(smaller, dict):
        return all(name in larger and within(value, larger[name]) for name, value in smaller.items())
    return smaller == larger


def test_each_dimension_touches_operations():
    touched = {dimension.name: [name for name in NEWEST.operations if dimension.touches(name)] for dimension in OWN}
    assert all(touched.values())
    assert {*touched["entity_names"]} <= {operation.id for operation in MANAGEMENT.values()}
    assert {operation.id for operation in OPERATIONS.values()} == {*touched["own_connection"]}
    assert {*touched["warehouse"]} == {*touched["caller"]}


def test_management_has_no_dimension_of_tables():
    own = {dimension.name for dimension in OWN}
    managed = [operation.id for operation in MANAGEMENT.values()]
    assert [name for dimension in DIMENSIONS for name in managed if dimension.touches(name)] != []
    assert [
        dimension.name
        for dimension in DIMENSIONS
        if dimension.name not in own
        for name in managed
        if dimension.touches(name)
    ] == []


def test_values_are_applied():
    values = {dimension.name: dimension.others for dimension in DIMENSIONS}
    assert {*ONLY_PLAIN} == {*values}
    tables = {"entity_names": FORMS_OF_NAMES, "policy_names": FORMS_OF_POLICIES, "entity_state": STATES, "body": FORMS}
    assert {name: values.get(name) for name in tables} == {name: list(table) for name, table in tables.items()}
    assert suite_part("polaris").worlds == DIMENSIONS


def test_names_differ_in_case_alone():
    name = FORMS_OF_NAMES["case"].format("n1")
    assert other_case(name) != name
    assert other_case(name).lower() == name.lower()


@pytest.mark.parametrize(("operation", "form"), BODIES)
def test_a_form_says_the_same(operation, form):
    for document in (NEWEST, OLDEST):
        if operation not in document.operations:
            continue
        shaped = FORMS[form].body(operation, SMALLEST[operation], document)
        assert within(SMALLEST[operation], shaped)
        assert Validators(document).first_request_mismatch(operation, shaped) is None


def test_a_form_has_no_field_that_the_document_lacks():
    new, old = (CLI.body("createPrincipalRole", {"principalRole": {"name": "r"}}, known) for known in (NEWEST, OLDEST))
    assert new == {"principalRole": {"name": "r", "federated": False, "properties": {}}}
    assert old == {"principalRole": {"name": "r", "properties": {}}}


def test_a_form_leaves_what_is_given():
    given = {"principalRole": {"name": "r", "federated": True, "properties": {"a": "1"}}}
    for form in FORMS.values():
        assert form.body("createPrincipalRole", given, NEWEST) == given
        assert form.body("createPrincipalRole", {"name": "bare"}, NEWEST) == {"name": "bare"}
        assert form.body("createPrincipalRole", [1], NEWEST) == [1]


# Findings


def of_name(call: Call) -> bool:
    return call.operation.id == PRINCIPAL.get and "." in call.path["principalName"]


def of_form(call: Call) -> bool:
    return call.operation.id == PRINCIPAL_ROLE.create and b'"federated"' in call.request.body


@pytest.mark.parametrize(
    ("wrong", "requirement", "world", "only"),
    [
        (of_name, "polaris.principal.create.loadable", "entity_names=dot", "only for a name with a dot"),
        (of_form, "polaris.principal_role.create.loadable", "body=cli", "only as the Polaris CLI sends it"),
    ],
)
def test_a_finding_is_told_by_its_world(wrong, requirement, world, only, monkeypatch, tmp_path):
    async def around(call: Call, proceed) -> Reply:
        return refused(call, InvalidInput("Not here.")) if wrong(call) else await proceed()

    monkeypatch.setitem(FAULTS, "in-a-world", Fault("in-a-world", "Refuses.", frozenset(), around))
    with serve("polaris", bootstrap=ROOT, allow_faults=True) as server:
        results = judge(server, tmp_path, fault="in-a-world", ids={requirement}, world=(world, "own_connection=each"))
    (result,) = results.requirements
    assert result.verdict in ("fail", "warn")
    assert result.message.endswith(f"({only})")


def test_second_catalogs_and_managers_are_dropped(tmp_path):
    worlds = ("warehouse=second", "caller=fresh", "policy_names=case")
    ids = {"polaris.policy.same", "polaris.catalog_role.create.loadable"}
    with serve("polaris", bootstrap=ROOT) as server:
        results = judge(server, tmp_path, ids=ids, world=worlds)
    assert {result.verdict for result in results.requirements} == {"pass"}
    assert results.run.left_behind == []
    log = [json.loads(line) for line in (tmp_path / "exchanges.jsonl").read_text().splitlines()]
    made, dropped = (
        {_catalog(entry) for entry in log if entry["operation"] == operation and entry["response"]["status"] in DONE}
        for operation in ("createPolicy", "dropPolicy")
    )
    assert len(made) == 2
    assert dropped == made


def _catalog(entry):
    return entry["request"]["url"].split("/polaris/v1/")[1].split("/")[0]
