"""Conditions of Polaris' faults in worlds: names and states of entities, kinds of catalogs, and forms of requests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from reference_server.conditions import (
    COMMITTED,
    FREED,
    NAMESPACE,
    REMADE,
    Condition,
    Conditions,
    History,
    Holds,
    Thing,
    beside_case,
    deep,
    in_connection_of_its_own,
    labelled,
    of_names,
    of_objects,
    of_requests,
    register_conditions,
    sent_by,
    spelled,
)
from reference_server.context import Reply
from reference_server.faults import Call, content
from reference_server.iceberg.faults.conditions import HOMES, SIBLINGS
from specs.identifiers import UNIT_SEPARATOR

POLICY, GENERIC = "policy", "generic table"
# Kinds of entities: the path parameter, the field around one in a body, and the operation and field that list them.
ENTITIES: Mapping[str, tuple[str, str, str]] = {
    "catalog": ("catalogName", "listCatalogs", "catalogs"),
    "principal": ("principalName", "listPrincipals", "principals"),
    "principalRole": ("principalRoleName", "listPrincipalRoles", "roles"),
    "catalogRole": ("catalogRoleName", "listCatalogRoles", "roles"),
}
# Lists of the content of a namespace: the kind of its entries, and their field.
CONTENT = {
    "listGenericTables": (GENERIC, "identifiers"),
    "listPolicies": (POLICY, "identifiers"),
    "getApplicablePolicies": (POLICY, "applicable-policies"),
}
IN_CATALOG = ("*Policy", "*Policies", "*GenericTable*")
ON_CALLERS = ("*Principal", "listPrincipals", "*PrincipalRole", "listPrincipalRoles*")
ROLES_OF_CATALOG = ("*CatalogRole", "listCatalogRoles")
ON_CATALOGS = ("*Catalog", "listCatalogs")
ON_CREDENTIALS = ("rotateCredentials", "resetCredentials")
ON_ENTITIES = (*ON_CALLERS, *ROLES_OF_CATALOG, *ON_CATALOGS, *ON_CREDENTIALS)
CREATED = tuple(f"create{kind[0].upper()}{kind[1:]}" for kind in ENTITIES)
CREATED_IN_CATALOG = ("createPolicy", "createGenericTable")
NOTED, ASSIGNED, EXTERNAL, OTHER_STORAGE = "noted", "assigned", "external", "other storage"
OWN_STORAGE = "FILE"
NAMES = ("blank", "dot", "percent", "plus", "unicode", "case")
NAMES_OF_TABLES = ("blank", "dot", "percent", "unicode", "long", "underscore", "digits")  # generic ones
LONG, LONG_POLICY = 250, 100
STATES: Mapping[str, tuple[str, Holds]] = {
    "updated": ("for an entity that was updated before", labelled(COMMITTED)),
    REMADE: ("for an entity under the name of a deleted one", labelled(REMADE)),
    NOTED: ("for an entity with a property", labelled(NOTED)),
}
_SPELLED = spelled("cascade", "detach-all")
SPELLED_OUT = (
    *("createPrincipal", "createPrincipalRole", "createCatalogRole", "assignPrincipalRole", "createCatalog"),
    *("assignCatalogRoleToPrincipalRole", "createGenericTable", "attachPolicy", "detachPolicy"),
    *("revokeGrantFromCatalogRole", "dropPolicy"),
)
FORM_SPELLED_OUT: Mapping[str, tuple[str, Callable[[Call], bool]]] = {
    "spelled_out": (
        "with the optional fields spelled out",
        lambda call: any(map(_has_empty, _objects(content(call) or {}))) or _SPELLED(call),
    ),
}
FORMS: Mapping[str, tuple[str, Callable[[Call], bool]]] = {
    "cli": ("as the Polaris CLI sends it", sent_by("OpenAPI-Generator")),
}


def _long(letters: int) -> Holds:
    return lambda thing, _history: len(thing.own) >= letters


def _objects(body: Any) -> Iterator[Any]:
    """Yield a body and the objects in its fields."""
    yield body
    yield from (value for value in body.values() if isinstance(value, dict))


def _has_empty(fields: Any) -> bool:
    return any(value is False or value == {} for value in fields.values())


def _managed(call: Call) -> bool:
    """Return whether the caller is neither anonymous nor an administrator of the server."""
    return bool(call.request.principal.roles) and "service_admin" not in call.request.principal.roles


class PolarisConditions(Conditions):
    """Entities, policies and generic tables of Polaris' requests, and their history."""

    api: ClassVar[str] = "polaris"
    lists: ClassVar[Collection[str]] = (*(operation for _, operation, _ in ENTITIES.values()), *CONTENT)
    of_entries: ClassVar[Collection[str]] = (
        *("entity_names", "entity_state", "assigned", "catalog_kind", "policy_names", "names"),
    )
    conditions: ClassVar[Sequence[Condition]] = [
        *of_objects(
            "entity_names",
            ON_ENTITIES,
            {**of_names(*NAMES), "long": ("for a name of 250 characters", _long(LONG))},
        ),
        *of_objects("entity_state", ON_ENTITIES, STATES, CREATED),
        *of_objects("entity_state", CREATED, {REMADE: ("under the name of a deleted entity", labelled(FREED))}),
        *of_objects(
            "assigned",
            (*ON_CALLERS, *ROLES_OF_CATALOG, *ON_CREDENTIALS),
            {"others": ("for an entity with assignments or grants", labelled(ASSIGNED))},
            CREATED,
        ),
        *of_objects(
            "catalog_kind",
            ON_CATALOGS,
            {
                EXTERNAL: ("for an external catalog", labelled(EXTERNAL)),
                "other_storage": ("for a catalog on another storage", labelled(OTHER_STORAGE)),
            },
            CREATED,
        ),
        *of_objects(
            "policy_names",
            ("*Policy", "*Policies"),
            {
                "case": ("beside a policy whose name differs in case", beside_case),
                "long": ("for a policy with a name of 100 characters", _long(LONG_POLICY)),
            },
        ),
        *of_objects(
            "place",
            IN_CATALOG,
            {
                "nested": ("in a namespace of two levels", deep(2)),
                "deep": ("in a namespace of three levels", deep(3)),
            },
        ),
        *of_objects("home", IN_CATALOG, HOMES),
        *of_objects("names", ("*GenericTable*",), of_names(*NAMES_OF_TABLES)),
        *of_objects("beside", IN_CATALOG, SIBLINGS),
        *of_requests(
            "caller", (*IN_CATALOG, *ROLES_OF_CATALOG), {"manager": ("for a caller who is no administrator", _managed)}
        ),
        *of_requests("body", SPELLED_OUT, FORM_SPELLED_OUT),
        *of_requests("body", (*ON_ENTITIES, *IN_CATALOG), FORMS, ON_CREDENTIALS),
        *of_requests(
            "own_connection",
            (*ON_ENTITIES, *IN_CATALOG),
            {"each": ("for requests in own connections", in_connection_of_its_own)},
        ),
    ]

    def things(self, call: Call) -> Iterator[Thing]:
        """Yield the entities, policies, generic tables and namespaces that a request names."""
        body, path = content(call) or {}, call.path
        for kind, (parameter, *_) in ENTITIES.items():
            if parameter in path:
                yield Thing(kind, (*_parent(kind, path), path[parameter]))
            if isinstance(named := body.get(kind), dict) and "name" in named:
                yield Thing(kind, (*_parent(kind, path), named["name"]))
        namespace = path.get("namespace") or next(iter(call.request.query.get("namespace", ())), "")
        levels = tuple(namespace.split(UNIT_SEPARATOR)) if namespace else ()
        names = {POLICY: path.get("policy-name"), GENERIC: path.get("generic-table")}
        if call.operation.id in CREATED_IN_CATALOG:
            names[_kind(call)] = body["name"]
        known = [(kind, name) for kind, name in names.items() if name is not None]
        yield from (Thing(kind, (*levels, name)) for kind, name in known)
        if levels and not known:
            yield Thing(NAMESPACE, levels)

    def listed(self, call: Call, body: Any, keep: Callable[[Thing], bool]) -> Any:
        """Return the answer of a list without the objects that are not kept."""
        operation = call.operation.id
        if operation in CONTENT:
            kind, field = CONTENT[operation]
            kept = [entry for entry in body[field] if keep(Thing(kind, (*entry["namespace"], entry["name"])))]
            return {**body, field: kept}
        kind, field = next((kind, field) for kind, (_, lists, field) in ENTITIES.items() if lists == operation)
        parent = _parent(kind, call.path)
        return {**body, field: [entry for entry in body[field] if keep(Thing(kind, (*parent, entry["name"])))]}

    def note(self, call: Call, _reply: Reply, history: History) -> None:
        """Note what a successful call has changed."""
        operation, body = call.operation.id, content(call) or {}
        first = next(self.things(call), None)
        if first is None:
            return
        if operation in CREATED:
            for made in (thing for thing in self.things(call) if thing.kind in body):
                history.create(made, *_labels(made.kind, body[made.kind]))
        elif operation in CREATED_IN_CATALOG:
            history.create(first)
        elif operation.startswith("update"):
            history.commit(_subject(self.things(call)))
        elif operation.startswith(("delete", "drop")):
            history.drop(_subject(self.things(call)))
        elif operation.startswith(("assign", "addGrant")):
            for thing in self.things(call):
                history.labels.setdefault(thing, set()).add(ASSIGNED)


def _parent(kind: str, path: Mapping[str, str]) -> tuple[str, ...]:
    return (path["catalogName"],) if kind == "catalogRole" and "catalogName" in path else ()


def _kind(call: Call) -> str:
    return POLICY if "Polic" in call.operation.id else GENERIC


def _subject(things: Iterator[Thing]) -> Thing:
    """Return the object that a path ends with."""
    return list(things)[-1]


def _labels(kind: str, entity: Any) -> Iterator[str]:
    """Yield the labels of a new entity."""
    if len(entity.get("properties") or {}) > (kind == "catalog"):
        yield NOTED
    if entity.get("type") == "EXTERNAL":
        yield EXTERNAL
    if entity.get("storageConfigInfo", {}).get("storageType", OWN_STORAGE) != OWN_STORAGE:
        yield OTHER_STORAGE


register_conditions(PolarisConditions())
