"""The kinds of things in the model of Polaris, and the names that stand for their symbols."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from conformance.common.model.rows import Fields, ModelKind, Symbols, Thing, end, two
from conformance.common.model.running import ModelRun
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import ENTITIES
from conformance.polaris.inventory import GENERIC_TABLE, POLICY
from conformance.polaris.support import policies

PolarisRun = ModelRun[PolarisCatalog]
HOME, NAMESPACE = "catalog of the run", "namespace"
PRINCIPAL_ROLE_ASSIGNMENT, CATALOG_ROLE_ASSIGNMENT = "principal role assignment", "catalog role assignment"
GRANT, ATTACHMENT = "grant", "attachment"
NAMESPACES = (f"{NAMESPACE} 1", f"{NAMESPACE} 2")
GRANTED = ((HOME, "TABLE_LIST"), (HOME, "VIEW_LIST"), (NAMESPACES[0], "TABLE_LIST"))
THERE_OR_NOT = (200, 404)
GIVEN: Mapping[Thing, Fields] = {(HOME, (HOME,)): {}, **{(NAMESPACE, (name,)): {} for name in NAMESPACES}}


def links(first: str, second: str) -> list[Symbols]:
    """Return ids of links between things of two kinds: one has two partners, and one is the partner of two."""
    return [(f"{first} {one}", f"{second} {other}") for one, other in ((1, 1), (1, 2), (2, 1))]


KINDS: Mapping[str, ModelKind] = {
    HOME: ModelKind([(HOME,)]),
    NAMESPACE: ModelKind([(name,) for name in NAMESPACES]),
    **{entity.id: ModelKind(two(entity.id)) for entity in ENTITIES.values()},
    POLICY: ModelKind(two(POLICY)),
    GENERIC_TABLE: ModelKind(two(GENERIC_TABLE)),
    PRINCIPAL_ROLE_ASSIGNMENT: ModelKind(
        links("principal role", "principal"), lambda id: [("principal role", id[:1]), ("principal", id[1:])]
    ),
    CATALOG_ROLE_ASSIGNMENT: ModelKind(
        links("catalog role", "principal role"), lambda id: [("catalog role", id[:1]), ("principal role", id[1:])]
    ),
    GRANT: ModelKind(
        [(f"catalog role {number}", *granted) for number in (1, 2) for granted in GRANTED[: 4 - number]],
        lambda id: [("catalog role", id[:1])],
    ),
    ATTACHMENT: ModelKind(
        [(f"{POLICY} 1", NAMESPACES[0]), (f"{POLICY} 2", NAMESPACES[0]), (f"{POLICY} 1", NAMESPACES[1])],
        lambda id: [(POLICY, id[:1])],
    ),
}
ended = partial(end, KINDS)


def named(catalog: PolarisCatalog, symbol: str) -> Any:
    """Return a name of the run for a symbol: that of an entity, or the id of what lies in a namespace."""
    if symbol == HOME:
        return catalog.home
    if symbol in NAMESPACES:
        id = catalog.tables.namespace_id(catalog.target.new_name())
        with catalog.client.preparing():
            catalog.tables.create_namespace(id)
        return id
    kind = symbol.rpartition(" ")[0]
    if kind == POLICY:
        return policies.new_id(catalog)
    if kind == GENERIC_TABLE:
        return catalog.tables.table_id(catalog.target.new_name())
    return catalog.id(next(entity for entity in ENTITIES.values() if entity.id == kind))
