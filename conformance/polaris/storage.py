"""Storage types of catalogs with the locations of a run in each, and connections of external catalogs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.target.target import Target


@dataclass(frozen=True, slots=True)
class StorageType:
    """Storage type: the schemes of its locations, the root of a run's locations, and its configuration.

    `required` are the required fields of the configuration, `fields` the optional ones, `newer` those since 1.7. The
    names of buckets contain the prefix of the run.
    """

    id: str
    schemes: tuple[str, ...]
    root: str
    required: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    newer: Mapping[str, Any] = field(default_factory=dict)

    def base(self, target: Target, name: str) -> str:
        """Return the base location of a catalog: below --location if that is of this storage type."""
        given = target.settings.location.rstrip("/")
        if given and scheme_of(given) in self.schemes:
            return f"{given}/{target.prefix}/{name}"
        root = self.root.format(prefix=target.prefix) if self.root else target.canaries.lake().as_uri()
        return f"{root}/{name}"

    def configured(self, base: str) -> dict[str, Any]:
        """Return the smallest storage configuration of a catalog with this base location."""
        return {"storageType": self.id, "allowedLocations": [base], **self.required}


NAMED = {"storageName": "lakeproof"}
HERE = "http://127.0.0.1:9"  # the discard port: no server listens there
KMS_KEY = "arn:aws:kms:eu-central-1:123456789012:key/lakeproof"
STORAGES = {
    storage.id: storage
    for storage in (
        StorageType("FILE", ("file", ""), "", newer=NAMED),
        StorageType(
            "S3",
            ("s3", "s3a"),
            "s3://{prefix}-lakeproof",
            {"roleArn": "arn:aws:iam::123456789012:role/lakeproof"},
            {"externalId": "lakeproof", "userArn": "arn:aws:iam::123456789012:user/lakeproof"},
            {
                **NAMED,
                "region": "eu-central-1",
                "endpoint": f"{HERE}/s3",
                "endpointInternal": f"{HERE}/internal",
                "stsEndpoint": f"{HERE}/sts",
                "stsUnavailable": True,
                "pathStyleAccess": True,
                "currentKmsKey": KMS_KEY,
                "allowedKmsKeys": [f"{KMS_KEY}/1", f"{KMS_KEY}/2"],
                "kmsUnavailable": True,
            },
        ),
        StorageType(
            "GCS",
            ("gs",),
            "gs://{prefix}-lakeproof",
            fields={"gcsServiceAccount": "lakeproof@example.iam.gserviceaccount.com"},
            newer=NAMED,
        ),
        StorageType(
            "AZURE",
            ("abfss", "abfs"),
            "abfss://{prefix}@lakeproof.dfs.core.windows.net",
            {"tenantId": "11111111-2222-3333-4444-555555555555"},
            {"multiTenantAppName": "lakeproof", "consentUrl": "https://example.com/consent"},
            {**NAMED, "hierarchical": True},
        ),
    )
}

EACH = {id.lower(): storage for id, storage in STORAGES.items()}  # by their names in ids of requirements

REMOTE_SECRET = "lakeproof-remote-secret"  # noqa: S105 - no service accepts it
NOWHERE = f"{HERE}/lakeproof"
CONNECTIONS: dict[str, dict[str, Any]] = {
    "iceberg_rest": {"connectionType": "ICEBERG_REST", "remoteCatalogName": "lakeproof"},
    "hadoop": {"connectionType": "HADOOP", "warehouse": "lakeproof"},
    "hive": {"connectionType": "HIVE", "warehouse": "lakeproof"},
}
OAUTH = {
    "authenticationType": "OAUTH",
    "tokenUri": f"{NOWHERE}/tokens",
    "clientId": "lakeproof",
    "clientSecret": REMOTE_SECRET,
    "scopes": ["lakeproof"],
}
AUTHENTICATIONS: dict[str, dict[str, Any]] = {  # all but OAUTH
    "bearer": {"authenticationType": "BEARER", "bearerToken": REMOTE_SECRET},
    "sigv4": {
        "authenticationType": "SIGV4",
        "roleArn": "arn:aws:iam::123456789012:role/lakeproof",
        "roleSessionName": "lakeproof",
        "externalId": "lakeproof",
        "signingRegion": "eu-central-1",
        "signingName": "lakeproof",
        "sessionPolicy": "{}",
    },
    "implicit": {"authenticationType": "IMPLICIT"},
    "gcp": {"authenticationType": "GCP"},
}


def storages_for(target: Target) -> tuple[str, ...]:
    """Return the storage types that a run may use: that of --location, or all if it is not given."""
    given = target.settings.location
    return tuple(storage.id for storage in STORAGES.values() if not given or scheme_of(given) in storage.schemes)


def scheme_of(location: str) -> str:
    """Return the scheme of a location in lower case, "" for a path."""
    return location.partition(":")[0].lower() if ":" in location else ""
