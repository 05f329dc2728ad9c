"""S3 buckets of warehouses: access options in their URIs, and keys.

    s3://bucket/path?endpoint_override=http://127.0.0.1:9000&region=us-east-1&credentials=own

endpoint_override, scheme, region   address of a bucket that is not on AWS, or in a region that cannot be looked up
credentials                         keys for clients that ask for access, with which the server also signs for them:
    dummy   dummy keys, for storage that checks none (the default)
    own     the server's own keys, as they are: from the URI (`s3://ID:SECRET@bucket/...`) or from AWS_* in the
            environment
    none    nothing, and nothing is signed
config=none    clients get no region and no endpoint: they reach the storage under another name
bucket=later   the server starts before the bucket exists
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from specs.extras import require_extra
from specs.problems import Problem

S3_SCHEMES = ("s3", "s3a", "s3n")
CREDENTIALS, DUMMY, OWN, NONE = "credentials", "dummy", "own", "none"
CONFIG, BUCKET, LATER = "config", "bucket", "later"
VALUES = {CREDENTIALS: (DUMMY, OWN, NONE), CONFIG: (NONE,), BUCKET: (LATER,)}
"""Options with few values, and all of these."""
OPTIONS = frozenset({*VALUES, "endpoint_override", "scheme", "region"})
CONNECT_SECONDS, ATTEMPTS = 3, 3
EXAMPLE = "Example: --warehouse demo=s3://bucket/path?endpoint_override=http://127.0.0.1:9000"


@dataclass(frozen=True, slots=True)
class Keys:
    """Keys of a bucket; `token` is empty for keys without an expiry. Never logged or shown."""

    id: str = field(repr=False)
    secret: str = field(repr=False)
    token: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Bucket:
    """A bucket. `endpoint` is the base URL of its storage, empty for AWS; an empty `region` is unknown.

    `credentials` is dummy, own or none; clients get region and endpoint if it is `announced`, and the bucket may be
    made after the start if `later`; see the module.
    """

    name: str
    endpoint: str = ""
    region: str = ""
    credentials: str = DUMMY
    keys: Keys | None = None
    announced: bool = True
    later: bool = False

    def client_config(self) -> dict[str, str]:
        """Return the settings with which clients find the bucket, by name; without secrets."""
        properties: dict[str, str] = {}
        if not self.announced:
            return properties
        if self.region:
            properties |= {"client.region": self.region, "s3.region": self.region}
        if self.endpoint:
            properties |= {"s3.endpoint": self.endpoint, "s3.path-style-access": "true"}
        return properties

    def open(self) -> Any:
        """Return pyarrow's file system for the bucket. Raises OSError when the bucket cannot be reached."""
        from pyarrow.fs import (  # noqa: PLC0415 - slow to import
            AwsStandardS3RetryStrategy,
            FileType,
            S3FileSystem,
            resolve_s3_region,
        )

        keys = self.keys
        filesystem = S3FileSystem(
            access_key=keys.id if keys else None,
            secret_key=keys.secret if keys else None,
            session_token=(keys.token or None) if keys else None,
            region=self.region or (None if self.endpoint else resolve_s3_region(self.name)),
            endpoint_override=self.endpoint or None,
            connect_timeout=CONNECT_SECONDS,
            retry_strategy=AwsStandardS3RetryStrategy(max_attempts=ATTEMPTS),
        )
        if not self.later and filesystem.get_file_info(self.name).type == FileType.NotFound:
            raise OSError(f"there is no bucket {self.name}")
        return filesystem


def is_s3(uri: str) -> bool:
    """Return whether a URI is an S3 URI, by any of the schemes that clients use."""
    return uri.partition(":")[0].lower() in S3_SCHEMES


def parse_bucket(uri: str) -> tuple[str, Bucket]:
    """Parse the URI of an S3 warehouse: return the beginning of its locations, and the bucket.

    Raises Problem for a URI without a bucket, for an unknown option, and for an unknown value of `credentials`.
    """
    require_extra("s3")
    split = urlsplit(uri)
    options = dict(parse_qsl(split.query))
    credentials = options.get(CREDENTIALS, DUMMY)
    name = split.netloc.rpartition("@")[2]
    keys = _keys(split)
    wrong = [option for option, known in VALUES.items() if options.get(option, known[0]) not in known]
    if not name or not options.keys() <= OPTIONS or wrong:
        values = "; ".join(f"{option} is {' or '.join(known)}" for option, known in VALUES.items())
        message = f"The S3 warehouse needs a bucket, and knows the options {', '.join(sorted(OPTIONS))}; {values}."
        raise Problem(message, EXAMPLE)
    if credentials == OWN and keys is None:
        raise Problem(
            "The S3 warehouse has no keys of its own to hand out.",
            "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or write s3://ID:SECRET@bucket/path.",
        )
    shown, later = CONFIG not in options, BUCKET in options
    bucket = Bucket(name, _endpoint(options), options.get("region", ""), credentials, keys, shown, later)
    return f"{split.scheme}://{name}{split.path.rstrip('/')}", bucket


def _keys(split: SplitResult) -> Keys | None:
    if split.username and split.password:
        return Keys(unquote(split.username), unquote(split.password))
    names = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
    id, secret, token = (os.environ.get(name, "") for name in names)
    return Keys(id, secret, token) if id and secret else None


def _endpoint(options: dict[str, str]) -> str:
    text = options.get("endpoint_override", "").rstrip("/")
    return text if "://" in text or not text else f"{options.get('scheme', 'https')}://{text}"
