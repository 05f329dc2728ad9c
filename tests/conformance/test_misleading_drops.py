"""Servers whose answers mislead about what they dropped: what stays is told, and nothing else does."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import pytest

from conformance.iceberg.inventory import IcebergInventory
from conformance.lance.inventory import LanceInventory
from conformance.polaris.inventory import PolarisInventory
from conformance.run.session import met
from conformance.target.sandbox import STAYED
from conformance.values.resources import NAMESPACE, names_of
from conformance.values.settings import load_settings
from lakeproof import check, serve
from reference_server.faults import HEADER
from specs.problems import Problem
from tests.conformance.small_servers import Meddler, say
from tests.conformance.somebody import SOMEBODY

NAMED = {
    "lance": "lance.namespace.create",
    "iceberg": "iceberg.namespace.create",
    "polaris": "polaris.principal_role.create",
}
SECRET = "s3cr3t"
INVENTORIES = {"lance": LanceInventory, "iceberg": IcebergInventory, "polaris": PolarisInventory}


def judged_with(api, fault, folder, select=""):
    """Judge a server with a fault, and return the results and the names of the run that are there afterwards."""
    own: dict[str, Any] = {"bootstrap": f"root:{SECRET}"} if api == "polaris" else {}
    credential = {"credential": f"root:{SECRET}"} if api == "polaris" else {}
    with serve(api, allow_faults=True, **own) as server:
        given: dict[str, Any] = {
            "header": [f"{HEADER}: {fault}"],
            "select": select or NAMED[api],
            "depth": "smoke",
            **credential,
        }
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
    left = set(names_of(results.run.left_behind))
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


def makers_and_drops():
    """The operations without which a run makes or drops nothing of a kind, by API."""
    for api, inventory in INVENTORIES.items():
        made = {operation for makers in inventory.makers.values() for operation in makers[:1]}
        yield from ((api, operation) for operation in sorted({*made, *map(inventory.drops.get, inventory.makers)}))


@pytest.mark.parametrize(("api", "operation"), list(makers_and_drops()))
def test_what_seems_to_be_missing_is_decided_by_doing(api, operation, tmp_path):
    """A 404 in plain text to the drop of a missing thing, or to a table in a missing namespace, is no word on it."""
    with meeting(api, f"plain-text-errors:{operation}", tmp_path) as (target, expected):
        assert target.state(operation) == "offered"
        assert target.sandbox.inventory.undroppable() == []
        assert target.ways.chosen == expected


@pytest.mark.parametrize("operation", ["deletePrincipal", "deleteCatalogRole"])
def test_of_what_was_made_to_find_out_all_stays_that_cannot_be_dropped_and_nothing_else(operation, tmp_path):
    with serve("polaris", bootstrap=f"root:{SECRET}") as server:

        def meddle(_server, handler, _number):
            entity = {"deletePrincipal": "/principals/", "deleteCatalogRole": "/catalog-roles/"}[operation]
            managed = handler.path.startswith("/api/management") and entity in handler.path
            return handler.command == "DELETE" and managed and say(handler, 404, "no such route")

        with Meddler(server.url, meddle) as proxy, pytest.raises(Problem, match="cannot drop") as caught:
            check(proxy.url, api="polaris", report=str(tmp_path), credential=f"root:{SECRET}")
        there = SOMEBODY["polaris"](server.url, SECRET).content()
    left = {id[0] for id in there if "lp" in str(id)} & {"catalog", "principal", "principal role"}
    assert left == {{"deletePrincipal": "principal", "deleteCatalogRole": "catalog"}[operation]}
    assert "still there: " in str(caught.value)


@contextmanager
def meeting(api, fault, folder):
    """Meet a server with a fault; yield the target, and the ways that are found without it. All is dropped."""
    own: dict[str, Any] = {"bootstrap": f"root:{SECRET}"} if api == "polaris" else {}
    given = {"api": api, "report": str(folder), **({"credential": f"root:{SECRET}"} if api == "polaris" else {})}
    with serve(api, allow_faults=True, **own) as server:
        with met(load_settings({**given, "server": server.url}, environ={})) as target:
            expected = target.ways.chosen
        header = [f"{HEADER}: {fault}"]
        with met(load_settings({**given, "server": server.url, "header": header}, environ={})) as target:
            yield target, expected
        assert target.sandbox.left_behind == []


def sandbox_kinds(api):
    """The operations that surely have succeeded in a run: those that make and drop namespaces, or catalogs."""
    inventory, kind = INVENTORIES[api], "catalog" if api == "polaris" else NAMESPACE
    return {*inventory.makers[kind], inventory.drops[kind]}
