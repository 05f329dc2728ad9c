"""A fault of each dimension and API: a requirement notices it in the world of the fault, and tells this world alone."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from conformance.apis import requirements, suite_part
from conformance.values.verdict import FINDINGS
from lakeproof import serve
from specs.apis import apis
from tests.conformance.mutants import SERVED, TOKEN, judge

LOAD, VIEW, COUNT = "iceberg.table.load.again", "iceberg.view.load.referenced_by", "lance.rows.count.all"
PRINCIPAL, POLICY = "polaris.principal.rotate.new_secret", "polaris.policy.listed"
CASES = {
    "iceberg": [
        ("missing-in-world:loadTable:place=nested", LOAD),
        ("failing-in-world:loadTable:home=unicode", LOAD),
        ("refused-in-world:loadTable:beside=kinds", LOAD),
        ("refused-in-world:loadTable:names=dot", LOAD),
        ("missing-in-world:loadTable:state=renamed", LOAD),
        ("failing-in-world:loadView:view=renamed", VIEW),
        ("refused-in-world:loadTable:form=pyiceberg", LOAD),
        ("failing-in-world:loadTable:connection=fresh", LOAD),
        ("said-only-in-world:updateTable:beside=prefix", "iceberg.life.table"),
        ("stale-in-world:loadView:names=unicode", "iceberg.life.view"),
        ("said-only-in-world:dropNamespace:home=dot", "iceberg.life.namespace"),
        ("missing-in-world:tableExists:names=blank", "iceberg.life.table_existence"),
        ("refused-in-world:commitTransaction:form=java", "iceberg.life.transactions"),
        ("missing-in-world:createNamespace:beside=kinds", "iceberg.life.namespace"),
        ("failing-in-world:registerTable:connection=fresh", "iceberg.register.table.same"),
    ],
    "lance": [
        ("missing-in-world:CountTableRows:place=nested", COUNT),
        ("refused-in-world:CountTableRows:names=blank", COUNT),
        ("emptied-in-world:CountTableRows:state=remade", COUNT),
        ("failing-in-world:CountTableRows:data=lists", COUNT),
        ("refused-in-world:CountTableRows:form=lancedb", COUNT),
        ("failing-in-world:AlterTableDropColumns:data=integers", "lance.life.table_with_columns"),
        ("stale-in-world:ListTables:names=blank", "lance.life.table"),
        ("said-only-in-world:DeleteTableTag:place=prefix", "lance.life.tag"),
        ("failing-in-world:DescribeTable:place=crowd", "lance.life.table"),
        ("failing-in-world:DeleteFromTable:branch=beside", "lance.life.table_with_rows"),
        ("refused-in-world:DeleteFromTable:branch=beside", "lance.life.table_with_rows"),
        ("emptied-in-world:UpdateFieldMetadata:branch=beside", "lance.field_metadata.merged"),
        ("failing-in-world:AlterTableAlterColumns:names=long", "lance.life.table_with_columns"),
        ("refused-in-world:AlterTableDropColumns:data=vectors", "lance.life.table_with_columns"),
        ("missing-in-world:BatchCommitTables:names=case", "lance.again.declare_in_batch"),
    ],
    "polaris": [
        ("refused-in-world:rotateCredentials:entity_names=dot", PRINCIPAL),
        ("missing-in-world:rotateCredentials:entity_state=remade", PRINCIPAL),
        ("failing-in-world:rotateCredentials:assigned=others", PRINCIPAL),
        ("unlisted-in-world:listPolicies:policy_names=long", POLICY),
        ("failing-in-world:listPolicies:caller=manager", POLICY),
        ("refused-in-world:listPolicies:body=cli", POLICY),
        ("missing-in-world:updateCatalog:catalog_kind=external", "polaris.catalog.update.keeps_base"),
        ("failing-in-world:listPolicies:own_connection=each", POLICY),
        ("said-only-in-world:updatePolicy:policy_names=long", "polaris.life.policy"),
        ("stale-in-world:listGrantsForCatalogRole:entity_names=percent", "polaris.life.grant"),
        ("missing-in-world:getApplicablePolicies:place=nested", "polaris.life.attachment"),
    ],
}


def known_cases(api):
    """Return the cases whose dimensions the suite has."""
    values = {f"{dimension.name}={value}" for dimension in suite_part(api).worlds for value in dimension.others}
    return [case for case in CASES[api] if case[0].rpartition(":")[2] in values]


@pytest.fixture(scope="module")
def servers():
    with ExitStack() as stack:
        running = {}

        def get(api):
            if api not in running:
                running[api] = stack.enter_context(
                    serve(api, allow_faults=True, auth=f"token:{TOKEN}", **SERVED.get(api, {}))
                )
            return running[api]

        yield get


@pytest.mark.parametrize(
    ("api", "fault", "requirement"),
    [pytest.param(api, *case, id=case[0]) for api in apis() for case in known_cases(api)],
)
def test_a_fault_in_one_world_is_noticed_and_told_as_such(servers, tmp_path, api, fault, requirement):
    world = fault.rpartition(":")[2]
    (result,) = judge(servers(api), tmp_path, fault=fault, ids={requirement}, world=(world,)).requirements
    assert result.verdict in FINDINGS
    assert result.evidence.world == (tuple(world.split("=")),)
    assert result.message.endswith(f"({result.evidence.only})")


@pytest.mark.parametrize("api", apis())
def test_cases_name_requirements(api):
    assert {requirement for _, requirement in CASES[api]} <= requirements(api).keys()
