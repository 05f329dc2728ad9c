"""Locations of a catalog: the root is allowed as in Polaris, unusable ones are refused, and errors name the field."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reference_server.polaris.conftest import REVISIONS
from tests.reference_server.polaris.served_catalogs import ICEBERG, MANAGEMENT, STORAGES, served

CATALOGS = f"{MANAGEMENT}/catalogs"
BASE_PLACE, ALLOWED_PLACE = "/properties/default-base-location", "/storageConfigInfo/allowedLocations/1"
UNFIT = [
    ("FILE", "relative/x"),
    ("FILE", ""),
    ("FILE", "*"),
    ("FILE", "file:"),
    ("FILE", "file:x"),
    ("FILE", "file://host/x"),
    ("FILE", "s3://bucket/x"),
    ("FILE", "file:///x/.lakeproof/y"),
    ("FILE", "/x/../y"),
    ("S3", "/x"),
    ("S3", "bucket/x"),
    ("S3", "s3://"),
    ("S3", "s3:///x"),
    ("S3", "s3://a b/x"),
    ("S3", "s3://../x"),
    ("S3", "gs://bucket/x"),
    ("GCS", "gs://"),
    ("AZURE", "abfss://"),
    ("AZURE", "https://a.blob.core.windows.net/x"),
]
INVALID: list[tuple[dict[str, Any], str, str]] = [
    ({"type": "NONE"}, "/type", '"INTERNAL" or "EXTERNAL"'),
    ({"name": 5}, "/name", 'not of type "string"'),
    ({"properties": {"default-base-location": 5}}, BASE_PLACE, 'not of type "string"'),
    ({"properties": {"default-base-location": ""}}, BASE_PLACE, "Must specify default base location"),
    ({"storageConfigInfo": {"storageType": "NONE"}}, "/storageConfigInfo/storageType", '"S3" or "AZURE"'),
    (
        {"storageConfigInfo": {"storageType": "S3", "roleArn": "hidden-role"}},
        "/storageConfigInfo/roleArn",
        "Invalid role ARN",
    ),
    (
        {"storageConfigInfo": {**STORAGES["S3"], "allowedLocations": [5]}},
        "/storageConfigInfo/allowedLocations/0",
        'not of type "string"',
    ),
]
FORBIDDEN: list[tuple[dict[str, Any], str]] = [
    ({"type": None}, "type: must not be null"),
    ({"name": None}, "name: must not be null"),
    ({"name": ""}, "name: size must be between 1 and 256"),
    ({"name": "x" * 257}, "name: size must be between 1 and 256"),
    ({"name": "system$x"}, "name: must match "),
    ({"properties": None}, "properties: must not be null"),
    ({"properties": {}}, "properties.default-base-location: must not be null"),
    ({"storageConfigInfo": None}, "storageConfigInfo: must not be null"),
    ({"storageConfigInfo": {}}, "storageConfigInfo.storageType: must not be null"),
    ({"storageConfigInfo": {"storageType": "AZURE"}}, "storageConfigInfo.tenantId: must not be null"),
]
FITTING = {"FILE": "file:///tmp/lakeproof-fitting", "S3": "s3://b/f", "GCS": "gs://b/f", "AZURE": "abfss://c@a.dfs.x/f"}


@pytest.fixture(params=[(revision, storage) for revision in REVISIONS for storage in ("memory", "directory")])
def root(request, http, tmp_path):
    revision, storage = request.param
    settings = {"storage": f"dir:{tmp_path}/state"} if storage == "directory" else {}
    with served(http, tmp_path / "data", f"polaris/{revision}", **settings) as root:
        yield root


def body_of(base, storage="FILE", *allowed, **fields):
    info = {**STORAGES[storage], "allowedLocations": list(allowed)}
    properties = {"default-base-location": base}
    return {"name": "c", "type": "INTERNAL", "properties": properties, "storageConfigInfo": info, **fields}


def create(root, body, expect=201):
    return root.call("POST", CATALOGS, {"catalog": body}, expect=expect)


@pytest.mark.parametrize("everything", ["file://", "file:///", "file:/", "/", "file://localhost", "file://localhost/"])
def test_the_root_is_an_allowed_location(root, everything):
    base = f"file://{root.folder}/c"
    made = create(root, body_of(base, "FILE", everything)).body
    assert everything in made["storageConfigInfo"]["allowedLocations"]
    assert root.namespace("c", "a").body["properties"]["location"].rstrip("/") == f"{base}/a"
    assert root.table("c").body["metadata"]["location"] == f"{base}/a/t"
    refused = root.call("POST", CATALOGS, {"catalog": body_of("file:///elsewhere", "FILE") | {"name": "d"}}, expect=400)
    assert refused.error[0] == "ValidationException"  # it lies in the root
    create(root, body_of("s3://bucket/d", "S3") | {"name": "d"})


@pytest.mark.parametrize("base", ["file://", "file:///", "/"])
def test_the_root_is_a_base_location(root, base):
    create(root, body_of(base))
    assert root.namespace("c", "lakeproof-a").body["properties"]["location"].rstrip("/") == "file:///lakeproof-a"


def test_a_location_that_cannot_be_used_is_refused_at_once(root):
    for storage, location in UNFIT:
        fitting = FITTING[storage]
        for body, place in (
            (body_of(location, storage), BASE_PLACE),
            (body_of(fitting, storage, fitting, location), ALLOWED_PLACE),
        ):
            message = create(root, body, expect=400).error[1]
            assert f"/catalog{place}: " in message, (location, message)
    for storage, fitting in FITTING.items():
        create(root, body_of(fitting, storage, fitting))
        for unfit in (location for kind, location in UNFIT if kind == storage):
            changed: list[tuple[dict[str, Any], str]] = [
                ({"properties": {"default-base-location": unfit}}, BASE_PLACE),
                ({"storageConfigInfo": {**STORAGES[storage], "allowedLocations": [fitting, unfit]}}, ALLOWED_PLACE),
            ]
            for change, place in changed:
                answer = root.call("PUT", f"{CATALOGS}/c", {"currentEntityVersion": 1, **change}, expect=400)
                assert f" {place}: " in answer.error[1]
        root.call("GET", f"{CATALOGS}/c", expect=200)
        root.namespace("c", "a")  # what is accepted can be used
        root.call("DELETE", f"{ICEBERG}/c/namespaces/a", expect=204)
        root.call("DELETE", f"{CATALOGS}/c", expect=204)


def test_an_error_names_the_field(root):
    for changes, place, word in INVALID:
        body = {**body_of("s3://bucket/c", "S3"), **changes}
        sent = {name: value for name, value in body.items() if value is not None}
        for wrapped in ({"catalog": sent}, sent):
            message = root.call("POST", CATALOGS, wrapped, expect=400).error[1]
            assert message.startswith(f"The request body is invalid at /catalog{place}: ")
            assert word in message
    for changes, words in FORBIDDEN:
        body = {**body_of("s3://bucket/c", "S3"), **changes}
        sent = {name: value for name, value in body.items() if value is not None}
        for wrapped in ({"catalog": sent}, sent):
            kind, message = root.call("POST", CATALOGS, wrapped, expect=400).error
            assert message.startswith(f"Invalid value: createCatalog.arg0.catalog.{words}")
            assert kind.endswith("ViolationException")
    create(root, body_of("s3://bucket/c", "S3"))
