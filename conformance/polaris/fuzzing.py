"""Fuzzing of the Polaris management API: the objects that drawn bodies go to, and the fields that are never drawn."""

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
    """Create an entity of each type under one name, and return the subject of drawn bodies."""
    name = catalog.new_thing()
    path = catalog.any_path(operation, name)
    return Subject(_own(catalog, operation, name), lambda body: catalog.send(operation.id, path, body, expect=None))


def _own(catalog: PolarisCatalog, operation: Operation, name: str) -> Any:
    """Return the valid body of an operation: a new entity to create, or the prepared role to assign."""
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
