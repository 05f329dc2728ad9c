"""What drawn bodies of Polaris are about; see conformance/fuzz/fuzzing.py.

They are those of the management interface: on a catalog, its role, a principal and its role, all made for the draw.
"""

from __future__ import annotations

from typing import Any

from conformance.fuzz.fuzzing import Fuzzing, Subject
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, CREATED
from conformance.polaris.operations import MANAGEMENT
from specs.openapi import Operation
from specs.profiles import every_operation

ASSIGNED = {"assignPrincipalRole": "principalRole", "assignCatalogRoleToPrincipalRole": "catalogRole"}


def prepare(catalog: PolarisCatalog, operation: Operation) -> Subject:
    """Make something of each kind under one name."""
    name = catalog.new_thing()
    path = catalog.any_path(operation, name)
    return Subject(_own(catalog, operation, name), lambda body: catalog.send(operation.id, path, body, expect=None))


def _own(catalog: PolarisCatalog, operation: Operation, name: str) -> Any:
    """Return the run's own body: of something new for what creates, of what was made for what assigns."""
    entity = CREATED.get(operation.id)
    if entity:
        catalog_of_role = (name,) if entity.path[0] == CATALOG.path[0] else ()
        return entity.wrapped(catalog.value(entity, (*catalog_of_role, catalog.target.new_name())))
    return {ASSIGNED[operation.id]: {"name": name}} if operation.id in ASSIGNED else {}


FUZZING = Fuzzing(
    PolarisCatalog,
    prepare,
    names=(
        "name",
        "clientId",
        "storageConfigInfo",
        "connectionConfigInfo",
        "default-base-location",
        "namespace",
        "tableName",
        "viewName",
        "policyName",
    ),
    left_out={
        operation.id: "it is about things in a catalog"
        for operation in every_operation("polaris")
        if operation.name not in MANAGEMENT
    },
)
