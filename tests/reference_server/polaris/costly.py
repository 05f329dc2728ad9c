"""Requests of the Polaris API that cost a server much more than their sender."""

from __future__ import annotations

from tests.reference_server.costly import Costly, encoded_bodies
from tests.reference_server.iceberg.conftest import SCHEMA
from tests.reference_server.iceberg.costly import FORM, schemas, view
from tests.reference_server.polaris import drawing

MANAGEMENT, ICEBERG, OWN = "/api/management/v1", "/api/catalog/v1", "/api/catalog/polaris/v1/c/namespaces/a"
POLICY = {"name": "p", "type": "system.data-compaction"}
TABLES = f"{ICEBERG}/c/namespaces/a/tables"


def costly_requests(server, _folder):
    """Yield the requests, in an order in which each finds what it needs."""
    drawing.prepare(server)
    assert server.send("POST", TABLES, json={"name": "costly", "schema": SCHEMA}).status == 200
    many = {f"k{number}": "v" for number in range(200_000)}
    content = '{"enable":true,"x":' + "[" * 100_000 + "]" * 100_000 + "}"
    principals = f"{MANAGEMENT}/principals"
    yield from [
        Costly("a form of 60 MiB", "POST", f"{ICEBERG}/oauth/tokens", b"a=%41&" * 10_000_000, FORM),
        Costly("a principal with 200,000 properties", "POST", principals, {"principal": _named(many)}),
        Costly("a catalog with 200,000 properties", "POST", f"{MANAGEMENT}/catalogs", _catalog(many)),
        Costly("a policy of 100,000 brackets", "POST", f"{OWN}/policies", {**POLICY, "content": content}),
        Costly("a policy of 4 MB", "POST", f"{OWN}/policies", {**POLICY, "content": "x" * 4_000_000}),
        Costly("2,000 add-schema", "POST", f"{TABLES}/costly", {"requirements": [], "updates": schemas(2000)}),
        Costly("a view in 60,000 dialects", "POST", f"{ICEBERG}/c/namespaces/a/views", view("w", 60_000)),
    ]
    yield from encoded_bodies(principals)


def _named(properties):
    return {"name": "costly", "properties": properties}


def _catalog(properties):
    base = {"default-base-location": "file:///tmp/lakeproof-costly"}
    return {"catalog": {**_named({**base, **properties}), "type": "INTERNAL", "storageConfigInfo": drawing.STORAGE}}
