"""Requests of any operation: invalid bodies, unknown fields, credentials, undeclared paths and methods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conformance.author.checks import equal
from conformance.author.requirement import should
from conformance.common import paths, requests
from conformance.common.fields import defects, wrong_types
from conformance.common.paths import DROPPING, METHODS, Asked
from conformance.common.requests import UNKNOWN
from conformance.polaris.catalog import PolarisCatalog
from conformance.polaris.entities import CATALOG_ROLE, ENTITIES, EntityType
from conformance.polaris.operations import JSON_OPERATIONS, MANAGEMENT, OPERATIONS, by_document, declared
from conformance.polaris.support.grants import LIST, OLDER, add, new_role
from conformance.polaris.support.principals import ASSIGNMENTS, Assignment
from conformance.values.exchange import Exchange
from specs.openapi import Operation

REFUSED_TYPES = (400, 406, 415, 422)
OPTIONAL = ("reset_credentials",)  # its body may be empty
MANAGED_JSON = {
    name: operation for name, operation in JSON_OPERATIONS.items() if name in MANAGEMENT and name not in OPTIONAL
}

test_body_that_is_no_json = requests.body_that_is_no_json.declare(
    __name__, JSON_OPERATIONS, level=declared, clause=by_document("bad-json")
)
test_body_that_is_no_object = requests.body_that_is_no_object.declare(
    __name__, JSON_OPERATIONS, level=declared, clause=by_document("bad-body")
)
test_nothing_succeeds_without_credentials = requests.nothing_succeeds_without_credentials.declare(
    __name__, OPERATIONS, clause="credentials-needed"
)
test_nothing_but_401_without_credentials = requests.nothing_but_401_without_credentials.declare(__name__, OPERATIONS)


@should("polaris.request.empty_body.{}", clause="bad-body", kind="error", each=MANAGED_JSON)
def test_empty_bodies(catalog: PolarisCatalog, case: Operation) -> None:
    """{} returns 400, 404, 411 or 415 for an empty body, and 400 or 404 for an object without required fields."""
    name = catalog.new_thing()
    path = catalog.any_path(case, name)
    catalog.send(case.id, path, b"", expect=(400, 404, 411, 415))
    if case.id != "updateCatalog":  # all fields of its body are optional
        catalog.send(case.id, path, b"{}", expect=catalog.refusals)


# Bodies with one invalid field


def _set(value: dict[str, Any]) -> dict[str, Any]:
    return {"currentEntityVersion": 1, "properties": value.get("properties", {})}


@should(
    "polaris.{}.create.bad_body", operations=lambda case: [case.create], clause="bad-body", kind="error", each=ENTITIES
)
def test_fields_of_the_wrong_type(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating a {} with a field of the wrong type returns 400 and creates nothing."""
    catalog.control(lambda: catalog.new(case))
    document = catalog.target.document
    id = catalog.id(case)
    body = case.wrapped({"properties": {}, **catalog.value(case, id)})
    for _, broken in defects(document, document.operation(case.create), body, wrong_types, ("clientId",)):
        catalog.send(case.create, case.place(id[:-1]), broken, expect=400)
    catalog.get(case, id, expect=404)


@should(
    "polaris.{}.update.bad_body", operations=lambda case: [case.update], clause="bad-body", kind="error", each=ENTITIES
)
def test_updates_of_the_wrong_type(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} with a field of the wrong type returns 400 and changes nothing."""
    id = catalog.new(case)
    before = catalog.get(case, id).json
    document = catalog.target.document
    for _, broken in defects(document, document.operation(case.update), _set(before), wrong_types):
        catalog.send(case.update, case.place(id), broken, expect=400)
    equal(catalog.documented(catalog.get(case, id).json), catalog.documented(before), "what was to be updated")


NEEDED = {name: entity for name, entity in ENTITIES.items() if name != "catalog"}


@should(
    "polaris.{}.update.incomplete",
    operations=lambda case: [case.update],
    clause="update-fields",
    kind="error",
    each=NEEDED,
)
def test_updates_without_what_they_need(catalog: PolarisCatalog, case: EntityType) -> None:
    """Updating a {} without currentEntityVersion or properties returns 400 and changes nothing."""
    id = catalog.new(case, properties={"a": "1"})
    before = catalog.get(case, id).json
    body = {"currentEntityVersion": before["entityVersion"], "properties": {"b": "2"}}
    for name in body:
        without: Mapping[str, Any] = {key: value for key, value in body.items() if key != name}
        for wrong in (without, {**without, name: None}):
            catalog.send(case.update, case.place(id), wrong, expect=400)
    equal(catalog.documented(catalog.get(case, id).json), catalog.documented(before), "what was to be updated")


@should(
    "polaris.request.unknown_fields.{}", operations=lambda case: [case.create], clause="open-requests", each=ENTITIES
)
def test_unknown_fields(catalog: PolarisCatalog, case: EntityType) -> None:
    """Creating and updating a {} ignore unknown fields of the request."""
    id = catalog.id(case)
    catalog.create(case, id, {**catalog.value(case, id), **UNKNOWN}, **UNKNOWN)
    answer = catalog.get(case, id)
    properties = dict(answer.get("properties") or {})
    catalog.update(case, id, currentEntityVersion=answer["entityVersion"], properties=properties, **UNKNOWN)


@should("polaris.request.unknown_fields.grant", operations=["addGrantToCatalogRole"], clause="open-requests")
def test_unknown_fields_of_a_grant(catalog: PolarisCatalog) -> None:
    """addGrantToCatalogRole ignores unknown fields of the request and does not store them."""
    role, grant = new_role(catalog), OLDER["catalog"].grant(())
    add(catalog, role, {**grant, **UNKNOWN})
    equal(catalog.own_grants(catalog.send(LIST, CATALOG_ROLE.place(role))["grants"]), [grant], "the grants")


@should("polaris.request.unknown_query", operations=["getCatalog", "listCatalogs"], clause="open-requests", reads=True)
def test_unknown_query_parameters(catalog: PolarisCatalog) -> None:
    """getCatalog and listCatalogs ignore unknown query parameters."""
    catalog.send("getCatalog", {"catalogName": catalog.home}, query={"somethingNew": "1"})
    catalog.send("listCatalogs", query={"somethingNew": "1"})


@should("polaris.request.media_type", operations=["createPrincipalRole"], clause="media-type", kind="error")
def test_other_media_type(catalog: PolarisCatalog) -> None:
    """createPrincipalRole with an XML body returns 400, 406, 415 or 422."""
    body = b"<role><name>t</name></role>"
    catalog.send("createPrincipalRole", body=body, content_type="application/xml", expect=REFUSED_TYPES)


# Undeclared methods and paths


def _names_a_thing(operation: Operation) -> bool:
    """True when the path of an operation ends with the name of an object, so that DELETE would drop that object."""
    return operation.path.endswith("}")


def _asked(operation: Operation) -> Asked:
    """Return the case of an operation in an existing catalog, without DELETE on paths of collections."""

    def request(catalog: PolarisCatalog) -> Exchange:
        path = {name: str(value) for name, value in catalog.any_path(operation, catalog.new_thing()).items()}
        return catalog.client.prepare(operation.id, path=path, json={} if operation.request else None)

    dropping = operation in MANAGEMENT.values() or _names_a_thing(operation)
    return Asked(operation, request, METHODS if dropping else [method for method in METHODS if method != DROPPING])


ASKED = {name: _asked(operation) for name, operation in OPERATIONS.items()}
test_other_methods_are_refused = paths.other_methods_are_refused.declare(__name__, ASKED)
test_nothing_lies_below = paths.nothing_lies_below.declare(
    __name__, {name: asked for name, asked in ASKED.items() if not _names_a_thing(asked.operation)}
)


# Assignments


@should(
    "polaris.assignment.{}.bad_body",
    operations=lambda case: [case.assign],
    clause="bad-body",
    kind="error",
    each=ASSIGNMENTS,
)
def test_assignments_of_the_wrong_type(catalog: PolarisCatalog, case: Assignment) -> None:
    """Assigning a {} whose name is missing or not a string returns 400 and assigns nothing."""
    role, taker = catalog.new(case.given), catalog.new(case.taker)
    path = {name: value for name, value in case.place(role, taker).items() if name != CATALOG_ROLE.path[-1]}
    path = {name: value for name, value in path.items() if name != case.given.path[-1]}
    for value in ({}, {"name": None}, {"name": 17}, {"name": [role[-1]]}, None, role[-1]):
        catalog.send(case.assign, path, case.given.wrapped(value), expect=400)
    equal(case.of_taker(catalog, role, taker), [], "what is assigned")
