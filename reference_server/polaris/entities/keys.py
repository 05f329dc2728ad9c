"""Storage keys of entities, assignments and grants, and the forms of the values.

The key of an entity has three parts: its kind, the catalog of a catalog role, else "", and its name.

principal, principal-role, catalog, catalog-role / <catalog> / <name>  ->  the entity as the API shows it, JSON
credentials / <principal>                                   ->  client id and hashed secrets, see credentials.py
client / <client id>                                        ->  name of the principal, UTF-8
role-of / <assignee> / <role>                               ->  empty: the assignee has the role
assignee-of / <role> / <assignee>                           ->  empty: the same, in the other direction
grant / <catalog> / <role> / <kind> / <path>                ->  privileges of the role on a securable, a JSON list
grantee / <catalog> / <kind> / <path> / <role>              ->  empty: the role has a grant on the securable
signing-key                                                 ->  key that signs access tokens
catalog-locations                                           ->  changes with every location of a catalog
generic-table, policy / <catalog> / <path of the namespace> / <name>   ->  see catalog/

Namespaces, tables and views have the keys of the Iceberg API, with the catalog as their warehouse.
"""

from __future__ import annotations

from reference_server.polaris.securables import Securable, SecurableType
from reference_server.storage import pack, unpack

ROLE_OF, ASSIGNEE_OF = "role-of", "assignee-of"
GRANT, GRANTEE = "grant", "grantee"
GENERIC_TABLE = "generic-table"
SIGNING_KEY = pack("signing-key")
CATALOG_LOCATIONS = pack("catalog-locations")


def parts(entity: Securable) -> tuple[str, str, str]:
    """Return the parts of an entity: a principal, a role or a catalog."""
    if entity.kind is SecurableType.CATALOG:
        return entity.kind, "", entity.catalog
    return entity.kind, entity.catalog, entity.path[0]


def entity_of(key_parts: list[bytes]) -> Securable:
    """Return the entity of three parts of a key."""
    kind, catalog, name = (part.decode() for part in key_parts)
    if kind == SecurableType.CATALOG:
        return Securable(SecurableType.CATALOG, name)
    return Securable(SecurableType(kind), catalog, (name,))


def entity_key(entity: Securable) -> bytes:
    """Return the key of a principal, a role or a catalog."""
    return pack(*parts(entity))


def entities_prefix(kind: SecurableType, catalog: str = "") -> bytes:
    """Return the key prefix of all entities of a kind; for roles, of one catalog."""
    return pack(kind, catalog)


def existence_keys(securable: Securable) -> list[bytes]:
    """Return the keys of which at least one exists if the securable does, empty for the root."""
    kind, catalog, path = securable
    if kind is SecurableType.ROOT:
        return []
    if kind in (
        SecurableType.PRINCIPAL,
        SecurableType.PRINCIPAL_ROLE,
        SecurableType.CATALOG,
        SecurableType.CATALOG_ROLE,
    ):
        return [entity_key(securable)]
    kinds = (kind, GENERIC_TABLE) if kind is SecurableType.TABLE else (kind,)
    return [pack(stored, catalog, pack(*path[:-1]), path[-1]) for stored in kinds]


def credentials_key(principal: str) -> bytes:
    """Return the key of the credentials of a principal."""
    return pack("credentials", principal)


def client_key(client_id: str) -> bytes:
    """Return the key of the name of the principal with a client id."""
    return pack("client", client_id)


def roles_prefix(assignee: Securable, *more: str) -> bytes:
    """Return the key prefix of the roles of a principal or of a principal role; `more` are the first parts of these."""
    return pack(ROLE_OF, *parts(assignee), *more)


def assignees_prefix(role: Securable) -> bytes:
    """Return the key prefix of the assignees of a role."""
    return pack(ASSIGNEE_OF, *parts(role))


def assignment_keys(assignee: Securable, role: Securable) -> tuple[bytes, bytes]:
    """Return the two keys of an assignment."""
    return pack(ROLE_OF, *parts(assignee), *parts(role)), pack(ASSIGNEE_OF, *parts(role), *parts(assignee))


def other_end(key: bytes) -> Securable:
    """Return the entity at the end of an assignment's key."""
    return entity_of(unpack(key)[-3:])


def grants_prefix(role: Securable) -> bytes:
    """Return the key prefix of all grants of a role."""
    return pack(GRANT, role.catalog, role.path[0])


def grant_key(role: Securable, securable: Securable) -> bytes:
    """Return the key of the privileges of a role on a securable."""
    return pack(GRANT, role.catalog, role.path[0], securable.kind, pack(*securable.path))


def grantees_prefix(securable: Securable) -> bytes:
    """Return the key prefix of the roles with a grant on a securable of a catalog."""
    return pack(GRANTEE, securable.catalog, securable.kind, pack(*securable.path))


def grantee_key(role: Securable, securable: Securable) -> bytes:
    """Return the key of the mark that a role has a grant on a securable."""
    return grantees_prefix(securable) + pack(role.path[0])


def granted_on(key: bytes, catalog: str) -> Securable:
    """Return the securable of a grant of a catalog's role, by the grant's key."""
    kind, path = unpack(key)[-2:]
    return Securable(SecurableType(kind.decode()), catalog, tuple(part.decode() for part in unpack(path)))
