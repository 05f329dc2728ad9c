"""The storages of catalogs, where those of a run lie in each, and how catalogs of others are reached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.target.target import Target


@dataclass(frozen=True, slots=True)
class StorageType:
    """A type of storage: the schemes of its locations, where a run has its own, what its configuration must say.

    `fields` is what else a configuration may say, `newer` what since 1.7. Buckets carry the prefix of the run.
    """

    id: str
    schemes: tuple[str, ...]
    root: str
    required: Mapping[str, Any] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)
    newer: Mapping[str, Any] = field(default_factory=dict)

    def base(self, target: Target, name: str) -> str:
        """Return the base location of a catalog of this name: below the given location, if it is of this storage."""
        given = target.settings.location.rstrip("/")
        if given and scheme_of(given) in self.schemes:
            return f"{given}/{target.prefix}/{name}"
        root = self.root.format(prefix=target.prefix) if self.root else target.canaries.lake().as_uri()
        return f"{root}/{name}"

    def configured(self, base: str) -> dict[str, Any]:
        """Return the storage configuration of a catalog with this base location."""
        return {"storageType": self.id, "allowedLocations": [base], **self.required}


NAMED = {"storageName": "lakeproof"}
HERE = "http://127.0.0.1:9"  # a place of this machine at which nobody listens
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

EACH = {id.lower(): storage for id, storage in STORAGES.items()}  # as ids of requirements name them

REMOTE_SECRET = "lakeproof-remote-secret"  # noqa: S105 - of nobody
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
AUTHENTICATIONS: dict[str, dict[str, Any]] = {  # the others
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
    """Return the types of storage that a run may use: those of the given location, all without one."""
    given = target.settings.location
    return tuple(storage.id for storage in STORAGES.values() if not given or scheme_of(given) in storage.schemes)


def scheme_of(location: str) -> str:
    """Return the scheme of a location, "" for a path."""
    return location.partition(":")[0].lower() if ":" in location else ""
