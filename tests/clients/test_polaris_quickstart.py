"""The quickstart of Apache Polaris with its published command line: a catalog, a principal, roles, grants.

What the principal may do then is done through PyIceberg, and no longer once its privilege is revoked. Spark does the
same in tests/spark_tests/test_polaris_quickstart.py.
"""

from __future__ import annotations

import json

import pytest
from pyiceberg.exceptions import ForbiddenError, OAuthError

from tests.clients.polaris_quickstart import PROFILES, ROWS, CommandLine, quickstart


@pytest.fixture(params=PROFILES)
def start(request, tmp_path):
    with quickstart(request.param, tmp_path) as start:
        yield start


def test_quickstart(start):
    catalog = start.catalog()
    catalog.create_namespace("a")
    catalog.create_namespace(("a", "b"))
    catalog.create_table(("a", "b", "t"), ROWS.schema).append(ROWS)
    assert catalog.load_table(("a", "b", "t")).scan().to_arrow().to_pylist() == ROWS.to_pylist()
    start.change("revoke")
    with pytest.raises(ForbiddenError, match="is not authorized for op LOAD_TABLE"):
        catalog.load_table(("a", "b", "t"))
    start.change("grant")
    assert catalog.load_table(("a", "b", "t")).scan().to_arrow().num_rows == 2


def test_what_exists_is_shown(start):
    for command, name in (("catalogs", "lake"), ("principals", "reader"), ("principal-roles", "people")):
        assert name in start.polaris(command, "list")
    privileges = start.polaris("privileges", "list", "--catalog", "lake", "--catalog-role", "owner")
    assert "CATALOG_MANAGE_CONTENT" in privileges
    assert start.user.partition(":")[2] not in start.polaris("principals", "get", "reader")


def test_rotated_secret(start):
    rotated = CommandLine(start.url, start.user)("principals", "rotate-credentials", "reader")
    fresh = json.loads(rotated.replace("'", '"'))["clientSecret"]
    client_id, _, old = start.user.partition(":")
    for secret in (old, fresh):
        assert start.catalog(f"{client_id}:{secret}").list_namespaces() == []


def test_refusals(start):
    assert "already exists" in start.polaris("principals", "create", "reader", fails=True)
    assert "not empty" in start.polaris("catalogs", "delete", "lake", fails=True)
    with pytest.raises(OAuthError, match="unauthorized_client"):
        start.catalog(f"{start.user.partition(':')[0]}:wrong")
