"""Catalogs: their manager, what their storage may be in each revision, and what is dropped with them."""

from __future__ import annotations

import pytest

from tests.reference_server.polaris.conftest import catalog

ROLE = "arn:aws:iam::123456789012:role/r"
S3 = {"storageType": "S3", "roleArn": ROLE}


def refused(admin, body, word, status=400):
    answer = admin.manage("POST", "/catalogs", {"catalog": body}, expect=status)
    assert word in answer.body["error"]["message"], answer.body
    assert admin.manage("GET", "/catalogs").body["catalogs"] == []
    return answer


def test_a_catalog_is_made_with_its_manager(admin):
    made = admin.catalog("c")
    assert (made["entityVersion"], made["createTimestamp"]) == (1, made["lastUpdateTimestamp"])
    assert made["storageConfigInfo"]["allowedLocations"] == [made["properties"]["default-base-location"]]
    assert admin.manage("GET", "/catalogs/c").body == made
    assert [role["name"] for role in admin.manage("GET", "/catalogs/c/catalog-roles").body["roles"]] == [
        "catalog_admin"
    ]
    assert [grant["privilege"] for grant in admin.grants("catalog_admin")] == [
        "CATALOG_MANAGE_ACCESS",
        "CATALOG_MANAGE_METADATA",
    ]
    assigned = admin.manage("GET", "/catalogs/c/catalog-roles/catalog_admin/principal-roles").body["roles"]
    assert [role["name"] for role in assigned] == ["service_admin"]


@pytest.mark.parametrize(
    ("base", "other", "overlaps"),
    [
        ("file:///tmp/x", "file:///tmp/x/y", True),
        ("file:///tmp/x/y", "/tmp//x/", True),
        ("file:///tmp/x", "file:///tmp/xy", False),
        ("s3://b/x", "s3a://b/x/y", True),
        ("s3://b/x", "gs://b/x", False),
    ],
)
def test_locations_of_catalogs_do_not_overlap(admin, base, other, overlaps):
    kinds = {"file": {"storageType": "FILE"}, "s3": S3, "gs": {"storageType": "GCS"}, "": {"storageType": "FILE"}}
    first, second = (kinds[text.partition(":")[0].rstrip("a") if ":" in text else ""] for text in (base, other))
    admin.manage("POST", "/catalogs", catalog("one", base, **first), expect=201)
    answer = admin.manage("POST", "/catalogs", catalog("two", other, **second))
    assert answer.status == (400 if overlaps else 201)
    if overlaps:
        assert answer.type == "ValidationException"
        admin.manage("DELETE", "/catalogs/one", expect=204)
        admin.manage("POST", "/catalogs", catalog("two", other, **second), expect=201)


@pytest.mark.parametrize(
    ("body", "word"),
    [
        (catalog("c", "gs://b/x", **S3), "prefix"),
        (catalog("c", "file:///tmp/a/../b"), "without dots"),
        (catalog("c", "relative"), "prefix"),
        (catalog("c", "s3://b/x", storageType="S3", roleArn="arn:aws:iam::12:role/r"), "ARN"),
    ],
)
def test_storage_that_a_catalog_cannot_have(admin, body, word):
    refused(admin, body, word)


def test_what_a_catalog_must_have(admin):
    for name in ("properties", "storageConfigInfo", "type", "name"):
        body = catalog("c")
        del body[name]
        admin.manage("POST", "/catalogs", {"catalog": body}, expect=400)
    admin.manage("POST", "/catalogs", {**catalog("c"), "properties": {}}, expect=400)
    admin.manage("POST", "/catalogs", {**catalog("c"), "properties": {"default-base-location": ""}}, expect=400)


def test_allowed_locations_by_revision(admin, revision):
    elsewhere = {"storageType": "FILE", "allowedLocations": ["file:///tmp/lakeproof-polaris/elsewhere"]}
    answer = admin.manage("POST", "/catalogs", catalog("c", **elsewhere))
    assert answer.status == {"2024-09": 201, "1.7": 400}[revision]
    many = {**S3, "allowedLocations": ["s3://m", *(f"s3://m{n}" for n in range(6))]}
    answer = admin.manage("POST", "/catalogs", catalog("m", "s3://m", **many))
    assert answer.status == {"2024-09": 400, "1.7": 201}[revision]


@pytest.mark.parametrize(
    "storage",
    [
        {"storageType": "S3", "externalId": "id"},
        {**S3, "externalId": "other"},
        {"storageType": "FILE"},
        {**S3, "externalId": "id", "roleArn": "arn:aws:iam::999999999999:role/r"},
    ],
)
def test_what_never_changes_of_a_storage(admin, storage):
    present = admin.catalog("c", base="s3://b/x", **S3, externalId="id")
    admin.manage("PUT", "/catalogs/c", {"currentEntityVersion": 1, "storageConfigInfo": storage}, expect=400)
    assert admin.manage("GET", "/catalogs/c").body == present


@pytest.mark.parametrize(
    ("storage", "name"),
    [({**S3, "externalId": "new"}, "ExternalId"), ({**S3, "roleArn": "arn:aws:iam::999999999999:role/r"}, "")],
)
def test_an_id_of_the_account_is_not_added_later(admin, storage, name):
    admin.catalog("c", base="s3://b/x", **S3)
    refused = admin.manage("PUT", "/catalogs/c", {"currentEntityVersion": 1, "storageConfigInfo": storage}, expect=400)
    assert f"Cannot modify {name}" in refused.body["error"]["message"]
    assert "in storage config from" in refused.body["error"]["message"]


def test_a_role_changes_within_its_account(admin, revision):
    admin.catalog("c", base="s3://b/x", **S3)
    body = {"currentEntityVersion": 1, "storageConfigInfo": {**S3, "roleArn": f"{ROLE}2"}}
    admin.manage("PUT", "/catalogs/c", body, expect={"2024-09": 400, "1.7": 200}[revision])


def test_a_dropped_catalog_leaves_nothing_to_its_successor(admin):
    admin.catalog("c")
    admin.principal("u", "r")
    admin.manage("PUT", "/principal-roles/r/catalog-roles/c", {"name": "catalog_admin"}, expect=201)
    admin.manage("DELETE", "/catalogs/c", expect=204)
    admin.catalog("c")
    assert admin.manage("GET", "/principal-roles/r/catalog-roles/c").body["roles"] == []


def test_secrets_of_a_connection_are_not_kept(admin, revision):
    if revision == "2024-09":
        body = {**catalog("c", kind="EXTERNAL"), "remoteUrl": "http://elsewhere"}
        assert admin.manage("POST", "/catalogs", body, expect=201).body["remoteUrl"] == "http://elsewhere"
        return
    secret = {"authenticationType": "OAUTH", "clientId": "me", "clientSecret": "hidden"}
    connection = {"connectionType": "ICEBERG_REST", "uri": "http://elsewhere", "authenticationParameters": secret}
    body = {**catalog("c", kind="EXTERNAL"), "connectionConfigInfo": connection}
    answers = [
        admin.manage("POST", "/catalogs", body, expect=201),
        admin.manage("GET", "/catalogs/c", expect=200),
        admin.manage("POST", "/catalogs", {**body, "type": "NONE"}, expect=400),
    ]
    assert answers[0].body["connectionConfigInfo"]["authenticationParameters"]["clientId"] == "me"
    assert [answer for answer in answers if b"hidden" in answer.data] == []
