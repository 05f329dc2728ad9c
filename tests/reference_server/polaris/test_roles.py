"""Roles and grants: their order, what cascades, what stays, and what each revision says of a grant that is absent."""

from __future__ import annotations

import asyncio

import pytest

from reference_server.polaris.entities.grants import StoredGrants, forget, grant
from reference_server.polaris.entities.keys import entity_key
from reference_server.polaris.securables import (
    ROOT,
    Securable,
    SecurableType,
    catalog,
    catalog_role,
    parent,
    principal_role,
)
from reference_server.storage import CommitConflict
from reference_server.storage.memory import MemoryStorage
from reference_server.storage.transactions import Transaction

ON_CATALOG = {"type": "catalog", "privilege": "TABLE_LIST"}
ON_NAMESPACE = {"type": "namespace", "namespace": ["a"], "privilege": "TABLE_LIST"}
ON_TABLE = {"type": "table", "namespace": ["a"], "tableName": "t", "privilege": "TABLE_LIST"}


@pytest.fixture
def made(admin):
    """A catalog with a table, a role in it and a principal role."""
    admin.catalog()
    admin.principal("u", "r")
    admin.catalog_role("cr", role="r")
    admin.namespace("a")
    admin.table()
    return admin


@pytest.mark.parametrize("levels", [None, 7, "a", []])
def test_a_grant_on_a_catalog_has_no_namespace_whatever_stands_there(made, levels):
    made.grant({**ON_CATALOG, "namespace": levels}, expect=201)
    assert made.grants() == [ON_CATALOG]


def test_what_was_not_given_by_revision(made, revision):
    fails = revision == "1.7"
    made.manage("DELETE", "/principals/u/principal-roles/r", expect=204)
    for method, path, body, status in [
        ("DELETE", "/principals/u/principal-roles/r", None, 204),
        ("DELETE", "/principal-roles/r/catalog-roles/c/catalog_admin", None, 204),
        ("POST", "/catalogs/c/catalog-roles/cr/grants", ON_CATALOG, 201),
    ]:
        answer = made.manage(method, path, body, expect=400 if fails else status)
        assert not fails or answer.type == "GRANT_NOT_FOUND"


def test_grants_are_listed_once_and_in_order(made):
    for body in (ON_TABLE, ON_CATALOG, ON_NAMESPACE, ON_TABLE):
        made.grant(body)
    assert made.grants() == [ON_CATALOG, ON_NAMESPACE, ON_TABLE]
    made.manage("POST", "/catalogs/c/catalog-roles/cr/grants", {"grant": ON_NAMESPACE}, expect=201)
    assert made.grants() == [ON_CATALOG, ON_TABLE]


def test_a_revocation_cascades(made):
    for body in (ON_CATALOG, ON_NAMESPACE, ON_TABLE, {**ON_TABLE, "privilege": "TABLE_DROP"}):
        made.grant(body)
    path = "/catalogs/c/catalog-roles/cr/grants?cascade="
    made.manage("POST", f"{path}maybe", {"grant": ON_CATALOG}, expect=400)
    made.manage("POST", f"{path}true", {"grant": ON_NAMESPACE}, expect=201)
    assert made.grants() == [ON_CATALOG, {**ON_TABLE, "privilege": "TABLE_DROP"}]


def test_roles_that_must_exist(made):
    made.manage("DELETE", "/principal-roles/service_admin", expect=400)
    made.manage("DELETE", "/catalogs/c/catalog-roles/catalog_admin", expect=400)
    made.manage("DELETE", "/principal-roles/r", expect=204)
    assert made.manage("GET", "/principals/u/principal-roles").body["roles"] == []


def test_securables_lie_in_each_other():
    table = Securable(SecurableType.TABLE, "c", ("a", "b", "t"))
    around = []
    securable = table
    while (securable := parent(securable)) is not None:
        around.append(securable)
    assert around == [
        Securable(SecurableType.NAMESPACE, "c", ("a", "b")),
        Securable(SecurableType.NAMESPACE, "c", ("a",)),
        catalog("c"),
        ROOT,
    ]
    assert (parent(catalog_role("c", "r")), parent(principal_role("r"))) == (catalog("c"), ROOT)


def test_a_grant_and_a_drop_at_the_same_time_leave_no_grant_on_nothing():
    """Whichever is committed first, the other one is a conflict."""

    async def run(*, grant_first):
        storage = MemoryStorage()
        await storage.commit({}, {entity_key(role): b"{}", entity_key(catalog("c")): b"{}"})
        given, dropped = Transaction(storage), Transaction(storage)
        grant(given, role, catalog("c"), "TABLE_LIST")
        dropped.get(entity_key(catalog("c")))
        dropped.put(entity_key(catalog("c")), None)
        forget(dropped, catalog("c"))
        first, second = (given, dropped) if grant_first else (dropped, given)
        await first.commit()
        with pytest.raises(CommitConflict):
            await second.commit()
        return StoredGrants(storage)

    role = catalog_role("c", "cr")
    for grant_first in (True, False):
        asyncio.run(run(grant_first=grant_first))
