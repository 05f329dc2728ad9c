"""Storage of a catalog's tables: locations, credentials in answers, and access to S3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from conformance.author.checks import text, url
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.values.outcomes import Skipped, Unoffered

DELEGATION = "X-Iceberg-Access-Delegation"
VENDED, SIGNING = "vended-credentials", "remote-signing"
CREDENTIALS, EXPIRY = "storage-credentials", "expires-at"
S3_SCHEMES = ("s3", "s3a", "s3n")
SECRET_SETTINGS = ("secret", "session-token", "sas-token", "account-key", "oauth2.token")
DEFAULT_REGION = "us-east-1"
ENDPOINT = "s3.endpoint"
ACCESS_KEY = "s3.access-key-id"
Config = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a table on S3; `config` is the table's, with region and endpoint."""

    bucket: str
    key: str
    config: Config

    @property
    def region(self) -> str:
        """The region of the bucket."""
        return self.config.get("client.region") or self.config.get("s3.region") or DEFAULT_REGION

    def url(self, path: str, *, bucket: str = "") -> str:
        """Return the URL of an object below the table, or of the key that a `path` with a leading slash gives."""
        key = path.removeprefix("/") if path.startswith("/") else f"{self.key}/{path}"
        base = self.config.get(ENDPOINT, f"https://s3.{self.region}.amazonaws.com").rstrip("/")
        return f"{base}/{bucket or self.bucket}/{quote(key)}"


def asking(word: str) -> dict[str, str]:
    """Return the header that requests a way of access."""
    return {DELEGATION: word}


def location_of(answer: Answer) -> str:
    """Return the location of the table in an answer."""
    return text(answer["metadata"]["location"], "the location of the table")


def secrets_in(config: Config | None) -> list[str]:
    """Return the names of settings that contain secrets of a storage."""
    return [name for name in config or {} if any(word in name.lower() for word in SECRET_SETTINGS)]


def covers(prefix: str, location: str) -> bool:
    """True when credentials for a prefix cover a location; the schemes of S3 count as equal."""
    return bool(prefix) and _plain(location).startswith(_plain(prefix))


def _plain(location: str) -> str:
    scheme, _, rest = location.partition("://")
    return f"s3://{rest}" if scheme in S3_SCHEMES else location


def place_of(answer: Answer) -> Place:
    """Return the place of the table in an answer. Raises Skipped when it is not on S3."""
    split = url(location_of(answer), "the location of the table")
    if split.scheme not in S3_SCHEMES:
        raise Skipped("the tables of the target are not on S3", "--location or --warehouse on S3")
    return Place(split.netloc, split.path.strip("/"), answer.get("config") or {})


def vended(catalog: IcebergCatalog, answer: Answer) -> list[dict[str, Any]]:
    """Return the credentials in an answer. Raises Unoffered when it has neither credentials nor secrets in config.

    Older revisions have no other place for credentials than the config of the table.
    """
    catalog.revision.require_field("LoadTableResult", CREDENTIALS)
    credentials: list[dict[str, Any]] = answer.get(CREDENTIALS) or []
    if not credentials and not secrets_in(answer.get("config")):
        raise Unoffered("the server hands out no credentials for its tables")
    return credentials


def expiries(credentials: list[dict[str, Any]]) -> list[int]:
    """Return the expiries in credentials, in ms since 1970; those that are no numbers are left out."""
    values = [str(value) for entry in credentials for name, value in entry["config"].items() if EXPIRY in name]
    return [int(value) for value in values if value.isdecimal()]


def load_for(catalog: IcebergCatalog, id: Names, word: str) -> Answer:
    """Load a table with a request for a way of access."""
    return catalog.load_table(id, _headers=asking(word))


def open_s3(credential: Config, config: Config) -> Any:
    """Open pyarrow's file system for S3 with the keys of a credential and the config of a table."""
    from pyarrow.fs import AwsStandardS3RetryStrategy, S3FileSystem  # noqa: PLC0415 - slow to import

    settings = {**config, **credential}
    return S3FileSystem(
        access_key=settings.get(ACCESS_KEY),
        secret_key=settings.get("s3.secret-access-key"),
        session_token=settings.get("s3.session-token"),
        region=settings.get("client.region") or settings.get("s3.region") or DEFAULT_REGION,
        endpoint_override=settings.get(ENDPOINT),
        connect_timeout=5,
        request_timeout=10,
        retry_strategy=AwsStandardS3RetryStrategy(max_attempts=2),
    )
