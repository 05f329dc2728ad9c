"""The quickstart of Apache Polaris with its published command line: a catalog, a principal, roles, grants.

What the principal may do then is done through PyIceberg, and no longer once its privilege is revoked.
"""

from __future__ import annotations

import contextlib
import io
import json
from urllib.parse import urlsplit

import pyarrow as pa
import pytest
from apache_polaris.cli.polaris_cli import PolarisCli
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import ForbiddenError, OAuthError

from lakeproof import serve

ROOT = "root:s3cr3t"
PROFILES = ["polaris/2024-09", "polaris/1.7"]
ROWS = pa.table({"id": [1, 2], "name": ["a", "b"]})


class CommandLine:
    """The command `polaris` of the package apache-polaris, as somebody; in this process, to import it once."""

    def __init__(self, url: str, credential: str) -> None:
        place, (client_id, _, secret) = urlsplit(url), credential.partition(":")
        self._start = ["--host", place.hostname, "--port", str(place.port)]
        self._start += ["--client-id", client_id, "--client-secret", secret]

    def __call__(self, *arguments: str, fails: bool = False) -> str:
        output, errors, code = io.StringIO(), io.StringIO(), None
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                PolarisCli.execute([*self._start, *arguments])
            except SystemExit as end:
                code = end.code
        assert bool(code) == fails, output.getvalue() + errors.getvalue()
        return errors.getvalue() if fails else output.getvalue()


@pytest.fixture(params=PROFILES)
def server(request, tmp_path):
    with serve(request.param, storage=f"dir:{tmp_path / 'polaris'}", bootstrap=ROOT) as server:
        yield server


@pytest.fixture
def polaris(server):
    return CommandLine(server.url, ROOT)


@pytest.fixture
def user(polaris, tmp_path):
    """The credentials of a principal that may do everything in a catalog, made as the quickstart says."""
    location = f"file://{tmp_path / 'warehouse'}"
    polaris("catalogs", "create", "--storage-type", "file", "--default-base-location", location, "lake")
    credentials = json.loads(polaris("principals", "create", "reader").replace("'", '"'))
    polaris("principal-roles", "create", "people")
    polaris("catalog-roles", "create", "--catalog", "lake", "owner")
    polaris("principal-roles", "grant", "--principal", "reader", "people")
    polaris("catalog-roles", "grant", "--catalog", "lake", "--principal-role", "people", "owner")
    polaris("privileges", "catalog", "grant", "--catalog", "lake", "--catalog-role", "owner", "CATALOG_MANAGE_CONTENT")
    return f"{credentials['clientId']}:{credentials['clientSecret']}"


def catalog_of(server, credential):
    settings = {
        "uri": f"{server.url}/api/catalog",
        "credential": credential,
        "scope": "PRINCIPAL_ROLE:ALL",
        "warehouse": "lake",
        "header.X-Iceberg-Access-Delegation": "vended-credentials",
    }
    return load_catalog("lake", type="rest", **settings)


def test_quickstart(server, polaris, user):
    catalog = catalog_of(server, user)
    catalog.create_namespace("a")
    catalog.create_namespace(("a", "b"))
    catalog.create_table(("a", "b", "t"), ROWS.schema).append(ROWS)
    assert catalog.load_table(("a", "b", "t")).scan().to_arrow().to_pylist() == ROWS.to_pylist()
    revoked = ("--catalog", "lake", "--catalog-role", "owner", "CATALOG_MANAGE_CONTENT")
    polaris("privileges", "catalog", "revoke", *revoked)
    with pytest.raises(ForbiddenError, match="is not authorized for op LOAD_TABLE"):
        catalog.load_table(("a", "b", "t"))
    polaris("privileges", "catalog", "grant", *revoked)
    assert catalog.load_table(("a", "b", "t")).scan().to_arrow().num_rows == 2


def test_what_exists_is_shown(polaris, user):
    for command, name in (("catalogs", "lake"), ("principals", "reader"), ("principal-roles", "people")):
        assert name in polaris(command, "list")
    assert "CATALOG_MANAGE_CONTENT" in polaris("privileges", "list", "--catalog", "lake", "--catalog-role", "owner")
    assert user.partition(":")[2] not in polaris("principals", "get", "reader")


def test_rotated_secret(server, polaris, user):
    rotated = CommandLine(server.url, user)("principals", "rotate-credentials", "reader")
    fresh = json.loads(rotated.replace("'", '"'))["clientSecret"]
    client_id, _, old = user.partition(":")
    for secret in (old, fresh):
        assert catalog_of(server, f"{client_id}:{secret}").list_namespaces() == []


def test_refusals(server, polaris, user):
    assert "already exists" in polaris("principals", "create", "reader", fails=True)
    assert "not empty" in polaris("catalogs", "delete", "lake", fails=True)
    with pytest.raises(OAuthError, match="unauthorized_client"):
        catalog_of(server, f"{user.partition(':')[0]}:wrong")
