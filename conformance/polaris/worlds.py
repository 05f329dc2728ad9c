"""The worlds of Polaris' requirements: dimensions with their values, and how entities come into a state.

The catalog applies them: `named` the names, `new` the states, `begin_example` the catalog and the caller, and `send`
the form of each request (conformance/polaris/forms.py). Tables and namespaces have the dimensions of Iceberg.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from conformance.http.answers import Answer
from conformance.iceberg.worlds import DIMENSIONS as OF_ICEBERG
from conformance.iceberg.worlds import NAMES, STATE
from conformance.polaris.client import PolarisClient
from conformance.polaris.entities import EntityType, Names
from conformance.polaris.operations import MANAGEMENT, OPERATIONS
from conformance.values.worlds import Dimension, Pins, all_but

ENTITY_NAMES, ENTITY_STATE, ASSIGNED, CATALOG_KIND = "entity_names", "entity_state", "assigned", "catalog_kind"
POLICY_NAMES, WAREHOUSE, CALLER, BODY, CONNECTION = "policy_names", "warehouse", "caller", "body", "own_connection"
POLICIES = ("*Policy", "*Policies")
IN_CATALOG = (*POLICIES, "*GenericTable*")
ROLES_OF_CATALOG = ("*CatalogRole", "listCatalogRoles")
ON_CATALOGS = ("*Catalog", "listCatalogs")
ON_CALLERS = ("*Principal", "listPrincipals", "*PrincipalRole", "listPrincipalRoles*")
ON_CREDENTIALS = ("rotateCredentials", "resetCredentials")
CREATING = ("createCatalog", "createPrincipal", "createPrincipalRole", "createCatalogRole")
ON_ENTITIES = (*ON_CATALOGS, *ON_CALLERS, *ROLES_OF_CATALOG)
# Operations whose requests have optional fields with a default that a request can spell out.
SPELLED_OUT = (
    *("createPrincipal", "createPrincipalRole", "createCatalogRole", "assignPrincipalRole", "createCatalog"),
    *("assignCatalogRoleToPrincipalRole", "createGenericTable", "attachPolicy", "detachPolicy"),
    *("revokeGrantFromCatalogRole", "dropPolicy"),
)
# What a manager of one catalog may do: its content and its roles, but not what they are assigned to.
MANAGED = (*IN_CATALOG, *ROLES_OF_CATALOG)

OWN = (
    Dimension(
        ENTITY_NAMES,
        {
            "plain": "",
            "blank": "for a name with a blank",
            "dot": "for a name with a dot",
            "percent": "for a name with percent-coded letters",
            "plus": "for a name with a plus sign",
            "unicode": "for a name with letters beyond ASCII",
            "case": "beside a name that differs in the case of its letters",
            "long": "for a name of 250 characters",
        },
        (*ON_ENTITIES, *ON_CREDENTIALS),
    ),
    Dimension(
        ENTITY_STATE,
        {
            "new": "",
            "updated": "for an entity that was updated before",
            "remade": "for an entity under the name of a deleted one",
            "noted": "for an entity with a property",
        },
        (*ON_ENTITIES, *ON_CREDENTIALS),
        except_for=CREATING,  # a new entity is in no state yet
    ),
    Dimension(
        ASSIGNED,
        {"nothing": "", "others": "for an entity with other assignments and grants"},
        (*ON_CALLERS, *ROLES_OF_CATALOG, *ON_CREDENTIALS),
        except_for=CREATING,
    ),
    Dimension(
        CATALOG_KIND,
        {
            "empty": "",
            "filled": "for a catalog with a table",
            "external": "for an external catalog",
            "other_storage": "for a catalog on another storage",
        },
        ON_CATALOGS,
    ),
    Dimension(
        POLICY_NAMES,
        {
            "plain": "",
            "case": "beside a policy whose name differs in the case of its letters",
            "long": "for a policy with a name of 100 characters",
        },
        POLICIES,
    ),
    Dimension(
        WAREHOUSE,
        {"first": "", "second": "in a second catalog"},
        MANAGED,
    ),
    Dimension(
        CALLER,
        {
            "administrator": "",
            "manager": "for a caller who manages one catalog",
            "fresh": "with a new token of a caller who manages one catalog",
        },
        MANAGED,
    ),
    Dimension(
        BODY,
        {
            "smallest": "",
            "spelled_out": "with the optional fields spelled out",
            "cli": "as the Polaris CLI sends it",
        },
        (*ON_ENTITIES, *IN_CATALOG),
        only={"spelled_out": SPELLED_OUT},
        always=True,
    ),
    Dimension(
        CONNECTION,
        {"shared": "", "each": "with a new connection for each request"},
        (*ON_ENTITIES, *ON_CREDENTIALS, *IN_CATALOG, "sendNotification"),
        always=True,
    ),
)


def _taken_over(dimension: Dimension) -> Dimension:
    """Return a dimension of Iceberg for the catalogs of Polaris: policies have their place in namespaces, too."""
    of_requests = "*" in dimension.operations  # requests of Polaris' own have other forms
    own = [operation.id for operation in (OPERATIONS if of_requests else MANAGEMENT).values()]
    left = [*own, "*GenericTable*"] if dimension.name == STATE else own
    placed = dimension.name != NAMES and "*Namespace*" in dimension.operations
    return replace(
        dimension,
        operations=(*dimension.operations, *POLICIES) if placed else dimension.operations,
        except_for=(*dimension.except_for, *left),
    )


DIMENSIONS = (*map(_taken_over, OF_ICEBERG), *OWN)
OF_TABLES = frozenset(dimension.name for dimension in OF_ICEBERG)
BY_MANAGER = next(dimension for dimension in OWN if dimension.name == CALLER)
# Of requirements that have a fixture of their own, or more requests than are worth repeating.
ONLY_PLAIN: Pins = {dimension.name: (dimension.plain,) for dimension in DIMENSIONS}
# Of requirements that delete the catalogs which they create: those must be empty.
EMPTY = all_but(DIMENSIONS, catalog_kind=("filled",))
# Of requirements that list all objects of a namespace by their names.
WITHOUT_NAMESAKES = all_but(DIMENSIONS, entity_names=("case",), names=("case", "underscore", "digits"))
# Of requirements that list tables and views: among the objects of other kinds than tables is a view.
WITHOUT_OTHER_VIEWS = {**WITHOUT_NAMESAKES, **all_but(DIMENSIONS, beside=("kinds",))}
FORMS_OF_NAMES: Mapping[str, str] = {
    "blank": "{} b",
    "dot": "{}.b",
    "percent": "{}%62",
    "plus": "{}+b",
    "unicode": "{}ü✓",
    "case": "{}Same",
    "long": "{:x<250}",
}
FORMS_OF_POLICIES: Mapping[str, str] = {"case": "{}Same", "long": "{:x<100}"}
STEP, NOTE = "lakeproof.step", "lakeproof.note"  # names of properties


def other_case(name: str) -> str:
    """Return a name whose last letters have the other case: no other name of the run has it."""
    return f"{name[:-2]}{name[-2:].swapcase()}"


def updated(client: PolarisClient, entity: EntityType, id: Names, body: dict[str, Any]) -> Answer:
    """Create an entity and update it twice: the second update takes back the first."""
    made = client.send(entity.create, entity.place(id[:-1]), body)
    before = client.send(entity.get, entity.place(id))
    properties = dict(before.get("properties") or {})
    step = {"currentEntityVersion": before["entityVersion"], "properties": {**properties, STEP: "1"}}
    after = client.send(entity.update, entity.place(id), step)
    back = {"currentEntityVersion": after["entityVersion"], "properties": properties}
    client.send(entity.update, entity.place(id), back)
    return made


def remade(client: PolarisClient, entity: EntityType, id: Names, body: dict[str, Any]) -> Answer:
    """Create an entity, delete it, and create another one under its name."""
    client.send(entity.create, entity.place(id[:-1]), body)
    client.send(entity.delete, entity.place(id))
    return client.send(entity.create, entity.place(id[:-1]), body)


def noted(client: PolarisClient, entity: EntityType, id: Names, body: dict[str, Any]) -> Answer:
    """Create an entity with one more property."""
    value = body[entity.field]
    properties = {**(value.get("properties") or {}), NOTE: "1"}
    return client.send(
        entity.create, entity.place(id[:-1]), {**body, entity.field: {**value, "properties": properties}}
    )


def create(client: PolarisClient, entity: EntityType, id: Names, body: dict[str, Any]) -> Answer:
    """Create an entity."""
    return client.send(entity.create, entity.place(id[:-1]), body)


STATES: Mapping[str, Callable[[PolarisClient, EntityType, Names, dict[str, Any]], Answer]] = {
    "updated": updated,
    "remade": remade,
    "noted": noted,
}
