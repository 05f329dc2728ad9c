"""signRequest, on servers that sign requests to S3, and the signing settings of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlsplit

import urllib3

from conformance.author.checks import equal, holds, one_of, status_is, url
from conformance.author.requirement import must, should
from conformance.common.addresses import call_at, resolved
from conformance.http.answers import Answer
from conformance.iceberg.catalog import IcebergCatalog, Names
from conformance.iceberg.support.storage import SIGNING, Place, load_for, place_of
from conformance.values.json_values import shown
from conformance.values.outcomes import Unoffered, Violation

SIGN, CONFIG = ["signRequest"], "remote-signing-config"
REFUSED = (400, 401, 403, 404, 422)
URI = "the uri of the answer"
FILE = "data/lakeproof.txt"
UNSIGNED_PAYLOAD = {"x-amz-content-sha256": ["UNSIGNED-PAYLOAD"]}
TIMEOUT = 10.0


@dataclass(frozen=True, slots=True)
class Signer:
    """Settings of a table that name the place of signatures: the endpoint, and the base that it is below."""

    endpoint: str
    base: str


SIGNERS = {"own": Signer("signer.endpoint", "signer.uri"), "s3": Signer("s3.signer.endpoint", "s3.signer.uri")}
Request = dict[str, Any]


def _signable(catalog: IcebergCatalog) -> tuple[Names, Place, Answer]:
    """Return a table, its place on S3 and its load. Raises Unoffered where the server signs nothing."""
    catalog.require("signRequest")
    id = catalog.new_table()
    loaded = load_for(catalog, id, SIGNING)
    return id, place_of(loaded), loaded


def _request(place: Place, method: str = "GET", path: str = FILE, **fields: Any) -> Request:
    """Return the body of signRequest for an object of a table."""
    return {"region": place.region, "uri": place.url(path), "method": method, "headers": {}, **fields}


def _path_of(address: str) -> str:
    """Return the path of an object's URL, which follows from the settings of its table."""
    return url(address, "the URL of an object by the config of the table").path


def _signature(answer: Answer) -> str:
    """Return the signature in the headers or the query of an answer, "" if there is none."""
    headers = {name.lower(): ",".join(values) for name, values in answer["headers"].items()}
    return headers.get("authorization", "") or url(answer["uri"], URI).query


def _is_signed(answer: Answer) -> None:
    """Check that an answer has a signature."""
    holds("signature=" in _signature(answer).lower(), "there is a signature in the headers or in the uri")


def _headers(answered: Any) -> dict[str, str]:
    """Return the headers of an answer as a client sends them."""
    headers = {name: ",".join(values) for name, values in answered.items()}
    for name, value in headers.items():
        holds(f"{name}{value}".isascii() and f"{name}{value}".isprintable(), f"the header {name} can be sent")
    return headers


@must("iceberg.storage.sign.signed", operations=SIGN, clause="sign-request")
def test_signed_request(catalog: IcebergCatalog) -> None:
    """signRequest for a file of the table returns the URI of the same object, headers and a signature."""
    id, place, _ = _signable(catalog)
    answer = catalog.sign_request(id, **_request(place))
    equal(url(answer["uri"], URI).path, _path_of(place.url(FILE)), "the path of the signed uri")
    holds(isinstance(answer["headers"], dict), "the headers of the answer are an object")
    _is_signed(answer)


@should("iceberg.storage.sign.missing", operations=SIGN, clause="sign-request-not-found", kind="error")
def test_signing_for_a_missing_table(catalog: IcebergCatalog) -> None:
    """signRequest for a missing table returns 404."""
    _, place, _ = _signable(catalog)
    catalog.sign_request(catalog.table_id("missing"), expect=404, **_request(place))


@should("iceberg.storage.sign.accepted", operations=SIGN, clause="sign-request-accepted")
def test_signed_requests_are_accepted(catalog: IcebergCatalog) -> None:
    """S3 accepts signed requests that write, read and delete a file of the table."""
    id, place, _ = _signable(catalog)
    written, _ = _sent(catalog, id, _request(place, "PUT"), b"lakeproof")
    one_of(written, (200, 201), "the status of the storage for PUT")
    read, content = _sent(catalog, id, _request(place))
    equal(read, 200, "the status of the storage for GET")
    equal(content.decode("utf-8", "replace"), "lakeproof", "the content of the file")
    deleted, _ = _sent(catalog, id, _request(place, "DELETE"))
    one_of(deleted, (200, 204), "the status of the storage for DELETE")


def _sent(catalog: IcebergCatalog, id: Names, request: Request, body: bytes = b"") -> tuple[int, bytes]:
    """Send a request that the server has signed and return the status and body of the storage's answer."""
    signed = catalog.sign_request(id, **{**request, "headers": UNSIGNED_PAYLOAD})
    headers, host = _headers(signed["headers"]), url(signed["uri"], URI).netloc
    try:
        answer = urllib3.request(
            request["method"], signed["uri"], body=body or None, headers=headers, retries=False, timeout=TIMEOUT
        )
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        raise Violation(f"the storage cannot be reached at {host} ({type(error).__name__})") from None
    return answer.status, answer.data


@should("iceberg.storage.sign.provider", operations=SIGN, clause="sign-request-provider")
def test_provider_may_be_left_out(catalog: IcebergCatalog) -> None:
    """signRequest without provider, or with s3, returns an AWS4-HMAC-SHA256 signature for the requested region."""
    id, place, _ = _signable(catalog)
    plain = _request(place)
    for request in (plain, {**plain, "provider": "s3"}):
        signature = _signature(catalog.sign_request(id, **request)).replace("%2F", "/")
        for part in ("AWS4-HMAC-SHA256", f"/{place.region}/s3/aws4_request"):
            holds(part in signature, f"the signature has {part}")


@should("iceberg.storage.sign.cache", operations=SIGN, clause="sign-request-cache")
def test_signatures_say_whether_they_may_be_kept(catalog: IcebergCatalog) -> None:
    """signRequest returns Cache-Control with private or no-cache."""
    id, place, _ = _signable(catalog)
    for method in ("GET", "PUT"):
        control = catalog.sign_request(id, **_request(place, method)).header("Cache-Control").lower()
        stated = "private" in control or "no-cache" in control
        holds(stated, f"the Cache-Control {shown(control)} has private or no-cache")


@must("iceberg.storage.sign.method", operations=SIGN, clause="sign-request-method", kind="error")
def test_unknown_method(catalog: IcebergCatalog) -> None:
    """signRequest with a method that the document does not list returns 400."""
    id, place, _ = _signable(catalog)
    for method in ("TRACE", "get", ""):
        catalog.sign_request(id, expect=400, **_request(place, method))


# Objects outside of the table


@dataclass(frozen=True, slots=True)
class OutsideRequest:
    """Request for an object outside of a table."""

    id: str
    make: Callable[[Place], Request]


def _copying(place: Place) -> Request:
    source = quote(f"/{place.bucket}/{place.key}-other/{FILE}")
    return _request(place, "PUT", headers={"x-amz-copy-source": [source]})


def _deleting(place: Place) -> Request:
    key = f"{place.key}-other/{FILE}"
    body = f"<Delete><Object><Key>{key}</Key></Object></Delete>"
    return _request(place, "POST", uri=f"{place.url('/')}?delete", body=body)


OUTSIDE = {
    "sibling": OutsideRequest(
        "a file of a table whose location begins alike", lambda at: _request(at, path=f"/{at.key}x/f")
    ),
    "parent": OutsideRequest("a file above the table", lambda at: _request(at, path=f"/{at.key.rpartition('/')[0]}/f")),
    "dots": OutsideRequest(
        "a path that leads out of the table by dots",
        lambda at: _request(at, uri=at.url("a").removesuffix("/a") + "/../other/f"),
    ),
    "bucket": OutsideRequest(
        "a file in another bucket", lambda at: _request(at, uri=at.url(FILE, bucket=f"{at.bucket}-other"))
    ),
    "host": OutsideRequest(
        "a file of the same name elsewhere",
        lambda at: _request(at, uri=f"https://lakeproof.invalid{_path_of(at.url(FILE))}"),
    ),
    "listing": OutsideRequest(
        "a listing of the whole bucket", lambda at: _request(at, uri=f"{at.url('/').rstrip('/')}?list-type=2&prefix=")
    ),
    "copy": OutsideRequest("a copy of a file of another table", _copying),
    "deletion": OutsideRequest("a deletion of files of another table", _deleting),
}


@should("iceberg.storage.sign.outside.{}", operations=SIGN, clause="sign-request-outside", kind="error", each=OUTSIDE)
def test_requests_outside_are_not_signed(catalog: IcebergCatalog, case: OutsideRequest) -> None:
    """signRequest for {} returns 400, 401, 403, 404 or 422."""
    id, place, _ = _signable(catalog)
    catalog.sign_request(id, **_request(place))
    catalog.sign_request(id, expect=REFUSED, **case.make(place))


# Signing settings of a table


@should("iceberg.storage.sign.config", operations=["loadTable", *SIGN], clause="remote-signing-config")
def test_settings_of_the_signer(catalog: IcebergCatalog) -> None:
    """loadTable on a server that signs returns remote-signing-config, and signRequest accepts its headers."""
    catalog.revision.require_field("LoadTableResult", CONFIG)
    id, place, loaded = _signable(catalog)
    config = loaded.get(CONFIG)
    holds(isinstance(config, dict), f"the table comes with {CONFIG}")
    request = _request(place, properties=config.get("properties") or {})
    answer = catalog.sign_request(id, _headers=_headers(config.get("headers") or {}), **request)
    _is_signed(answer)


@should("iceberg.storage.sign.endpoint.{}", operations=["loadTable", *SIGN], clause="signer-endpoint", each=SIGNERS)
def test_named_signer_signs(catalog: IcebergCatalog, case: Signer) -> None:
    """signRequest at the {0.endpoint} that the config of a table names returns a signature with 200."""
    id, place, loaded = _signable(catalog)
    config = loaded.get("config") or {}
    if case.endpoint not in config:
        raise Unoffered(f"the config of the table has no {case.endpoint}")
    what, address = f"the {case.endpoint}", config[case.endpoint]
    if case.base in config:
        address = resolved(str(config[case.base]), address, what)
    answer = call_at(catalog.client, SIGN[0], address, what, path=catalog.table_path(id), json=_request(place))
    status_is(answer.status, 200, f"the status at {what}")
    _is_signed(answer)


@should("iceberg.storage.sign.default", operations=["loadTable", *SIGN], clause="remote-signing-default")
def test_where_signing_happens(catalog: IcebergCatalog) -> None:
    """signRequest on a table returns 200 unless the table's config names another signer."""
    id, place, loaded = _signable(catalog)
    config = loaded.get("config") or {}
    answer = catalog.sign_request(id, expect=None, **_request(place))
    own = urlsplit(catalog.client.steps[-1].url).path
    stated = url(config.get("signer.endpoint") or own, "the signer.endpoint of the table").path
    if "signer.uri" in config or not own.endswith(stated.lstrip("/")):
        raise Unoffered("the table names another place for signing")
    status_is(answer.status, 200)
