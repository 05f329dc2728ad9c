"""Servers whose answers mislead about what they dropped: what stays is told, and nothing else does."""

from __future__ import annotations

import pytest

from conformance.iceberg.inventory import IcebergInventory
from conformance.lance.inventory import LanceInventory
from conformance.polaris.inventory import PolarisInventory
from conformance.targets.sandbox import NAMESPACE, STAYED
from lakeproof import check, serve
from reference_server.faults import HEADER
from tests.conformance.somebody import SOMEBODY

NAMED = {
    "lance": "lance.namespace.create",
    "iceberg": "iceberg.namespace.create",
    "polaris": "polaris.principal_role.create",
}
SECRET = "s3cr3t"


def judged_with(api, fault, folder, select=""):
    """Judge a server with a fault, and return the results and the names of the run that are there afterwards."""
    own = {"bootstrap": f"root:{SECRET}"} if api == "polaris" else {}
    credential = {"credential": f"root:{SECRET}"} if api == "polaris" else {}
    with serve(api, allow_faults=True, **own) as server:
        given = {"header": [f"{HEADER}: {fault}"], "select": select or NAMED[api], "depth": "smoke", **credential}
        results, _ = check(server.url, api=api, report=str(folder), **given)
        there = SOMEBODY[api](server.url, *([SECRET] if api == "polaris" else [])).content()
    prefix = results.run.prefix
    return results, {id for id in there if any(prefix in str(part) for part in id)}


@pytest.mark.parametrize(
    ("api", "fault"),
    [("lance", "drop-keeps"), ("iceberg", "drops-forgotten"), ("polaris", "said-only:deletePrincipalRole")],
)
def test_what_stays_although_its_drop_succeeded_is_told(api, fault, tmp_path):
    results, there = judged_with(api, fault, tmp_path)
    kept = {id[-1:] for id in there if id[0] == "principal role"} if api == "polaris" else there
    left = {thing.name for thing in results.run.left_behind}
    assert kept
    assert left == {".".join(id) for id in kept}
    assert {thing.reason for thing in results.run.left_behind} == {STAYED}


@pytest.mark.parametrize("api", ["lance", "iceberg", "polaris"])
def test_nothing_stays_on_a_server_whose_errors_are_plain_text(api, tmp_path):
    """Its 404s do not tell an operation that is missing from an object that is; what has succeeded is offered."""
    results, there = judged_with(api, "plain-text-errors", tmp_path)
    assert there == set()
    assert results.run.left_behind == []
    made = sandbox_kinds(api)
    states = {operation.id: operation.state for operation in results.target.operations}
    assert {states[operation] for operation in made} == {"offered"}


def sandbox_kinds(api):
    """The operations that surely have succeeded in a run: those that make and drop namespaces, or catalogs."""
    kinds = {"lance": (LanceInventory, NAMESPACE), "iceberg": (IcebergInventory, NAMESPACE)}
    inventory, kind = kinds.get(api, (PolarisInventory, "catalog"))
    return {*inventory.makers[kind], inventory.drops[kind]}
