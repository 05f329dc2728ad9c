"""Requests of `authorization.toml` in a form that takes effect when the server authorizes them, by name.

Those of calls.py change nothing even then: they create an object that exists, or commit to a version that no object
has. Here the names of new objects are free, and commits require nothing. Requests that only read are those of calls.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from conformance.common.operations import operations_of
from conformance.http.answers import Answer
from conformance.polaris.operations import API
from conformance.polaris.support.access import content
from conformance.polaris.support.access.calls import PRIVILEGES, AccessNames, AccessRequest, calls, operations

READING = ("GET", "HEAD")
ABSENT = "absent"
SIGN = "access-check"
TOUCH = {SIGN: "1"}  # a property that no object has
TOUCHED = {"requirements": [], "updates": [{"action": "set-properties", "updates": TOUCH}]}
MAY_BE_EMPTY = ("policies_of_catalog", "policies_of_namespace", "policies_of_table")  # no policy is attached
METHODS = {operation.id: operation.method for operation in operations_of(API).values()}
# Commits that need a snapshot, or that a table does not take as they stand in content.py.
NEVER_DONE = (
    *("commit_nothing", "commit_assign_uuid", "commit_set_location", "commit_set_statistics"),
    *("commit_set_partition_statistics", "commit_set_snapshot_ref"),
)
Call = Callable[["AccessNames", "World"], AccessRequest]
Request = Callable[["AccessNames"], AccessRequest]


class World(Protocol):
    """Facts of the server that requests with an effect need; the administrator of the fixture reads them."""

    def read(self, call: AccessRequest) -> Answer:
        """Send a request that must succeed."""

    def dropped_file(self) -> str:
        """Return the metadata file of a table that was dropped without its files."""

    def value_of(self, name: str) -> dict[str, Any]:
        """Return the body of a catalog of a name."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Request with an effect.

    `shown` is a request whose success the effect changes or, with a `sign`, whether that occurs in its answer: the name
    in a field of AccessNames, or a text. `first` is one that the request needs before. `spare` are the fields whose
    objects it changes or deletes: its accepted twin gets others. `own` are those of objects that exist for this request
    alone: callers have no grants on them. With `by_itself` only a principal itself may send the request about it.
    """

    call: Call
    shown: Request | None = None
    sign: str = ""
    spare: tuple[str, ...] = ()
    own: tuple[str, ...] = ()
    by_itself: bool = False
    first: Request | None = None


Effects = Iterator[tuple[str, Effect]]


def effects() -> dict[str, Effect]:
    """Return the requests with an effect, by their names in the table."""
    parts = (
        _reads,
        _namespaces,
        _tables,
        _commits,
        _views,
        _generic_tables,
        _policies,
        _catalogs,
        _grants,
        _principals,
    )
    return {name: effect for part in parts for name, effect in part()}


def _named(request: str, **fields: str) -> Request:
    """Return a function that makes a request of the table; `fields` take the names of other fields."""

    def make(names: AccessNames) -> AccessRequest:
        others: dict[str, Any] = {field: getattr(names, other) for field, other in fields.items()}
        return calls(replace(names, **others))[request]

    return make


def _plain(request: str, **fields: str) -> Call:
    """Return the call of an effect that needs nothing of the server."""
    return lambda names, _world: _named(request, **fields)(names)


def _with(request: str, change: Mapping[str, Any]) -> Call:
    """Return the call of a request with other fields of its body."""

    def make(names: AccessNames, _world: World) -> AccessRequest:
        call = calls(names)[request]
        return replace(call, body={**call.body, **change})

    return make


def _created(request: str, field: str, shown: str) -> tuple[str, Effect]:
    """Return the creation of an object under a free name."""
    return request, Effect(_plain(request, **{field: ABSENT}), _named(shown, **{field: ABSENT}), spare=(ABSENT,))


def _reads() -> Effects:
    """Yield the requests that read, but those whose answer may say nothing of what is there."""
    needed = {
        "list_grants": _named("grant_on_table"),
        "list_principal_roles_assigned": _named("assign_principal_role"),
        "list_assignee_principals": _named("assign_principal_role"),
        "list_assignee_principal_roles": _named("assign_catalog_role"),
        "list_catalog_roles_of_principal_role": _named("assign_catalog_role"),
    }
    for request, operation in operations().items():
        if METHODS[operation] in READING and request not in MAY_BE_EMPTY:
            yield request, Effect(_plain(request), first=needed.get(request))


def _namespaces() -> Effects:
    yield _created("create_root_namespace", "namespace", "namespace_exists")
    child = _plain("create_namespace", child=ABSENT)
    yield "create_namespace", Effect(child, _named("list_namespaces"), ABSENT, (ABSENT,))
    yield "drop_namespace", Effect(_plain("drop_namespace"), _named("namespace_exists"), own=("namespace",))
    yield "update_namespace", Effect(_with("update_namespace", {"updates": TOUCH}), _named("load_namespace"), SIGN)


def _tables() -> Effects:
    created = _named("table_exists", table=ABSENT)
    for end in ("", "_delegated"):
        yield _created(f"create_table{end}", "table", "table_exists")
        yield _created(f"stage_table{end}", "table", "table_exists")
        for request, field in ((f"register_table{end}", "table"), (f"overwrite_absent_table{end}", ABSENT)):
            yield request, Effect(_registered(request, **{field: ABSENT}), created, spare=(ABSENT,))
        yield f"overwrite_table{end}", Effect(_overwritten(f"overwrite_table{end}"))
    for request in ("drop_table", "purge_table"):
        yield request, Effect(_plain(request), _named("table_exists"), spare=("table",))
    yield from _renames("table")


def _registered(request: str, **fields: str) -> Call:
    def make(names: AccessNames, world: World) -> AccessRequest:
        call = _named(request, **fields)(names)
        return replace(call, body={**call.body, "metadata-location": world.dropped_file()})

    return make


def _overwritten(request: str) -> Call:
    def make(names: AccessNames, world: World) -> AccessRequest:
        call, shown = (calls(names)[name] for name in (request, "load_table"))
        return replace(call, body={**call.body, "metadata-location": world.read(shown)["metadata-location"]})

    return make


def _renames(kind: str) -> Effects:
    for request in (f"rename_{kind}", f"rename_{kind}_across"):
        yield request, Effect(_plain(request, second=ABSENT), _named(f"{kind}_exists"), spare=(kind, ABSENT))


def _commits() -> Effects:
    for request in content.updates(""):
        if request not in NEVER_DONE:
            yield request, Effect(_with(request, {"requirements": []}), spare=("table",))
    shown = _named("load_table")
    yield "commit_set_properties", Effect(_with("commit_set_properties", TOUCHED), shown, SIGN, ("table",))
    for request in ("commit_transaction", "commit_transaction_of_two"):
        yield request, Effect(_transaction(request), shown, SIGN, ("table",))


def _transaction(request: str) -> Call:
    def make(names: AccessNames, _world: World) -> AccessRequest:
        call = calls(names)[request]
        return replace(call, body={"table-changes": [{**each, **TOUCHED} for each in call.body["table-changes"]]})

    return make


def _views() -> Effects:
    yield _created("create_view", "view", "view_exists")
    yield "replace_view", Effect(_with("replace_view", TOUCHED), _named("load_view"), SIGN, ("view",))
    yield "drop_view", Effect(_plain("drop_view"), _named("view_exists"), spare=("view",))
    yield from _renames("view")


def _generic_tables() -> Effects:
    yield _created("create_generic_table", "generic", "load_generic_table")
    yield "drop_generic_table", Effect(_plain("drop_generic_table"), _named("load_generic_table"), spare=("generic",))


def _policies() -> Effects:
    yield _created("create_policy", "policy", "load_policy")
    yield "update_policy", Effect(_policy_updated, _named("load_policy"), SIGN, ("policy",))
    for request in ("drop_policy", "detach_and_drop_policy"):
        yield request, Effect(_plain(request), _named("load_policy"), spare=("policy",))


def _policy_updated(names: AccessNames, world: World) -> AccessRequest:
    call, shown = (calls(names)[name] for name in ("update_policy", "load_policy"))
    version = world.read(shown)["policy"]["version"]
    return replace(call, body={**call.body, "description": SIGN, "current-policy-version": version})


def _entity(kind: str) -> Effects:
    """Yield the update of an entity in the version that it has."""

    def updated(names: AccessNames, world: World) -> AccessRequest:
        call, shown = (calls(names)[f"{verb}_{kind}"] for verb in ("update", "get"))
        known = world.read(shown)
        properties = {**(known.get("properties") or {}), **TOUCH}
        return replace(call, body={"currentEntityVersion": known["entityVersion"], "properties": properties})

    yield f"update_{kind}", Effect(updated, _named(f"get_{kind}"), SIGN)


def _catalogs() -> Effects:
    yield "create_catalog", Effect(_new_catalog, _named("get_catalog", catalog=ABSENT), spare=(ABSENT,))
    yield from _entity("catalog")
    yield "delete_catalog", Effect(_plain("delete_catalog"), _named("get_catalog"), own=("catalog",))
    yield _created("create_catalog_role", "role", "get_catalog_role")
    yield from _entity("catalog_role")
    yield "delete_catalog_role", Effect(_role_deleted, _named("get_catalog_role"), own=("role",))
    listed = _named("list_catalog_roles_of_principal_role")
    assigned = _plain("assign_catalog_role", role="loose_role")
    yield "assign_catalog_role", Effect(assigned, listed, "loose_role", ("loose_role",))
    revoked = _plain("revoke_catalog_role", loose_role="role")
    yield "revoke_catalog_role", Effect(revoked, listed, "role", own=("role",))


def _new_catalog(names: AccessNames, world: World) -> AccessRequest:
    return AccessRequest("createCatalog", body={"catalog": world.value_of(names.absent)})


def _role_deleted(names: AccessNames, _world: World) -> AccessRequest:
    return AccessRequest("deleteCatalogRole", calls(names)["get_catalog_role"].path)


def _grants() -> Effects:
    """Yield the grants to `loose_role` and the revokes of grants that `role` has."""
    listed, of_loose = _named("list_grants"), _named("list_grants", role="loose_role")
    for level, privilege in PRIVILEGES.items():
        grant, revoke = f"grant_on_{level}", f"revoke_from_{level}"
        yield grant, Effect(_plain(grant, role="loose_role"), of_loose, privilege, ("loose_role",))
        yield revoke, Effect(_plain(revoke, loose_role="role"), listed, privilege, own=("role",), first=_named(grant))


def _principals() -> Effects:
    for kind in ("principal", "principal_role"):
        yield _created(f"create_{kind}", kind, f"get_{kind}")
        yield from _entity(kind)
        yield f"delete_{kind}", Effect(_plain(f"delete_{kind}"), _named(f"get_{kind}"), spare=(kind,))
    yield "rotate_of_another", Effect(_plain("rotate_of_another"), spare=("principal",), by_itself=True)
    yield "reset_of_another", Effect(_plain("reset_of_another"), spare=("principal",))
    listed, assign = _named("list_principal_roles_assigned"), "assign_principal_role"
    yield assign, Effect(_plain(assign), listed, "principal_role", ("principal",))
    revoked = _plain("revoke_principal_role")
    yield "revoke_principal_role", Effect(revoked, listed, "principal_role", own=("principal",), first=_named(assign))
