"""Storage configurations of catalogs: required, optional and immutable fields, and connections of external catalogs."""

from __future__ import annotations

from typing import Any

from conformance.author.checks import contains, equal, holds, shows, text
from conformance.author.requirement import must, should
from conformance.polaris.catalog import BASE_LOCATION, PolarisCatalog
from conformance.polaris.entities import CATALOG
from conformance.polaris.storage import CONNECTIONS, EACH, REMOTE_SECRET, STORAGES, StorageType
from conformance.polaris.support.catalogs import changed, configured, connected, offered, refused
from conformance.values.outcomes import Unoffered

SHOWING = ["createCatalog", "getCatalog", "listCatalogs", "updateCatalog"]
IDENTITY = ("userArn", "multiTenantAppName", "consentUrl", "gcsServiceAccount")
ELSEWHERE = "ftp://lakeproof.example/elsewhere"
OTHER_SECRETS = {"externalId": "lakeproof-other", "tenantId": "99999999-2222-3333-4444-555555555555"}


@must("polaris.catalog.storage.{}", operations=["createCatalog", "getCatalog"], clause="storage-kept", each=EACH)
def test_storage_is_kept(catalog: PolarisCatalog, case: StorageType) -> None:
    """getCatalog returns the storage configuration of a catalog on {} as it was created, with all fields."""
    id, value = configured(catalog, case, **case.fields)
    catalog.create(CATALOG, id, value)
    _keeps(catalog.get(CATALOG, id)["storageConfigInfo"], value["storageConfigInfo"])


def _keeps(config: Any, sent: dict[str, Any]) -> None:
    """Check that a storage configuration is as sent; the server may add allowed locations, such as the base.

    Names of the identity by which the server reaches the storage are texts; no document says who chooses them.
    """
    own = {name: item for name, item in sent.items() if name != "allowedLocations" and name not in IDENTITY}
    shows(config, own, "the storageConfigInfo")
    for name in IDENTITY:
        if config.get(name) is not None:
            text(config[name], f"the {name} of the storageConfigInfo")
    contains(config["allowedLocations"], sent["allowedLocations"], "the allowedLocations")


@must("polaris.catalog.storage_required", operations=["createCatalog"], clause="storage-required", kind="error")
def test_catalog_without_storage(catalog: PolarisCatalog) -> None:
    """createCatalog without storageConfigInfo or a known storageType returns 400 and creates nothing."""
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id)
    catalog.control(lambda: catalog.new(CATALOG))
    without = {name: item for name, item in value.items() if name != "storageConfigInfo"}
    for broken in (
        without,
        changed(value, storageType=None),
        changed(value, storageType="TAPE"),
        {**value, "storageConfigInfo": {}},
    ):
        refused(catalog, id, broken)


@should("polaris.catalog.scheme.{}", operations=["createCatalog"], clause="location-scheme", kind="error", each=EACH)
def test_location_of_another_storage(catalog: PolarisCatalog, case: StorageType) -> None:
    """createCatalog on {} with a location of another storage type returns 400 and creates nothing."""
    offered(catalog, case)
    other = next(storage for storage in STORAGES.values() if storage is not case and storage.root)
    base = other.base(catalog.target, catalog.target.new_name())
    for location in (base, ELSEWHERE):
        id = catalog.id(CATALOG)
        value = catalog.value(CATALOG, id, storage=case, properties={BASE_LOCATION: location})
        refused(catalog, id, changed(value, allowedLocations=[location]))
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id, storage=case)
    own = value["storageConfigInfo"]["allowedLocations"]
    refused(catalog, id, changed(value, allowedLocations=[*own, base]))


@should(
    "polaris.catalog.role_arn.{}",
    operations=["createCatalog"],
    clause="role-arn",
    kind="error",
    each={
        "no_arn": "lakeproof",
        "user": "arn:aws:iam::123456789012:user/lakeproof",
        "short_account": "arn:aws:iam::1234:role/lakeproof",
        "no_role": "arn:aws:iam::123456789012:role/",
    },
)
def test_role_arn_that_is_none(catalog: PolarisCatalog, case: str) -> None:
    """createCatalog on S3 with a roleArn that is not the ARN of a role ({}) returns 400."""
    refused(catalog, *configured(catalog, STORAGES["S3"], roleArn=case))


@must("polaris.catalog.role_arn_required", operations=["createCatalog"], clause="role-arn-required", kind="error")
def test_s3_without_a_role(catalog: PolarisCatalog) -> None:
    """createCatalog on S3 without a roleArn returns 400."""
    refused(catalog, *configured(catalog, STORAGES["S3"], roleArn=None))


@must("polaris.catalog.role_arn_optional", operations=["createCatalog"], clause="role-arn-optional", since="1.7")
def test_s3_without_a_role_is_taken(catalog: PolarisCatalog) -> None:
    """createCatalog on S3 without a roleArn succeeds."""
    catalog.create(CATALOG, *configured(catalog, STORAGES["S3"], roleArn=None))


@must("polaris.catalog.tenant_required", operations=["createCatalog"], clause="tenant-required", kind="error")
def test_azure_without_a_tenant(catalog: PolarisCatalog) -> None:
    """createCatalog on Azure without a tenantId returns 400."""
    refused(catalog, *configured(catalog, STORAGES["AZURE"], tenantId=None))


@should("polaris.catalog.update.storage_type", operations=["updateCatalog"], clause="storage-type-fixed", kind="error")
def test_update_to_another_storage(catalog: PolarisCatalog) -> None:
    """updateCatalog to another storageType returns 400 and changes nothing."""
    id = catalog.new(CATALOG)
    before = catalog.get(CATALOG, id).json
    other = next(storage for storage in STORAGES.values() if storage.id != catalog.storage.id and storage.root)
    base = other.base(catalog.target, catalog.target.new_name())
    catalog.update(
        CATALOG,
        id,
        currentEntityVersion=before["entityVersion"],
        properties={**before["properties"], BASE_LOCATION: base},
        storageConfigInfo=other.configured(base),
        expect=400,
    )
    equal(catalog.documented(catalog.get(CATALOG, id).json), catalog.documented(before), "the catalog")


FIXED = {"s3": "externalId", "azure": "tenantId"}


@should(
    "polaris.catalog.update.fixed.{}",
    operations=["updateCatalog"],
    clause="storage-fields-fixed",
    kind="error",
    each=FIXED,
)
def test_update_of_what_is_fixed(catalog: PolarisCatalog, case: str) -> None:
    """updateCatalog with another externalId (S3) or tenantId (Azure) returns 400 and changes nothing: {}."""
    storage = next(EACH[name] for name, fixed in FIXED.items() if fixed == case)
    offered(catalog, storage)
    id = catalog.id(CATALOG)
    with catalog.client.preparing():
        catalog.create(CATALOG, id, changed(catalog.value(CATALOG, id, storage=storage), **storage.fields))
    before = catalog.get(CATALOG, id).json
    config = {**before["storageConfigInfo"], case: OTHER_SECRETS[case]}
    version = before["entityVersion"]
    catalog.update(CATALOG, id, currentEntityVersion=version, storageConfigInfo=config, expect=400)
    equal(catalog.documented(catalog.get(CATALOG, id).json), catalog.documented(before), "the catalog")


@should(
    "polaris.catalog.update.role_account", operations=["updateCatalog"], clause="storage-fields-fixed", kind="error"
)
def test_update_to_a_role_of_another_account(catalog: PolarisCatalog) -> None:
    """updateCatalog with a roleArn of another AWS account returns 400 and changes nothing."""
    id = offered(catalog, STORAGES["S3"])
    before = catalog.get(CATALOG, id).json
    config = {**before["storageConfigInfo"], "roleArn": "arn:aws:iam::999999999999:role/lakeproof"}
    version = before["entityVersion"]
    catalog.update(CATALOG, id, currentEntityVersion=version, storageConfigInfo=config, expect=400)
    equal(catalog.documented(catalog.get(CATALOG, id).json), catalog.documented(before), "the catalog")


MOST = {"s3": 5, "azure": 20, "gcs": 8}


@should(
    "polaris.catalog.most_locations.{}",
    operations=["createCatalog"],
    clause="locations-at-most",
    kind="error",
    each=MOST,
)
def test_too_many_locations(catalog: PolarisCatalog, case: int) -> None:
    """createCatalog on {} with more allowedLocations than the storage type permits returns 400."""
    storage = next(EACH[name] for name, most in MOST.items() if most == case)
    offered(catalog, storage)
    id = catalog.id(CATALOG)
    value = catalog.value(CATALOG, id, storage=storage)
    own = value["storageConfigInfo"]["allowedLocations"]
    more = [storage.base(catalog.target, catalog.target.new_name()) for _ in range(case)]
    catalog.control(lambda: catalog.create(CATALOG, id, changed(value, allowedLocations=[*own, *more[1:]])))
    with catalog.client.preparing():
        catalog.delete(CATALOG, id)
    refused(catalog, id, changed(value, allowedLocations=[*own, *more]))


# Fields since 1.7, and connections of external catalogs


def _said_everywhere(catalog: PolarisCatalog, value: dict[str, Any]) -> Any:
    """Create and update a catalog, check that all responses show the same, and return it as loaded."""
    id = (value["name"],)
    created = catalog.create(CATALOG, id, value).json
    loaded = catalog.get(CATALOG, id).json
    listed = catalog.listed(CATALOG, id)
    body = {"properties": {**loaded["properties"], "a": "1"}}
    updated = catalog.update(CATALOG, id, currentEntityVersion=loaded["entityVersion"], **body)
    for name in ("type", "name", "storageConfigInfo", "connectionConfigInfo"):
        for answer, where in ((created, "its creation"), (listed, "the list"), (updated, "an update")):
            shown, wanted = catalog.documented(answer.get(name)), catalog.documented(loaded.get(name))
            equal(shown, wanted, f"the {name} in the answer to {where}")
    return loaded


@must("polaris.catalog.storage_said.{}", operations=SHOWING, clause="storage-kept", each=EACH, since="1.7")
def test_storage_is_said_everywhere(catalog: PolarisCatalog, case: StorageType) -> None:
    """All responses about a catalog on {} contain the storage configuration as it was created."""
    _, value = configured(catalog, case, **case.fields, **case.newer)
    loaded = _said_everywhere(catalog, value)
    _keeps(loaded["storageConfigInfo"], value["storageConfigInfo"])


@should("polaris.catalog.connection.{}", operations=SHOWING, clause="connection-kept", each=CONNECTIONS, since="1.7")
def test_connection_is_kept(catalog: PolarisCatalog, case: dict[str, Any]) -> None:
    """All responses about an external catalog contain its connection ({}) as created, without the secret."""
    id = catalog.id(CATALOG)
    value = connected(catalog.value(CATALOG, id), case)
    with catalog.client.preparing():
        answer = catalog.create(CATALOG, id, value, expect=(201, 400))
        if answer.status == 400:
            raise Unoffered(f"the server reaches no catalogs by {case['connectionType']}")
        catalog.delete(CATALOG, id)
    config = _said_everywhere(catalog, value)["connectionConfigInfo"]
    said = {name: item for name, item in value["connectionConfigInfo"].items() if name != "authenticationParameters"}
    shows(config, said, "the connectionConfigInfo")
    shows(config["authenticationParameters"], {"authenticationType": "OAUTH"}, "the authenticationParameters")
    for answer in (catalog.get(CATALOG, id), catalog.send("listCatalogs")):
        holds(REMOTE_SECRET.encode() not in answer.body, "the answer does not show the secret")
