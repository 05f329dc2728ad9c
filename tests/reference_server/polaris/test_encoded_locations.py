"""Locations with dots that only show when a client decodes them are refused wherever a request names one."""

from __future__ import annotations

import json

import pytest

from reference_server.errors import InvalidInput
from reference_server.polaris.catalog.location_rules import WRITTEN_TO
from reference_server.polaris.catalog.places import check_plain, is_plain
from reference_server.polaris.catalog.served import folder_name
from tests.reference_server.polaris.served_catalogs import BASES, ICEBERG, MANAGEMENT, OWN, STORAGES, served

HOSTILE = [
    "%2e%2e/x",
    "%2E%2E/x",
    "x/%2e%2e",
    ".%2e/x",
    "%252e%252e/x",
    "%25%32%65./x",
    "%2e/x",
    "..%2fx",
    "x%2f..%2fy",
    "x%5c..%5cy",
    "..\\x",
    "x\\..\\y",
    "./x",
    "x/../y",
    "x%00",
    "x\n",
]
TABLE = {"namespace": ["a"], "name": "t"}


@pytest.fixture(params=["memory", "directory"])
def root(request, http, tmp_path):
    settings = {"storage": f"dir:{tmp_path}/state"} if request.param == "directory" else {}
    with served(http, tmp_path / "data", **settings) as root:
        for name, storage, kind in (("f", "FILE", "INTERNAL"), ("s", "S3", "INTERNAL"), ("e", "FILE", "EXTERNAL")):
            root.catalog(name, storage, kind, **{"polaris.config.namespace-custom-location.enabled": "true"})
        for name in ("f", "s"):
            root.namespace(name, "a")
            root.table(name)
            root.view(name)
        yield root


def base_of(root, catalog):
    return f"{BASES['S3']}/s" if catalog == "s" else f"file://{root.folder}/{catalog}"


def refused(answer):
    assert answer.status == 400, answer.body
    assert "location" in answer.error[1].lower()


@pytest.mark.parametrize("catalog", ["f", "s"])
def test_everything_that_has_a_location(root, catalog):
    for hostile in HOSTILE:
        refuse_things(root, catalog, f"{base_of(root, catalog)}/a/{hostile}")


def refuse_things(root, catalog, inside):
    namespaces, commit = f"{ICEBERG}/{catalog}/namespaces", {"requirements": [], "updates": [set_location(inside)]}
    registered = {"name": "r", "metadata-location": f"{inside}/1.metadata.json"}
    for sent in ({"location": inside}, {"location": inside, "stage-create": True}):
        refused(root.table(catalog, name="h", expect=None, **sent))
    refused(root.view(catalog, name="h", location=inside, expect=None))
    refused(root.namespace(catalog, "h", location=inside, expect=None))
    for path, body in (
        (f"{namespaces}/a/tables/t", commit),
        (f"{namespaces}/a/views/v", commit),
        (f"{ICEBERG}/{catalog}/transactions/commit", {"table-changes": [{"identifier": TABLE, **commit}]}),
        (f"{namespaces}/a/register", registered),
        (f"{namespaces}/a/register-view", registered),
        (f"{namespaces}/a/properties", {"updates": {"location": inside}, "removals": []}),
        (f"{OWN}/{catalog}/namespaces/a/generic-tables", {"name": "g", "format": "delta", "base-location": inside}),
    ):
        refused(root.call("POST", path, body))
    for name in WRITTEN_TO:
        refused(root.table(catalog, name="h", properties={name: inside}, expect=None))


def set_location(location):
    return {"action": "set-location", "location": location}


@pytest.mark.parametrize("kind", ["CREATE", "VALIDATE"])
def test_notifications(root, kind):
    for hostile in HOSTILE:
        location = f"{base_of(root, 'e')}/{hostile}/metadata/1.json"
        payload = {"table-name": "t", "timestamp": 1, "table-uuid": "u", "metadata-location": location}
        body = {"notification-type": kind, "payload": payload}
        refused(root.call("POST", f"{ICEBERG}/e/namespaces/x/tables/t/notifications", body))


def test_the_location_in_a_registered_file(root):
    metadata = root.call("GET", f"{ICEBERG}/f/namespaces/a/tables/t", expect=200).body["metadata"]
    file = root.folder / "f" / "a" / "1.metadata.json"
    for hostile in HOSTILE:
        file.write_text(json.dumps({**metadata, "location": f"{base_of(root, 'f')}/a/{hostile}"}))
        body = {"name": "r", "metadata-location": file.as_uri()}
        refused(root.call("POST", f"{ICEBERG}/f/namespaces/a/register", body))


@pytest.mark.parametrize(("name", "storage"), [("f", "FILE"), ("s", "S3")])
def test_catalogs(root, name, storage):
    base = f"{base_of(root, name)}-other"
    present = root.call("GET", f"{MANAGEMENT}/catalogs/{name}", expect=200).body
    info, version = present["storageConfigInfo"], {"currentEntityVersion": present["entityVersion"]}
    for location in (f"{base}/{hostile}" for hostile in HOSTILE):
        wider = {**info, "allowedLocations": [*info["allowedLocations"], location]}
        for at, allowed in ((location, []), (base, [base, location])):
            body = {**STORAGES[storage], "allowedLocations": allowed}
            refused(root.call("POST", f"{MANAGEMENT}/catalogs", catalog_at(at, body)))
        for change in ({"storageConfigInfo": wider}, {"properties": {"default-base-location": location}}):
            refused(root.call("PUT", f"{MANAGEMENT}/catalogs/{name}", {**version, **change}))
    root.call("POST", f"{MANAGEMENT}/catalogs", catalog_at(base, STORAGES[storage]), expect=201)


def catalog_at(base, storage):
    properties = {"default-base-location": base}
    return {"catalog": {"name": "h", "type": "INTERNAL", "properties": properties, "storageConfigInfo": storage}}


@pytest.mark.parametrize("text", ["a%20b", "100%", "%zz", "p=%2F", "..a", "a..", "a%2e", "%25", "a\\b", "x//y"])
def test_what_has_no_dots(text):
    assert is_plain(f"s3://b/{text}")
    check_plain(text)


def test_what_is_encoded_too_often_to_be_looked_at():
    with pytest.raises(InvalidInput):
        check_plain(f"s3://b/%{'25' * 20}41")


@pytest.mark.parametrize("name", ["%2e%2e", "a\\..\\b", "..%2fa", "%252e"])
def test_a_name_with_encoded_dots_gets_another_folder(name):
    assert is_plain(folder_name(("a", name)))
