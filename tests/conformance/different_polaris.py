"""Freedoms of Polaris servers: order, own ids and fields, statuses, policies, missing operations.

Their catalogs have those of Iceberg catalogs in REUSED too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from conformance.polaris.entities import CATALOG, CATALOG_ROLE, ENTITIES, PRINCIPAL, PRINCIPAL_ROLE
from conformance.polaris.operations import MANAGEMENT
from conformance.polaris.support.principals import ASSIGNMENTS
from tests.conformance import different_iceberg, different_tables
from tests.conformance.different_server import FREEDOMS, JSON, Call, Freedom, after, before, of_json, with_json
from tests.conformance.proxy import Answer

API = "polaris"
MANAGED = frozenset(operation.id for operation in MANAGEMENT.values())
# Lists of catalogs, principals and roles, and of everything else, by the operation.
ENTITY_LISTS = {entity.list: entity.listed for entity in ENTITIES.values()} | {
    operation: entity.listed
    for assignment in ASSIGNMENTS.values()
    for operation, entity in ((assignment.list_given, assignment.given), (assignment.list_takers, assignment.taker))
}
LISTS = ENTITY_LISTS | {
    "listGrantsForCatalogRole": "grants",
    "listGenericTables": "identifiers",
    "listPolicies": "identifiers",
    "getApplicablePolicies": "applicable-policies",
}
CREATIONS = {entity.create: entity for entity in ENTITIES.values()}
ISSUING = ("createPrincipal", "rotateCredentials", "resetCredentials")
SHOWING = {name for entity in ENTITIES.values() for name in (entity.create, entity.get, entity.update)} | {*ISSUING}
TIMES = ("createTimestamp", "lastUpdateTimestamp")
HOUR = 3_600_000
OWN = {"server.tier": "gold"}
MAPS = ("properties", "config")  # from names that clients choose
NOBODY = {"name": "somebody-else", "properties": {}, "createTimestamp": 1, "lastUpdateTimestamp": 1, "entityVersion": 1}


def refusal(status: int, kind: str = "BadRequestException", message: str = "not here") -> Answer:
    """A refusal in the form that all documents of Polaris share."""
    error = {"message": message, "type": kind, "code": status}
    return Answer(status, {"Content-Type": JSON}, json.dumps({"error": error}).encode())


def with_entities(call: Call, answer: Answer, change: Callable[[dict[str, Any]], Any]) -> Answer:
    """An answer after a change of every catalog, principal and role in it."""
    value = of_json(answer)
    if answer.status >= 300 or not isinstance(value, dict):
        return answer
    entities = value[ENTITY_LISTS[call.operation]] if call.operation in ENTITY_LISTS else []
    for entity in [value.get("principal", value)] if call.operation in SHOWING else entities:
        change(entity)
    return with_json(answer, value)


def created(call: Call) -> dict[str, Any]:
    """Return the entity that a request would create, wrapped or bare; {} where it creates none."""
    entity = CREATIONS.get(call.operation)
    value = call.json.get(entity.field, call.json) if entity else None
    return value if isinstance(value, dict) else {}


# Order, and who else is there


@after(API)
def other_order_of_lists(call: Call, answer: Answer) -> Answer:
    """No list is said to have an order."""
    value, field = of_json(answer), LISTS.get(call.operation, "")
    if answer.status != 200 or not field:
        return answer
    return with_json(answer, {**value, field: call.chance.sample(value[field], len(value[field]))})


@before(API)
def short_pages_of_polaris(call: Call) -> Answer | None:
    """A page may have fewer entries than pageSize, which is an upper bound."""
    if "pageToken" in call.query and call.query.get("pageSize", "").isdecimal() and call.query["pageSize"] != "0":
        call.query["pageSize"] = str(max(1, int(call.query["pageSize"]) // 2))
    return None


LAKE = {
    "type": "INTERNAL",
    "properties": {"default-base-location": "s3://elsewhere/lake"},
    "storageConfigInfo": {"storageType": "S3", "allowedLocations": ["s3://elsewhere/lake"]},
}
POLICY = {
    "policy-type": "system.orphan-file-removal",
    "inheritable": True,
    "name": "everywhere",
    "version": 0,
    "inherited": True,
    "namespace": ["policies"],
}
OTHERS = {
    **dict.fromkeys(ENTITY_LISTS, NOBODY),
    CATALOG.list: NOBODY | LAKE,
    "getApplicablePolicies": POLICY,
}


@after(API)
def others_are_there(call: Call, answer: Answer) -> Answer:
    """The document does not say that a server has, assigns or applies nothing of its own."""
    value = of_json(answer)
    if answer.status != 200 or call.operation not in OTHERS:
        return answer
    field = LISTS[call.operation]
    return with_json(answer, {**value, field: [*value[field], OTHERS[call.operation]]})


# What is the server's own


@after(API)
def own_properties_of_entities(call: Call, answer: Answer) -> Answer:
    """Properties are any texts by any names: a server may have some of its own."""
    value = of_json(answer)
    if answer.status == 200 and isinstance(value, dict) and isinstance(value.get("table"), dict):
        return with_json(answer, {**value, "table": _owned(value["table"])})
    return with_entities(call, answer, lambda entity: entity.update(_owned(entity)))


def _owned(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "properties": OWN | (value.get("properties") or {})}


@after(API)
def own_fields_of_entities(call: Call, answer: Answer) -> Answer:
    """No schema is closed: everything may have a field that nobody else knows, another in each answer."""
    value = of_json(answer)
    if answer.status >= 300 or not isinstance(value, dict) or call.operation not in (*SHOWING, *LISTS, *CONTENT):
        return answer
    call.state["answers"] = call.state.get("answers", 0) + 1
    return with_json(answer, _with_own(value, call.state["answers"]))


CONTENT = ("createGenericTable", "loadGenericTable", "createPolicy", "loadPolicy", "updatePolicy")


def _with_own(value: Any, number: int) -> Any:
    if isinstance(value, list):
        return [_with_own(child, number) for child in value]
    if not isinstance(value, dict):
        return value
    return {name: _own_below(name, child, number) for name, child in value.items()} | {"x-vendor": number}


def _own_below(name: str, child: Any, number: int) -> Any:
    return child if name in MAPS else _with_own(child, number)


@after(API)
def no_times(call: Call, answer: Answer) -> Answer:
    """Times are optional in every schema."""
    return with_entities(call, answer, lambda entity: [entity.pop(name, None) for name in TIMES])


@after(API)
def another_clock(call: Call, answer: Answer) -> Answer:
    """Nothing says whose clock the times are of, or that the clocks of all servers agree: these go backwards."""

    def moved(entity: dict[str, Any]) -> None:
        shift = HOUR * (entity["entityVersion"] % 10)
        entity.update({name: entity[name] - shift for name in TIMES[1:] if name in entity})

    return with_entities(call, answer, moved)


STEP = 10


@before(API)
def versions_by_ten(call: Call) -> Answer | None:
    """By the version one sees that something has changed: no document says by how much it grows."""
    version = call.json.get("currentEntityVersion")
    if call.operation in {entity.update for entity in ENTITIES.values()} and type(version) is int:
        known = version // STEP if version % STEP == 0 else -1
        call.body = json.dumps({**call.json, "currentEntityVersion": known}).encode()
    return None


def _by_ten(call: Call, answer: Answer) -> Answer:
    def grown(entity: dict[str, Any]) -> None:
        if "entityVersion" in entity:
            entity["entityVersion"] *= STEP

    return with_entities(call, answer, grown)


FREEDOMS[versions_by_ten.__name__] = replace(FREEDOMS[versions_by_ten.__name__], after=_by_ten)


@after(API)
def no_empty_properties(call: Call, answer: Answer) -> Answer:
    """Properties are optional but for catalogs, so none may be left out."""

    def lessened(entity: dict[str, Any]) -> None:
        if not entity.get("properties"):
            entity.pop("properties", None)

    return with_entities(call, answer, lessened)


@after(API)
def more_allowed_locations(call: Call, answer: Answer) -> Answer:
    """The locations of a storage are those in which tables may lie: no order is said, and there may be more."""

    def widened(entity: dict[str, Any]) -> None:
        storage = entity.get("storageConfigInfo") or {}
        if storage.get("allowedLocations"):
            scratch = f"{entity['properties']['default-base-location'].rstrip('/')}/scratch"
            storage["allowedLocations"] = [scratch, *storage["allowedLocations"][::-1]]

    return with_entities(call, answer, widened)


# Refusals


@after(API)
def errors_without_bodies(call: Call, answer: Answer) -> Answer:
    """The management document declares its refusals without a body."""
    silent = call.operation in MANAGED and answer.status >= 400
    kept = {name: value for name, value in answer.headers.items() if name.lower() != "content-type"}
    return Answer(answer.status, kept, b"") if silent else answer


@after(API)
def other_words_of_errors(call: Call, answer: Answer) -> Answer:
    """No document lists the types or messages of errors of the management interface."""
    value = of_json(answer)
    if call.operation not in MANAGED or answer.status < 400 or not isinstance(value, dict):
        return answer
    return with_json(answer, {"error": {**value["error"], "message": "Nein.", "type": "Refused", "stack": ["because"]}})


# Statuses of refusals that the document does not have for an operation, and what may be said instead.
TAKEN = dict.fromkeys((entity.create for entity in (PRINCIPAL, PRINCIPAL_ROLE, CATALOG_ROLE)), (409, 400))
UNSTATED = dict.fromkeys(
    ("assignCatalogRoleToPrincipalRole", CATALOG_ROLE.list, "listGrantsForCatalogRole"), (404, 403)
)


@after(API)
def other_statuses_of_polaris(call: Call, answer: Answer) -> Answer:
    """The document forgot to say that names can be taken and that roles to give can be missing."""
    said, instead = (TAKEN | UNSTATED).get(call.operation, (0, 0))
    return refusal(instead) if answer.status == said else answer


# Policies


@before(API)
def names_in_lower_case(call: Call) -> Answer | None:
    """A schema says what can be a name, and not that every such name is given."""
    name = created(call).get("name") if call.operation in CREATIONS else call.json.get("name")
    named = call.operation in (*CREATIONS, "createGenericTable", "createPolicy")
    odd = named and isinstance(name, str) and not re.fullmatch(r"[a-z0-9_$-]+", name)
    return refusal(400, message="lower-case letters, digits and a few signs only") if odd else None


@before(API)
def plain_properties(call: Call) -> Answer | None:
    """No document says that every text can be the name or the value of a property: here they are short ASCII."""
    holder = created(call) if call.operation in CREATIONS else call.json
    properties = holder.get("properties") if call.operation in (*CREATIONS, *UPDATES, "createGenericTable") else None
    texts = [*properties, *properties.values()] if isinstance(properties, dict) else []
    odd = [said for said in texts if isinstance(said, str) and not (0 < len(said) < 256 and said.isascii())]
    return refusal(400, message="1 to 255 characters of ASCII") if odd else None


UPDATES = tuple(entity.update for entity in ENTITIES.values())


@before(API)
def one_place_for_a_catalog(call: Call) -> Answer | None:
    """The document leaves it to a server where catalogs may lie: here everything lies below the base location."""
    if call.operation == CATALOG.create:
        properties = created(call).get("properties")
        base = properties.get("default-base-location") if isinstance(properties, dict) else None
        storage = created(call).get("storageConfigInfo")
    elif call.operation == CATALOG.update:
        known = of_json(call.behind("GET", call.path, call.headers)) or {}
        base, storage = (known.get("properties") or {}).get("default-base-location"), call.json.get("storageConfigInfo")
    else:
        return None
    places = storage.get("allowedLocations") if isinstance(storage, dict) else None
    texts = [place for place in places or () if isinstance(place, str)] if isinstance(places, list) else []
    outside = isinstance(base, str) and any(not f"{place}/".startswith(f"{base.rstrip('/')}/") for place in texts)
    return (
        refusal(call.chance.choice((400, 403)), message="everything lies below the base location") if outside else None
    )


@before(API)
def own_places_of_generic_tables(call: Call) -> Answer | None:
    """The base location of a generic table is optional: a server may choose it, and take no other."""
    placed = call.operation == "createGenericTable" and isinstance(call.json.get("base-location"), str)
    return refusal(call.chance.choice((400, 403)), message="the server chooses places") if placed else None


@before(API)
def one_format_of_generic_tables(call: Call) -> Answer | None:
    """The document names no format that a server has to know, and does not say whether the name is looked at first."""
    format = call.json.get("format") if call.operation == "createGenericTable" else "delta"
    return refusal(400, message="no such format") if isinstance(format, str) and format != "delta" else None


@before(API)
def one_type_of_policies(call: Call) -> Answer | None:
    """The document names no type of policies that a server has to know."""
    kind = call.json.get("type") if call.operation == "createPolicy" else "system.data-compaction"
    other = isinstance(kind, str) and kind != "system.data-compaction"
    return refusal(400, "InvalidPolicyException", "no such type") if other else None


@before(API)
def no_namespaces_by_notifications(call: Call) -> Answer | None:
    """The document has 404 for what a notification names and what is not there: the namespace, too."""
    if call.operation != "sendNotification":
        return None
    answer = call.behind("GET", call.path.partition("/tables/")[0], call.headers)
    return refusal(404, "NoSuchNamespaceException", "create the namespace first") if answer.status == 404 else None


@before(API)
def attached_once(call: Call) -> Answer | None:
    """The document has 409 for a policy that is attached already, also when it is the same one."""
    attached = call.state.setdefault("attached", set())
    return refusal(409, "PolicyMappingAlreadyExistsException") if _mapping(call) in attached else None


def _mapping(call: Call) -> tuple[str, str]:
    target = json.dumps(call.json.get("target"), sort_keys=True)
    return (call.path, target) if call.operation == "attachPolicy" else ("", "")


def _attached(call: Call, answer: Answer) -> Answer:
    attached = call.state.setdefault("attached", set())
    if call.operation == "attachPolicy" and answer.status == 204:
        attached.add(_mapping(call))
    if call.operation == "detachPolicy":
        attached.discard(_mapping(replace(call, operation="attachPolicy")))
    if call.operation == "dropPolicy":
        attached.difference_update([pair for pair in attached if pair[0].startswith(f"{call.path}/")])
    return answer


FREEDOMS[attached_once.__name__] = replace(FREEDOMS[attached_once.__name__], after=_attached)


@before(API)
def names_are_given_once(call: Call) -> Answer | None:
    """No document says that the name of what was deleted is free at once: here it stays with what had it."""
    name = created(call).get("name") if call.operation in CREATIONS else call.json.get("name")
    named = call.operation in (*CREATIONS, "createGenericTable") and isinstance(name, str)
    gone = named and (call.path, name) in call.state.setdefault("gone", set())
    return refusal(409, "AlreadyExistsException", "the name was given before") if gone else None


def _gone(call: Call, answer: Answer) -> Answer:
    if call.operation in DELETIONS and answer.status == 204:
        folder, _, name = call.path.rpartition("/")
        call.state.setdefault("gone", set()).add((folder, unquote(name)))
    return answer


DELETIONS = (*(entity.delete for entity in ENTITIES.values()), "dropGenericTable")
FREEDOMS[names_are_given_once.__name__] = replace(FREEDOMS[names_are_given_once.__name__], after=_gone)


# What is not there

STORAGES = {"no_files": ("FILE",), "one_cloud": ("GCS", "AZURE")}


def without_storage(name: str, kinds: tuple[str, ...]) -> Freedom:
    """The freedom to take no catalogs on some storages: the document does not say that all are there."""

    def refused(call: Call) -> Answer | None:
        storage = created(call).get("storageConfigInfo") if call.operation == CATALOG.create else None
        lacking = isinstance(storage, dict) and storage.get("storageType") in kinds
        return refusal(400, message="no such storage here") if lacking else None

    return Freedom(name, API, refused)


LACKING = {
    "no_policies": ("Polic",),
    "no_generic_tables": ("GenericTable",),
    "no_notifications": ("sendNotification",),
    "no_resets": ("resetCredentials",),
}
FREEDOMS.update({name: without_storage(name, kinds) for name, kinds in STORAGES.items()})
FREEDOMS.update({name: different_iceberg.lacks(name, words, API) for name, words in LACKING.items()})
# What the catalogs of Polaris may do as any Iceberg catalog.
REUSED = (
    different_iceberg.other_order_of_listings,
    different_iceberg.other_order_of_metadata,
    different_iceberg.short_pages,
    different_iceberg.own_properties,
    different_iceberg.own_metadata_fields,
    different_iceberg.empty_fields_left_out,
    different_iceberg.upper_case_uuids,
    different_iceberg.no_tags,
    different_tables.fresh_credentials,
    different_tables.properties_of_the_moment,
    different_tables.no_metadata_log,
    different_tables.forms_alone,
)
for known in REUSED:
    reused = f"{known.__name__}_of_polaris"
    FREEDOMS[reused] = replace(FREEDOMS[known.__name__], name=reused, api=API)
