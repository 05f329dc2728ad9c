"""Lives of entities, grants, policies and generic tables, as the operations of each show them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from conformance.common.lives import GONE, Life, Shown, life
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES, SINCE, EntityType, Names, of, properties_with
from conformance.polaris.support import policies
from conformance.polaris.support.grants import ADD, LIST, REVOKE, SECURABLES, add, grants, new_role, revoke
from conformance.polaris.support.policies import OFF, ON
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment
from conformance.polaris.support.readables import new_generic_table
from conformance.polaris.worlds import EMPTY

CLAUSE, NOTE = "shown-alike", "lakeproof.life"
NOTES = ("1", "2")  # of two changes: a server that carries out only the first one has the wrong value
THERE_OR_NOT = (200, 404)


# Entities


def _look(entity: EntityType, catalog: PolarisCatalog, id: Names) -> Shown:
    loaded = catalog.get(entity, id, expect=THERE_OR_NOT)
    note = (loaded.get("properties") or {}).get(NOTE) if loaded.succeeded else GONE
    return {entity.get: note, entity.list: catalog.names(entity, id).count(id[-1])}


def _note(entity: EntityType, catalog: PolarisCatalog, id: Names) -> None:
    for value in NOTES:
        before = catalog.get(entity, id)
        version, properties = before["entityVersion"], properties_with(before, NOTE, value)
        catalog.update(entity, id, currentEntityVersion=version, properties=properties)


def _delete(entity: EntityType, catalog: PolarisCatalog, id: Names) -> object:
    return catalog.delete(entity, id)


def _of_entity(entity: EntityType) -> Life[PolarisCatalog]:
    return Life(
        entity.id,
        CLAUSE,
        of("create", "get", "update", "delete", "list")(entity),
        lambda catalog: catalog.new(entity),
        partial(_look, entity),
        {entity.get: None, entity.list: 1},
        [
            (partial(_note, entity), {entity.get: NOTES[-1], entity.list: 1}),
            (partial(_delete, entity), {entity.get: GONE, entity.list: 0}),
        ],
        EMPTY,
    )


# Grants


def _new_grant(catalog: PolarisCatalog) -> tuple[Names, Mapping[str, Any]]:
    role, kind = new_role(catalog), SECURABLES["namespace"]
    return role, kind.grant(kind.new(catalog))


def _look_at_grant(catalog: PolarisCatalog, subject: tuple[Names, Any]) -> Shown:
    role, grant = subject
    return {LIST: grants(catalog, role).count(grant)}


# Assignments


def _of_assignment(kind: Assignment) -> Life[PolarisCatalog]:
    def look(catalog: PolarisCatalog, subject: tuple[Names, Names]) -> Shown:
        role, taker = subject
        return {
            kind.list_given: kind.of_taker(catalog, role, taker).count(role[-1]),
            kind.list_takers: kind.takers(catalog, role).count(taker[-1]),
        }

    return Life(
        f"assignment of a {kind.id}",
        "revoked",
        of("assign", "list_given", "list_takers", "revoke")(kind),
        lambda catalog: (catalog.new(kind.given), catalog.new(kind.taker)),
        look,
        {kind.list_given: 0, kind.list_takers: 0},
        [
            (lambda catalog, subject: kind.give(catalog, *subject), {kind.list_given: 1, kind.list_takers: 1}),
            (lambda catalog, subject: kind.take(catalog, *subject), {kind.list_given: 0, kind.list_takers: 0}),
        ],
    )


# Policies and generic tables


def _look_at_policy(catalog: PolarisCatalog, id: Names) -> Shown:
    loaded = catalog.load_policy(id[:-1], id[-1], expect=THERE_OR_NOT)
    names = [entry["name"] for entry in catalog.list_policies(id[:-1])["identifiers"]]
    policy = loaded["policy"] if loaded.succeeded else {}
    shown = (policy["content"], policy.get("description")) if policy else GONE
    return {"loadPolicy": shown, "listPolicies": names.count(id[-1])}


def _change_policy(catalog: PolarisCatalog, id: Names) -> None:
    for description in NOTES:
        version = policies.load(catalog, id)["version"]
        changes = {"content": OFF, "description": description, "current_policy_version": version}
        catalog.update_policy(id[:-1], id[-1], **changes)


def _look_at_attachment(catalog: PolarisCatalog, id: Names) -> Shown:
    names = [policy["name"] for policy in policies.applicable(catalog, id[:-1])]
    return {"getApplicablePolicies": names.count(id[-1])}


def _attach(catalog: PolarisCatalog, id: Names) -> object:
    return policies.attach(catalog, id, policies.on_namespace(id[:-1]))


def _detach(catalog: PolarisCatalog, id: Names) -> object:
    return catalog.detach_policy(id[:-1], id[-1], policies.on_namespace(id[:-1]))


def _new_generic_table(catalog: PolarisCatalog) -> Names:
    """Create two generic tables, and return the second: a server may create the first alone."""
    for _ in range(2):
        id = catalog.tables.table_id(catalog.target.new_name())
        new_generic_table(catalog, id)
    return id


def _look_at_generic_table(catalog: PolarisCatalog, id: Names) -> Shown:
    names = [entry["name"] for entry in catalog.list_generic_tables(id[:-1])["identifiers"]]
    return {
        "loadGenericTable": catalog.load_generic_table(id[:-1], id[-1], expect=THERE_OR_NOT).succeeded,
        "listGenericTables": names.count(id[-1]),
    }


LIVES: dict[str, Life[PolarisCatalog]] = {
    **{name: _of_entity(entity) for name, entity in ENTITIES.items()},
    **{f"{name}_assignment": _of_assignment(kind) for name, kind in ASSIGNMENTS.items()},
    "grant": Life(
        "grant",
        CLAUSE,
        (ADD, LIST, REVOKE),
        _new_grant,
        _look_at_grant,
        {LIST: 0},
        [
            (lambda catalog, subject: add(catalog, *subject), {LIST: 1}),
            (lambda catalog, subject: revoke(catalog, *subject), {LIST: 0}),
        ],
    ),
    "policy": Life(
        "policy",
        CLAUSE,
        ("createPolicy", "loadPolicy", "listPolicies", "updatePolicy", "dropPolicy"),
        partial(policies.new, description="new"),
        _look_at_policy,
        {"loadPolicy": (ON, "new"), "listPolicies": 1},
        [
            (_change_policy, {"loadPolicy": (OFF, NOTES[-1]), "listPolicies": 1}),
            (
                lambda catalog, id: catalog.drop_policy(id[:-1], id[-1]),
                {"loadPolicy": GONE, "listPolicies": 0},
            ),
        ],
        since=SINCE,
    ),
    "attachment": Life(
        "attachment of a policy",
        "policy-attached",
        ("attachPolicy", "detachPolicy", "getApplicablePolicies"),
        policies.new,
        _look_at_attachment,
        {"getApplicablePolicies": 0},
        [(_attach, {"getApplicablePolicies": 1}), (_detach, {"getApplicablePolicies": 0})],
        since=SINCE,
    ),
    "generic_table": Life(
        "generic table",
        CLAUSE,
        ("createGenericTable", "loadGenericTable", "listGenericTables", "dropGenericTable"),
        _new_generic_table,
        _look_at_generic_table,
        {"loadGenericTable": True, "listGenericTables": 1},
        [
            (
                lambda catalog, id: catalog.drop_generic_table(id[:-1], id[-1]),
                {"loadGenericTable": False, "listGenericTables": 0},
            ),
        ],
        since=SINCE,
    ),
}

test_life = life.declare(__name__, LIVES)
