"""Ordinary requests of all operations of Polaris: valid ones, on objects that are created for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.common.ordinary import Unprepared
from conformance.iceberg.client import names_below_prefix
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, CREATED, Names
from conformance.polaris.support import policies
from conformance.polaris.support.bodies import BODIES, PolarisRequest
from conformance.polaris.support.grants import ADD, REVOKE
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment
from specs.openapi import Operation

Prepare = Callable[[PolarisCatalog, str], PolarisRequest]
GENERIC_TABLE = "generic table"


def _managed(operation: Operation) -> Prepare:
    """Prepare a management request: create the objects of its path, and note the object that its body creates."""

    def prepare(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
        name = catalog.new_thing() if names_below_prefix(operation) else catalog.named()
        path = catalog.any_path(operation, name)
        body = next(iter(BODIES[operation.id].values()))(catalog, name) if operation.id in BODIES else None
        if operation.id in CREATED:
            entity = CREATED[operation.id]
            catalog.sandbox.note(entity.id, [entity.id_made(path, body)])
        return PolarisRequest(path, body)

    return prepare


def _catalog_update(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
    id = catalog.new(CATALOG)
    with catalog.client.preparing():
        known = catalog.get(CATALOG, id)
        body = {"currentEntityVersion": known["entityVersion"], "properties": dict(known["properties"])}
    return PolarisRequest(CATALOG.place(id), body)


def _revoked(operation: Operation, assignment: Assignment) -> Prepare:
    """Prepare the revocation of an assigned role."""

    def prepare(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
        name = catalog.new_thing()
        with catalog.client.preparing():
            assignment.give(catalog, (name, name), (name,))
        return PolarisRequest(catalog.any_path(operation, name), None)

    return prepare


def _grant_revoked(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
    name = catalog.new_thing()
    path, body = {"catalogName": name, "catalogRoleName": name}, BODIES[REVOKE]["catalog"](catalog, name)
    with catalog.client.preparing():
        catalog.send(ADD, path, body)
    return PolarisRequest(path, body)


def _of_policy(operation: Operation, *, attached: bool = False) -> Prepare:
    """Prepare a request on an existing policy."""

    def prepare(catalog: PolarisCatalog, name: str) -> PolarisRequest:
        id = policies.new(catalog)
        if attached:
            with catalog.client.preparing():
                policies.attach(catalog, id, policies.CATALOG)
        body = next(iter(BODIES[operation.id].values()))(catalog, name) if operation.id in BODIES else None
        return PolarisRequest({"namespace": id[:-1], "policy-name": id[-1]}, body)

    return prepare


def _of_generic_table(catalog: PolarisCatalog, name: str) -> PolarisRequest:
    made = _new_generic_table(catalog, name)
    with catalog.client.preparing():
        made.send(catalog, "createGenericTable")
    return PolarisRequest({**made.path, "generic-table": made.body["name"]}, None)


def _new_generic_table(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
    return _within(catalog, "createGenericTable", GENERIC_TABLE, catalog.tables.table_id(catalog.target.new_name()))


def _new_policy(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
    return _within(catalog, "createPolicy", "policy", policies.new_id(catalog))


def _within(catalog: PolarisCatalog, operation: str, kind: str, id: Names) -> PolarisRequest:
    """Prepare the creation of an object in a namespace."""
    catalog.tables.sandbox.note(kind, [id])
    return PolarisRequest({"namespace": id[:-1]}, BODIES[operation][""](catalog, id[-1]))


def _in_namespace(operation: Operation) -> Prepare:
    """Prepare a request on the home namespace, or on a new table in it."""

    def prepare(catalog: PolarisCatalog, _name: str) -> PolarisRequest:
        name = catalog.tables.new_table(catalog.target.new_name())[-1] if "{table}" in operation.path else ""
        path = {"namespace": catalog.tables.home, "table": name}
        body = next(iter(BODIES[operation.id].values()))(catalog, name) if operation.id in BODIES else None
        return PolarisRequest({key: path[key] for key in names_below_prefix(operation)}, body)

    return prepare


def preparation(operation: Operation) -> Prepare:
    """Return the function that prepares a request of an operation; Unprepared if its body is missing in BODIES."""
    made: Mapping[str, Prepare] = {
        **{case.revoke: _revoked(operation, case) for case in ASSIGNMENTS.values()},
        CATALOG.update: _catalog_update,
        REVOKE: _grant_revoked,
        "createGenericTable": _new_generic_table,
        "loadGenericTable": _of_generic_table,
        "dropGenericTable": _of_generic_table,
        "createPolicy": _new_policy,
        "detachPolicy": _of_policy(operation, attached=True),
    }
    if operation.id in made:
        return made[operation.id]
    if operation.request and operation.id not in BODIES:
        return Unprepared(operation.id)
    if "{policy-name}" in operation.path:
        return _of_policy(operation)
    return _in_namespace(operation) if "{prefix}" in operation.path else _managed(operation)
