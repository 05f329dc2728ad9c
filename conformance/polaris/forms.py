"""Forms of requests to Polaris: the optional fields, query parameters and headers that clients add to what they ask.

Each form says the same as the smallest request. The shapes of clients are recorded from their requests; no form has a
field that the document of the run does not declare, or null where it declares none. The generated Python client sends
what the Polaris CLI sends, which is built on it. The Java tests of Polaris send entities without the field around
them, which the document does not allow, so they are no form here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.polaris.client import declared_names
from specs.openapi import Document

Place = tuple[str, ...]  # the names on the way to an object in a body
Fields = Mapping[str, Any]
CLIENT_ID = "clientId"
S3 = {"storageType": "S3"}


@dataclass(frozen=True, slots=True)
class Form:
    """Form of requests: the fields of bodies and query parameters that are added unless they are given, by operation.

    `client` is the client with its version that was recorded, "" for a form of no client. Fields with a condition are
    added to objects that have its fields. `without_accept` are operations that the client sends without that header.
    """

    client: str = ""
    fields: Mapping[str, Mapping[Place, Fields]] = field(default_factory=dict)
    conditional: Mapping[str, tuple[Place, Fields, Fields]] = field(default_factory=dict)
    query: Mapping[str, Fields] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    without_accept: Collection[str] = ()

    def body(self, operation: str, body: Any, document: Document) -> Any:
        """Return a body in this form; one that is no object stays as it is."""
        for place, fields in self.fields.get(operation, {}).items():
            body = _with(body, place, fields, {}, declared_names(document))
        if operation in self.conditional:
            place, condition, fields = self.conditional[operation]
            body = _with(body, place, fields, condition, declared_names(document))
        return body

    def header(self, operation: str) -> dict[str, str | None]:
        """Return the headers of an operation; None stands for one that is not sent."""
        left: dict[str, str | None] = {"Accept": None} if operation in self.without_accept else {}
        return {**self.headers, **left}


def _with(body: Any, place: Place, fields: Fields, condition: Fields, names: Collection[str]) -> Any:
    """Return a body with fields added to the object at a place, those that it lacks and the document declares."""
    if not isinstance(body, dict):
        return body
    if place:
        name, *inner = place
        return {**body, name: _with(body[name], tuple(inner), fields, condition, names)} if name in body else body
    if any(body.get(name) != value for name, value in condition.items()):
        return body
    # A client id is that of the caller: here one that nobody has.
    known = {name: value for name, value in fields.items() if name in names}
    made = {name: f"{body.get('name')}caller" if name == CLIENT_ID else value for name, value in known.items()}
    return {**made, **body}


STORAGE = ("catalog", "storageConfigInfo")
NO_PROPERTIES: Fields = {"properties": {}}
SPELLED_OUT = Form(
    fields={
        "createPrincipal": {(): {"credentialRotationRequired": False}, ("principal",): NO_PROPERTIES},
        "createPrincipalRole": {("principalRole",): {"federated": False, **NO_PROPERTIES}},
        "createCatalogRole": {("catalogRole",): NO_PROPERTIES},
        "assignPrincipalRole": {("principalRole",): {"federated": False, **NO_PROPERTIES}},
        "assignCatalogRoleToPrincipalRole": {("catalogRole",): NO_PROPERTIES},
        "createGenericTable": {(): NO_PROPERTIES},
        "attachPolicy": {(): {"parameters": {}}},
        "detachPolicy": {(): {"parameters": {}}},
    },
    conditional={"createCatalog": (STORAGE, S3, {"pathStyleAccess": False})},
    query={"revokeGrantFromCatalogRole": {"cascade": "false"}, "dropPolicy": {"detach-all": "false"}},
)
CLI = Form(
    client="apache-polaris 1.8.0",
    fields={
        "createPrincipal": {("principal",): {CLIENT_ID: "", **NO_PROPERTIES}},
        "createPrincipalRole": {("principalRole",): {"federated": False, **NO_PROPERTIES}},
        "createCatalogRole": {("catalogRole",): NO_PROPERTIES},
        "assignPrincipalRole": {("principalRole",): {"federated": False}},
        "attachPolicy": {(): {"parameters": {}}},
    },
    conditional={
        "createCatalog": (
            STORAGE,
            S3,
            {"stsUnavailable": False, "pathStyleAccess": False, "kmsUnavailable": False},
        )
    },
    query={"revokeGrantFromCatalogRole": {"cascade": "false"}, "dropPolicy": {"detach-all": "false"}},
    headers={"Accept": "application/json", "User-Agent": "OpenAPI-Generator/1.0.0/python"},
    without_accept=(
        *("assignPrincipalRole", "assignCatalogRoleToPrincipalRole", "revokePrincipalRole"),
        *("addGrantToCatalogRole", "revokeGrantFromCatalogRole"),
    ),
)
FORMS: Mapping[str, Form] = {"spelled_out": SPELLED_OUT, "cli": CLI}
