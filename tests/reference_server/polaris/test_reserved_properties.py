"""Properties of namespaces, tables and views whose names start with polaris., which are the server's own in 1.7."""

from __future__ import annotations

import pytest

NAMES = ("polaris.x", "polaris.config.x", "xpolaris.")
RESERVED = "polaris.x"
FIELDS = {"type": "struct", "fields": []}


@pytest.fixture
def world(admin):
    admin.catalog()
    admin.namespace("a")
    admin.table()
    return admin


def statuses(world, method, path, body_of):
    """Return the status of a request for each of the names in it."""
    return [world.content(method, f"/c{path}", body_of(name)).status for name in NAMES]


def setting(name):
    return {"requirements": [], "updates": [{"action": "set-properties", "updates": {name: "v"}}]}


def removing(name):
    return {"requirements": [], "updates": [{"action": "remove-properties", "removals": [name]}]}


def table(name):
    return {"name": f"t_{name.replace('.', '_')}", "schema": FIELDS, "properties": {name: "v"}}


def transaction(name):
    identifier = {"namespace": ["a"], "name": "t"}
    return {"table-changes": [{"identifier": identifier, **setting(name)}]}


@pytest.mark.parametrize(
    ("path", "body_of"),
    [
        ("/namespaces", lambda name: {"namespace": [name.replace(".", "")], "properties": {name: "v"}}),
        ("/namespaces/a/properties", lambda name: {"updates": {name: "v"}}),
        ("/namespaces/a/properties", lambda name: {"removals": [name]}),
        ("/namespaces/a/tables", table),
        ("/namespaces/a/tables/t", setting),
        ("/namespaces/a/tables/t", removing),
        ("/transactions/commit", transaction),
    ],
)
def test_reserved_names_are_refused(world, revision, path, body_of):
    codes = statuses(world, "POST", path, body_of)
    assert [status == 400 for status in codes] == [revision == "1.7" and name == RESERVED for name in NAMES]
    assert set(codes) <= {200, 204, 400}


@pytest.mark.parametrize("revision", ["1.7"], indirect=True)  # the one that has generic tables
def test_a_generic_table_has_no_reserved_properties(world):
    path = "/api/catalog/polaris/v1/c/namespaces/a/generic-tables"
    for name in NAMES:
        body = {"name": name.replace(".", ""), "format": "delta", "properties": {name: "v"}}
        world.call("POST", path, body, expect=400 if name == RESERVED else 200)
