"""Ordinary requests of all operations of Polaris, each about something that was made for it: servers accept them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from conformance.common.ordinary import Unprepared
from conformance.iceberg.client import names_below_prefix
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG, CREATED
from conformance.polaris.support import policies
from conformance.polaris.support.assignments import ASSIGNMENTS, Assignment
from conformance.polaris.support.bodies import BODIES, Ordinary
from conformance.polaris.support.grants import ADD, REVOKE
from specs.openapi import Operation

Prepare = Callable[[PolarisCatalog, str], Ordinary]
GENERIC_TABLE = "generic table"


def _managed(operation: Operation) -> Prepare:
    """Ask for what a path of the management interface names, which is made for it; note what the body would make."""

    def prepare(catalog: PolarisCatalog, _name: str) -> Ordinary:
        name = catalog.new_thing() if names_below_prefix(operation) else catalog.target.new_name()
        path = catalog.any_path(operation, name)
        body = next(iter(BODIES[operation.id].values()))(catalog, name) if operation.id in BODIES else None
        if operation.id in CREATED:
            entity = CREATED[operation.id]
            catalog.sandbox.note(entity.id, [entity.id_made(path, body)])
        return Ordinary(path, body)

    return prepare


def _catalog_update(catalog: PolarisCatalog, _name: str) -> Ordinary:
    id = catalog.new(CATALOG)
    with catalog.client.preparing():
        known = catalog.get(CATALOG, id)
        body = {"currentEntityVersion": known["entityVersion"], "properties": dict(known["properties"])}
    return Ordinary(CATALOG.place(id), body)


def _revoked(operation: Operation, assignment: Assignment) -> Prepare:
    """Take back a role that was given."""

    def prepare(catalog: PolarisCatalog, _name: str) -> Ordinary:
        name = catalog.new_thing()
        with catalog.client.preparing():
            assignment.give(catalog, (name, name), (name,))
        return Ordinary(catalog.any_path(operation, name), None)

    return prepare


def _grant_revoked(catalog: PolarisCatalog, _name: str) -> Ordinary:
    name = catalog.new_thing()
    path, body = {"catalogName": name, "catalogRoleName": name}, BODIES[REVOKE]["catalog"](catalog, name)
    with catalog.client.preparing():
        catalog.send(ADD, path, body)
    return Ordinary(path, body)


def _of_policy(operation: Operation, *, attached: bool = False) -> Prepare:
    """Ask for a policy, which is there."""

    def prepare(catalog: PolarisCatalog, name: str) -> Ordinary:
        id = policies.new(catalog)
        if attached:
            with catalog.client.preparing():
                policies.attach(catalog, id, policies.CATALOG)
        body = next(iter(BODIES[operation.id].values()))(catalog, name) if operation.id in BODIES else None
        return Ordinary({"namespace": id[:-1], "policy-name": id[-1]}, body)

    return prepare


def _of_generic_table(catalog: PolarisCatalog, name: str) -> Ordinary:
    made = _new_generic_table(catalog, name)
    with catalog.client.preparing():
        made.send(catalog, "createGenericTable")
    return Ordinary({**made.path, "generic-table": made.body["name"]}, None)


def _new_generic_table(catalog: PolarisCatalog, _name: str) -> Ordinary:
    return _within(catalog, "createGenericTable", GENERIC_TABLE)


def _new_policy(catalog: PolarisCatalog, _name: str) -> Ordinary:
    return _within(catalog, "createPolicy", "policy")


def _within(catalog: PolarisCatalog, operation: str, kind: str) -> Ordinary:
    """Make something of a kind in the namespace of the example."""
    name, home = catalog.target.new_name(), catalog.tables.home
    catalog.tables.sandbox.note(kind, [(*home, name)])
    return Ordinary({"namespace": home}, BODIES[operation][""](catalog, name))


def _in_namespace(operation: Operation) -> Prepare:
    """Ask about the namespace of the example, or a table in it."""

    def prepare(catalog: PolarisCatalog, _name: str) -> Ordinary:
        name = catalog.tables.new_table(catalog.target.new_name())[-1] if "{table}" in operation.path else ""
        path = {"namespace": catalog.tables.home, "table": name}
        body = next(iter(BODIES[operation.id].values()))(catalog, name) if operation.id in BODIES else None
        return Ordinary({key: path[key] for key in names_below_prefix(operation)}, body)

    return prepare


def preparation(operation: Operation) -> Prepare:
    """Return the preparation of an ordinary request of an operation, Unprepared where it needs a body and has none."""
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
