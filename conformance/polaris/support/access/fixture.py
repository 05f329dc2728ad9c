"""The objects that the requests of the table name, and callers with exactly the grants of a cell.

A run creates the fixture once. One principal, the holder, has one role per grant; a cell calls with a token for the
roles of its grants. A role is created on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

from conformance.author.checks import holds, not_refused
from conformance.http.answers import Answer
from conformance.http.client import Client, bearer
from conformance.http.operation_client import FORM_TYPE
from conformance.polaris.inventory import CATALOG_ADMIN
from conformance.polaris.support.access.calls import AccessNames, AccessRequest, calls
from conformance.polaris.support.access.content import SCHEMA, new_policy, new_view
from conformance.polaris.support.access.table import Grant, Grants, Rule
from conformance.values.outcomes import Blocked

DONE = (200, 201, 204)
DENIED = (401, 403)
CONTENT = "CATALOG_MANAGE_CONTENT"
MOST_NAMED = 4
Value = Callable[[str], dict[str, Any]]


class AccessFixture:
    """Catalog with objects, roles and callers. `admin` may manage; `value` returns the body of a catalog of a name."""

    def __init__(self, admin: Client, new_name: Callable[[], str], value: Value) -> None:
        self.admin = admin.located(lambda path: path)  # the paths of requests contain the catalog
        self._new_name = new_name
        self._roles: dict[tuple[str, ...], str] = {}
        self._clients: dict[frozenset[str], Client] = {}
        self.culprits: set[Grant] = set()  # grants that were seen to let callers through
        self._lacking: dict[str, str] = {}  # objects that the server did not create, and the operations that do
        catalog = new_name()
        self.value_of = value
        self.value = value(catalog)
        location = f"{self.value['properties']['default-base-location']}/none"
        fixed: dict[str, Any] = {"catalog": catalog, "location": location, "catalog_value": self.value}
        drawn = {name: new_name() for name in AccessNames.__annotations__ if name not in fixed}
        self.names = AccessNames(**{**drawn, **fixed})
        with admin.preparing():
            self._make_catalog()
            self._make_principals()
        self.calls = calls(self.names)

    # Requests

    def ask(self, request: str, grants: Grants, *, spare: bool = False) -> Answer:
        """Send a request of the table as a caller with exactly these grants.

        With `spare`, a request that deletes an object gets an object of its own. Raises as `require` does.
        """
        self.require(self.calls[request])
        takes = self.calls[request].takes
        names = self.with_others(self.names, takes) if spare and takes else self.names
        call = calls(names)[request] if names is not self.names else self.calls[request]
        self.require(call)
        answer = self.send(call, self.caller(grants, call, names))
        if takes and names is self.names and answer.status in DONE:
            self.renew(takes)
        return answer

    def caller(self, grants: Grants, call: AccessRequest, names: AccessNames | None = None) -> Client:
        """Return a client with exactly these grants on the objects of a call."""
        with self.admin.preparing():
            roles = [self._role(grant, call, names or self.names) for grant in grants] or [self._role(None)]
            return self.in_roles(roles)

    def in_roles(self, roles: list[str]) -> Client:
        """Return a client with a token for these principal roles."""
        key = frozenset(roles)
        if key not in self._clients:
            self._clients[key] = self.log_in(self.holder, " ".join(f"PRINCIPAL_ROLE:{role}" for role in sorted(key)))
        return self._clients[key]

    def log_in(self, credentials: Mapping[str, str], scope: str) -> Client:
        """Return a client with a token for credentials."""
        form = {"grant_type": "client_credentials", **credentials, "scope": scope}
        answer = self.admin.call(
            "getToken", body=urlencode(form).encode(), content_type=FORM_TYPE, headers={"Authorization": None}
        )
        return self.admin.as_(bearer(str(answer["access_token"])))

    def offers(self, operation: str) -> bool:
        """True unless the server does not offer the operation."""
        return not self.admin.lacks(operation)

    def send(self, call: AccessRequest, client: Client) -> Answer:
        """Send a call through a client and accept any status."""
        return client.call(
            call.operation,
            path=call.path,
            query=call.query,
            json=call.body,
            headers=call.headers,
            expect=None,
        )

    # Objects and roles

    def manage(self, operation: str, body: Any = None, **path: str) -> Answer:
        """Send an operation as the administrator. Raises Blocked when it fails."""
        return self.admin.call(operation, path=path, json=body, expect=DONE)

    def new_principal(self) -> tuple[str, dict[str, str]]:
        """Create a principal; return its name and its credentials as fields of a token form."""
        name = self._new_name()
        with self.admin.preparing():
            return name, self._principal(name)

    def as_(self, credentials: Mapping[str, str | None]) -> Client:
        """Return a client that sends other credentials, or none."""
        return self.admin.as_(credentials)

    def new_role(self, *grants: Mapping[str, Any]) -> str:
        """Create a principal role of the holder, and, with grants, a catalog role of the same name that has them."""
        name = self._new_name()
        self.manage("createPrincipalRole", {"principalRole": {"name": name}})
        self.manage("assignPrincipalRole", {"principalRole": {"name": name}}, principalName=self._holder)
        if grants:
            self.manage("createCatalogRole", {"catalogRole": {"name": name}}, catalogName=self.names.catalog)
            for grant in grants:
                self.grant(name, grant)
            body = {"catalogRole": {"name": name}}
            path = {"principalRoleName": name, "catalogName": self.names.catalog}
            self.manage("assignCatalogRoleToPrincipalRole", body, **path)
        return name

    def grant(self, role: str, grant: Mapping[str, Any]) -> Answer:
        """Grant something to a role of the catalog."""
        path = {"catalogName": self.names.catalog, "catalogRoleName": role}
        return self.manage("addGrantToCatalogRole", {"grant": grant}, **path)

    def _role(self, grant: Grant | None, call: AccessRequest | None = None, names: AccessNames | None = None) -> str:
        """Return a role with one grant on the objects of a call, or a role without any grant."""
        value = _on(grant, names, call.table) if grant and names and call else None
        key = tuple(map(str, value.values())) if value else ()
        if key not in self._roles:
            self._roles[key] = self.new_role(*([value] if value else []))
        return self._roles[key]

    def _make_catalog(self) -> None:
        """Create the catalog with its objects, after granting its administrator everything in it."""
        names = self.names
        self.manage("createCatalog", {"catalog": self.value})
        self.grant(CATALOG_ADMIN, {"type": "catalog", "privilege": CONTENT})
        for levels in ([names.namespace], [names.namespace, names.child], [names.other]):
            self._create("createNamespace", levels[-1], {"namespace": levels, "properties": {}})
        for name in (names.table, names.second):
            self._make("table", name)
        self._make("table", names.second, names.other)
        for kind in ("view", "generic", "policy"):
            self._make(kind, getattr(names, kind))

    def _make(self, kind: str, name: str, namespace: str = "") -> None:
        """Create an object of a kind, one in a namespace by default in the first one; for `absent` nothing."""
        space = namespace or self.names.namespace
        making: dict[str, Callable[[], tuple[str, Any]]] = {
            "catalog": lambda: ("createCatalog", {"catalog": self.value_of(name)}),
            "namespace": lambda: ("createNamespace", {"namespace": [name], "properties": {}}),
            "table": lambda: ("createTable", {"name": name, "schema": SCHEMA}),
            "view": lambda: ("createView", new_view(space, name)),
            "generic": lambda: ("createGenericTable", {"name": name, "format": "delta"}),
            "policy": lambda: ("createPolicy", new_policy(name)),
            "role": lambda: ("createCatalogRole", {"catalogRole": {"name": name}}),
            "loose_role": lambda: ("createCatalogRole", {"catalogRole": {"name": name}}),
            "principal": lambda: ("createPrincipal", {"principal": {"name": name}}),
            "principal_role": lambda: ("createPrincipalRole", {"principalRole": {"name": name}}),
        }
        if kind in making:
            operation, body = making[kind]()
            self._create(operation, name, body, space)
        if kind == "role":
            path = {"principalRoleName": self.names.principal_role, "catalogName": self.names.catalog}
            self.manage("assignCatalogRoleToPrincipalRole", {"catalogRole": {"name": name}}, **path)

    def _create(self, operation: str, name: str, body: Any, namespace: str = "") -> None:
        """Create an object; note it as lacking if the server does not create it or the namespace for it."""
        if operation not in self.admin.document.operations:
            return
        inside = "{namespace}" in self.admin.document.operation(operation).path
        if self.admin.lacks(operation) or (inside and namespace in self._lacking):
            self._lacking[name] = operation if self.admin.lacks(operation) else self._lacking[namespace]
            return
        catalog = self.names.catalog
        path = {"prefix": catalog, "catalogName": catalog, "namespace": namespace}
        if self.admin.call(operation, path=path, json=body, expect=None).status not in DONE:
            self._lacking[name] = operation

    def _make_principals(self) -> None:
        names = self.names
        for kind in ("principal", "principal_role", "role", "loose_role"):
            self._make(kind, getattr(names, kind))
        self._holder = self._new_name()
        self.holder = self._principal(self._holder)

    def _principal(self, name: str) -> dict[str, str]:
        issued = self.manage("createPrincipal", {"principal": {"name": name}})["credentials"]
        return {"client_id": str(issued["clientId"]), "client_secret": str(issued["clientSecret"])}

    def with_others(self, names: AccessNames, *fields: str) -> AccessNames:
        """Return names after creating other objects for some fields; that of `absent` is another free name."""
        changed: dict[str, Any] = {field: self._new_name() for field in fields}
        with self.admin.preparing():
            for field in fields:
                self._make(field, changed[field])
        return replace(names, **changed)

    def renew(self, *fields: str) -> None:
        """Replace objects of the fixture that a request has changed or deleted."""
        self.names = self.with_others(self.names, *fields)
        self.calls = calls(self.names)

    def read(self, call: AccessRequest, expect: Sequence[int] = DONE) -> Answer:
        """Send a request as the administrator. Raises Blocked when it fails."""
        with self.admin.preparing():
            return self.admin.call(call.operation, path=call.path, query=call.query, json=call.body, expect=expect)

    def dropped_file(self) -> str:
        """Return the metadata file of a table that was dropped without its files."""
        made = calls(self.with_others(self.names, "table"))
        location = str(self.read(made["load_table"])["metadata-location"])
        self.read(made["drop_table"])
        return location

    def require(self, call: AccessRequest) -> None:
        """Raise Unoffered for a call that needs an operation which the server does not offer, by itself or an object.

        Raises Blocked for a call that names an object which the server refused to create.
        """
        self.admin.require(call.operation)
        for operation in self._lacked(call):
            self.admin.require(operation)
            raise Blocked("an object of the request could not be created", operation)

    def can_ask(self, request: str) -> bool:
        """True unless a request of the table needs an operation that the server does not offer."""
        call = self.calls[request]
        return not any(map(self.admin.lacks, (call.operation, *self._lacked(call))))

    def _lacked(self, call: AccessRequest) -> list[str]:
        """Return the operations that did not create an object which the call names."""
        said = repr((call.path, call.body, call.query))
        return [operation for name, operation in self._lacking.items() if name in said]


def check_allowed(access: AccessFixture, rule: Rule, grants: Grants) -> None:
    """Check that the server authorizes a caller with these grants, whatever the result of the request."""
    answer = access.ask(rule.name, grants, spare=True)
    holds(answer.status not in DENIED, f"{caller_with(grants)} is let through")


def check_refused(access: AccessFixture, rule: Rule, grants: Grants) -> None:
    """Check that a caller with these grants gets 403. The violation names a single grant that suffices, if one does."""
    answer = access.ask(rule.name, grants)
    if answer.status != 403 and len(grants) > 1:
        alone = ((grant, access.ask(rule.name, (grant,))) for grant in grants)
        grants, answer = next((((grant,), got) for grant, got in alone if got.status != 403), (grants, answer))
    if answer.status != 403:
        raise not_refused(answer, caller_with(grants))


def caller_with(grants: Grants) -> str:
    """Return the words for a caller with these grants; many of them are counted."""
    if len(grants) > MOST_NAMED:
        return f"a caller with {len(grants)} other privileges"
    return f"a caller with {' and '.join(map(str, grants)) or 'no privilege'}"


def _on(grant: Grant, names: AccessNames, table: str) -> dict[str, Any]:
    """Return the body of a grant on the object of its level."""
    inside = {"namespace": [names.namespace]}
    things: dict[str, dict[str, Any]] = {
        "catalog": {},
        "namespace": inside,
        "table": {**inside, "tableName": getattr(names, table)},
        "view": {**inside, "viewName": names.view},
        "policy": {**inside, "policyName": names.policy},
    }
    return {"type": grant.level, **things[grant.level], "privilege": grant.privilege}
