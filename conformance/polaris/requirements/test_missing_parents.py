"""Requests in a namespace whose parents do not exist, and in a catalog that does not exist."""

from __future__ import annotations

from collections.abc import Mapping

from conformance.author.requirement import must, should
from conformance.iceberg.client import in_prefix
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import SINCE
from conformance.polaris.operations import MANAGEMENT, OPERATIONS
from conformance.polaris.support.bodies import PolarisRequest
from conformance.polaris.support.ordinary import preparation
from specs.identifiers import UNIT_SEPARATOR, encode_segment
from specs.openapi import Operation

NOT_FOUND = 404
CREATING = "sendNotification"  # creates the namespaces that it names
APPLICABLE = "getApplicablePolicies"
IN_CATALOG: Mapping[str, Operation] = {
    name: operation for name, operation in OPERATIONS.items() if name not in MANAGEMENT and operation.id != CREATING
}
IN_NAMESPACE = {name: operation for name, operation in IN_CATALOG.items() if "{namespace}" in operation.path}


def _request(catalog: PolarisCatalog, case: Operation) -> PolarisRequest:
    """Return a request that succeeds, after sending it; one on missing names in a read-only run, which creates none."""
    if catalog.target.read_only:
        return PolarisRequest(catalog.any_path(case, catalog.target.missing_name, anywhere=True), None)
    request = preparation(case)(catalog, "o")
    catalog.control(lambda: catalog.send(case.id, request.path, request.body))
    return request


@must("polaris.missing.parents.{}", clause="parents-missing", kind="error", each=IN_NAMESPACE, since=SINCE, reads=True)
def test_missing_parents(catalog: PolarisCatalog, case: Operation) -> None:
    """{} in a namespace that does not exist, or whose parents do not exist either, returns 404 and creates neither."""
    catalog.tables.require_nested()
    request = _request(catalog, case)
    home, missing = catalog.tables.home, catalog.target.missing_name
    for namespace in ((*home, missing), (*home, missing, missing), (missing, missing)):
        path = {**request.path, "namespace": namespace}
        catalog.send(case.id, path, request.body, expect=NOT_FOUND)
        catalog.tables.load_namespace_metadata(namespace, expect=NOT_FOUND)


@must(
    "polaris.missing.parents.applicable_policies",
    operations=[APPLICABLE],
    clause="parents-missing",
    kind="error",
    since=SINCE,
    reads=True,
)
def test_policies_of_missing_parents(catalog: PolarisCatalog) -> None:
    """getApplicablePolicies for a namespace or a table whose parents do not exist returns 404."""
    catalog.tables.require_nested()
    home, missing = catalog.tables.home, catalog.target.missing_name
    catalog.control(lambda: catalog.get_applicable_policies(namespace=UNIT_SEPARATOR.join(home)))
    for namespace in ((*home, missing, missing), (missing, missing)):
        joined = UNIT_SEPARATOR.join(namespace)
        catalog.get_applicable_policies(namespace=joined, expect=NOT_FOUND)
        catalog.get_applicable_policies(namespace=joined, target_name=missing, expect=NOT_FOUND)


@should("polaris.missing.prefix.{}", clause="catalog-missing", kind="error", each=IN_CATALOG, since=SINCE, reads=True)
def test_missing_catalog(catalog: PolarisCatalog, case: Operation) -> None:
    """{} in a catalog that does not exist returns 404."""
    request = _request(catalog, case)
    prefix = encode_segment(catalog.target.missing_name)
    nowhere = PolarisClient(catalog.client.located(in_prefix(prefix)))
    nowhere.send(case.id, request.path, request.body, expect=NOT_FOUND)
