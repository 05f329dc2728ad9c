"""A server error for a mistake of the client fails the gate where the document declares 400 for the operation."""

from __future__ import annotations

from dataclasses import replace

import pytest

from conformance.apis import requirements
from conformance.common.invalid import invalid_parameters
from lakeproof.server_process import ServerProcess
from reference_server.serve import server_settings
from specs.apis import apis
from specs.openapi import Parameter
from specs.profiles import newest_profile, profiles
from tests.conformance.mutants import SERVED, TOKEN, judge

KINDS = {  # requirements of each kind of bad input, by API
    "iceberg": ["field.create_namespace", "parameter.load_table", "page_token.list_tables"],
    "lance": ["parameter.describe_table", "page_token.list_tables"],
    "polaris": ["field.create_policy", "parameter.drop_policy", "page_token.list_policies"],
}


def of_kind(api, clause):
    return [entry for entry in requirements(api).values() if entry.clause.startswith(clause)]


@pytest.mark.parametrize("api", apis())
def test_a_server_error_for_each_kind_of_bad_input_fails_the_gate(api, tmp_path):
    ids = {f"{api}.invalid.{kind}" for kind in KINDS[api]}
    served = SERVED.get(api, {})
    with ServerProcess(server_settings(api, auth=f"token:{TOKEN}", allow_faults=True, **served)) as server:
        results = judge(server, tmp_path, fault="bad-requests-crash", ids=ids, depth="smoke", world="plain")
    assert {entry.id: entry.verdict for entry in results.requirements} == dict.fromkeys(ids, "fail")
    assert [entry for entry in results.requirements if " with 500" not in entry.message] == []


@pytest.mark.parametrize("clause", ["invalid-no-failure", "bad-json", "request-bodies"])
def test_the_level_follows_from_the_document(clause):
    """The document of Polaris' management API declares no 400; all others do, for every operation."""
    operations = newest_profile("polaris").document().operations.values()
    managing = {operation.id for operation in operations if "{prefix}" not in operation.path}
    own = [entry for api in apis() for entry in of_kind(api, clause)]
    assert own
    for entry in own:
        of_management = entry.api == "polaris" and entry.operations[0] in managing
        assert entry.level == ("SHOULD" if of_management else "MUST"), entry.id


def test_a_must_about_bad_input_has_its_status_in_every_revision():
    lacking = [
        (profile.name, entry.id)
        for profile in profiles().values()
        for entry in of_kind(profile.api, "invalid-no-failure")
        for operation in entry.operations
        if entry.level == "MUST" and operation in profile.document().operations
        if "400" not in profile.document().operations[operation].responses
    ]
    assert lacking == []


@pytest.mark.parametrize(
    ("schema", "texts"),
    [
        ({"type": "string"}, []),
        ({"type": "array"}, []),
        ({}, []),
        ({"type": "boolean"}, ["many"]),
        ({"type": ["integer", "null"]}, ["many"]),
        ({"type": "integer", "minimum": 1}, ["many", "0"]),
        ({"type": "string", "enum": ["all", "refs"]}, ["many"]),
        ({"type": "string", "minLength": 36}, ["many"]),
    ],
)
def test_texts_that_a_parameter_does_not_fit(schema, texts):
    document = newest_profile("iceberg").document()
    parameter = Parameter("p", "query", required=False, schema=schema)
    operation = document.operation("loadTable")
    changed = replace(operation, parameters=(parameter,))
    assert [text for _, text in invalid_parameters(document, changed, ())] == texts
    assert invalid_parameters(document, changed, ("p",)) == []
