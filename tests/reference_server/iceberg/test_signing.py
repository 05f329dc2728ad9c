"""Signatures over HTTP: right by a calculation of our own, and only for the files of the table."""

from __future__ import annotations

import hashlib
import hmac
import re
from urllib.parse import parse_qsl, quote, urlsplit

import boto3
import pytest
import urllib3
from botocore import UNSIGNED
from botocore.config import Config
from pyiceberg.io.fsspec import S3V4RestSigner

from lakeproof import serve
from reference_server.errors import PermissionDenied
from reference_server.iceberg.files.buckets import Bucket
from reference_server.iceberg.handlers.signing import _object_key
from tests.reference_server.iceberg.conftest import Api

ASK = {"X-Iceberg-Access-Delegation": "remote-signing"}
SIGN = "namespaces/a/tables/t/sign"
KEYS = ("key", "s3cret")


class SigningApi(Api):
    """Client of a catalog on S3, with the location of one table, its URL, and the address of S3."""

    location = base = endpoint = ""


@pytest.fixture
def s3(http, s3_url):
    uri = f"s3://{KEYS[0]}:{KEYS[1]}@lake/house?endpoint_override={s3_url}&region=eu-west-1&credentials=own"
    with serve("iceberg", warehouses=(f"far/away={uri}", "lab")) as server:
        api = SigningApi(http, server.url)
        api.namespace("a")
        api.location = api.table().body["metadata"]["location"]
        api.base = f"{s3_url}/{api.location.removeprefix('s3://')}"
        api.endpoint = s3_url
        yield api


def request(api, path="/data/f.parquet", **fields):
    uri = api.base + path
    return {"region": "eu-west-1", "method": "GET", "uri": uri, "headers": {}, **fields}


def expected_signature(method, uri, headers, secret):
    """The signature of a request by the rules of AWS, version 4; `headers` are those that came back."""
    sent = {name.lower(): ",".join(values) for name, values in headers.items()}
    match = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=(\S+?)/(\d+)/(\S+?)/s3/aws4_request, SignedHeaders=(\S+), Signature=(\w+)",
        sent["authorization"],
    )
    _, day, region, names, signature = match.groups()
    split = urlsplit(uri)
    sent["host"] = split.netloc
    pairs = sorted((quote(k, safe="-_.~"), quote(v, safe="-_.~")) for k, v in parse_qsl(split.query, True))
    canonical = "\n".join(
        [
            method,
            split.path,
            "&".join(f"{k}={v}" for k, v in pairs),
            *(f"{name}:{' '.join(sent[name].split())}" for name in names.split(";")),
            "",
            names,
            sent["x-amz-content-sha256"],
        ]
    )
    scope = f"{day}/{region}/s3/aws4_request"
    text = "\n".join(["AWS4-HMAC-SHA256", sent["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in (*scope.split("/"),):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return signature, hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        ("/data/f.parquet", {}),
        ("/data/a%20b%2Bc.parquet?partNumber=2&uploadId=x%2Fy", {"method": "PUT"}),
        ("/data/f", {"headers": {"x-amz-meta-a": ["  two   words "], "Range": ["bytes=0-9"]}}),
        ("/data/f", {"method": "PUT", "headers": {"x-amz-content-sha256": ["0" * 64]}}),
    ],
)
def test_signatures_are_right(s3, path, fields):
    sent = request(s3, path, **fields)
    answer = s3.call("POST", SIGN, sent, expect=200)
    assert answer.body["uri"] == sent["uri"]
    signature, wanted = expected_signature(sent["method"], sent["uri"], answer.body["headers"], KEYS[1])
    assert signature == wanted
    assert f"Credential={KEYS[0]}/" in answer.body["headers"]["Authorization"][0]
    assert answer.headers["Cache-Control"] == ("private" if sent["method"] == "GET" else "no-cache")


def test_headers_that_change_are_not_signed_and_come_back(s3):
    headers = {"Range": ["bytes=0-9"], "amz-sdk-invocation-id": ["x"], "x-amz-date": ["20200101T000000Z"], "A": ["b"]}
    signed_headers = s3.call("POST", SIGN, request(s3, headers=headers), expect=200).body["headers"]
    assert (signed_headers["Range"], signed_headers["amz-sdk-invocation-id"]) == (["bytes=0-9"], ["x"])
    signed = re.search(r"SignedHeaders=(\S+),", signed_headers["Authorization"][0])[1].split(";")
    assert signed == ["a", "host", "x-amz-content-sha256", "x-amz-date"]
    assert [name.lower() for name in signed_headers].count("x-amz-date") == 1
    assert signed_headers["X-Amz-Date"] != ["20200101T000000Z"]
    assert signed_headers["X-Amz-Content-SHA256"] == ["UNSIGNED-PAYLOAD"]


def test_the_body_that_was_checked_is_the_one_that_is_signed(s3):
    key = s3.location.removeprefix("s3://lake/") + "/data/f"
    body = f'<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Object><Key>{key}</Key></Object></Delete>'
    sent = request(s3, method="POST", uri=f"{s3.endpoint}/lake?delete", body=body)
    headers = s3.call("POST", SIGN, sent, expect=200).body["headers"]
    assert headers["X-Amz-Content-SHA256"] == [hashlib.sha256(body.encode()).hexdigest()]
    signature, wanted = expected_signature("POST", sent["uri"], headers, KEYS[1])
    assert signature == wanted


ENTITY = '<!DOCTYPE d [<!ENTITY e "x">]><Delete><Object><Key>&e;</Key></Object></Delete>'
REFUSED = {
    "another bucket": (403, lambda api: {"uri": f"{api.endpoint}/other/f"}),
    "another storage": (403, lambda api: {"uri": "http://127.0.0.1:1" + urlsplit(api.base).path + "/f"}),
    "another table": (403, lambda api: {"uri": api.base + "x/f"}),
    "the location itself": (403, lambda api: {"uri": api.base}),
    "dots": (403, lambda api: {"uri": api.base + "/../t/f"}),
    "encoded dots": (403, lambda api: {"uri": api.base + "/%2E%2E/f"}),
    "the bucket": (403, lambda api: {"uri": f"{api.endpoint}/lake"}),
    "rights": (403, lambda api: {"method": "PUT", "uri": api.base + "/f?acl"}),
    "rights of the bucket": (403, lambda api: {"uri": f"{api.endpoint}/lake?acl&prefix={key(api)}/"}),
    "a listing of all": (403, lambda api: {"uri": f"{api.endpoint}/lake?list-type=2"}),
    "a listing outside": (403, lambda api: {"uri": f"{api.endpoint}/lake?list-type=2&prefix={key(api)}"}),
    "two prefixes": (403, lambda api: {"uri": f"{api.endpoint}/lake?prefix={key(api)}/&prefix=house"}),
    "a copy": (403, lambda api: {"method": "PUT", "headers": {"X-Amz-Copy-Source": ["/lake/house/f"]}}),
    "a copy from elsewhere": (403, lambda api: {"method": "PUT", "headers": {"x-amz-copy-source": ["other/f"]}}),
    "a deletion outside": (403, lambda api: deletion(api, "<D><Key>house/f</Key></D>")),
    "a deletion without a body": (400, lambda api: deletion(api, "")),
    "a deletion of nothing": (400, lambda api: deletion(api, "<Delete/>")),
    "a deletion with entities": (400, lambda api: deletion(api, ENTITY)),
    "no URL": (400, lambda api: {"uri": "f"}),
    "a broken URL": (400, lambda api: {"uri": "http://[::1/f"}),
    "a bad port": (400, lambda api: {"uri": "http://127.0.0.1:x/f"}),
    "a user": (400, lambda api: {"uri": api.base.replace("http://", "http://me@")}),
    "another region": (400, lambda api: {"region": "eu-west-2"}),
    "no region": (400, lambda api: {"region": "a/b"}),
    "another provider": (400, lambda api: {"provider": "gcs"}),
    "another method": (400, lambda api: {"method": "TRACE"}),
    "a line break": (400, lambda api: {"headers": {"a": ["b\r\nc: d"]}}),
    "no headers": (400, lambda api: {"headers": None}),
    "another table's UUID": (403, lambda api: {"properties": {"table-uuid": "x"}}),
}


def key(api):
    return api.location.removeprefix("s3://lake/")


def deletion(api, body):
    return {"method": "POST", "uri": f"{api.endpoint}/lake?delete", "body": body}


@pytest.mark.parametrize(("status", "change"), REFUSED.values(), ids=REFUSED)
def test_what_is_not_signed(s3, status, change):
    refused = s3.call("POST", SIGN, {**request(s3), **change(s3)})
    assert refused.status == status, refused.body


@pytest.mark.parametrize(
    "query", ["?list-type=2&prefix={key}/", "?prefix={key}/data/&delimiter=%2F&max-keys=10", "?uploads&prefix={key}/"]
)
def test_listings_inside_are_signed(s3, query):
    s3.call("POST", SIGN, request(s3, uri=f"{s3.endpoint}/lake{query.format(key=key(s3))}"), expect=200)


def test_the_bucket_may_stand_in_the_host(s3):
    uri = s3.base.replace("http://", "http://lake.").replace("/lake/", "/")
    s3.call("POST", SIGN, request(s3, uri=f"{uri}/f"), expect=200)
    s3.call("POST", SIGN, request(s3, uri=f"{uri}x/f"), expect=403)


def test_buckets_on_aws():
    bucket = Bucket("my.lake")
    good = [
        "https://s3.eu-west-1.amazonaws.com/my.lake/a/b%20c",
        "https://my.lake.s3.amazonaws.com/a/b%20c",
        "https://my.lake.s3.dualstack.eu-west-1.amazonaws.com:443/a/b%20c",
    ]
    assert {_object_key(urlsplit(uri), bucket) for uri in good} == {"a/b c"}
    bad = [
        "https://s3.amazonaws.com.evil.com/my.lake/a",
        "https://lake.s3.amazonaws.com/a",
        "https://my.lake.s3.evil.s3.amazonaws.com/a",
        "https://my.lake.s3.amazonaws.com:8443/a",
        "https://evil.com/my.lake/a",
    ]
    for uri in bad:
        with pytest.raises(PermissionDenied):
            _object_key(urlsplit(uri), bucket)


def test_the_table_has_to_be_there(s3):
    missing = s3.call("POST", SIGN.replace("/t/", "/none/"), request(s3), expect=404)
    assert missing.type == "NoSuchTableException"


def test_a_table_says_how_its_requests_are_signed(s3):
    table = s3.load(headers=ASK, expect=200).body
    assert table["config"]["signer.endpoint"] == f"v1/{SIGN}"
    assert table["config"]["s3.remote-signing-enabled"] == "true"
    properties = table["remote-signing-config"]["properties"]
    s3.call("POST", SIGN, request(s3, properties=properties), expect=200)
    s3.call("DELETE", "namespaces/a/tables/t")
    s3.table()
    s3.call("POST", SIGN, request(s3, properties=properties), expect=403)


def test_the_endpoint_has_the_prefix_of_the_client(s3):
    prefixed = Api(s3.http, s3.url, "far/away/")
    prefixed.namespace("b")
    prefixed.namespace("b", "c")
    prefixed.table("b%1Fc/tables/x%2Fy")
    config = prefixed.load("b%1Fc/tables/x%2Fy", headers=ASK).body["config"]
    assert config["signer.endpoint"] == "v1/far/away/namespaces/b%1Fc/tables/x%2Fy/sign"


def test_local_warehouses_sign_nothing_and_do_not_say_so(s3):
    local = Api(s3.http, s3.url, "lab/")
    local.namespace("a")
    local.table()
    refused = local.call("POST", SIGN, request(s3), undeclared=True, expect=406)
    assert refused.type == "UnsupportedOperationException"
    endpoints = {name: s3.call("GET", f"config?warehouse={name}").body["endpoints"] for name in ("far/away", "lab")}
    assert [endpoint for endpoint in endpoints["far/away"] if endpoint not in endpoints["lab"]] == [
        "POST /v1/{prefix}/namespaces/{namespace}/tables/{table}/sign"
    ]
    assert "remote-signing-config" not in local.load(headers=ASK).body


def test_boto3_works_through_the_signer_of_pyiceberg(s3):
    """A client without keys writes, lists, reads and deletes; PyIceberg's signer asks the server for each request."""
    config = s3.load(headers=ASK).body["config"]
    client = boto3.client(
        "s3", endpoint_url=s3.endpoint, region_name="eu-west-1", config=Config(signature_version=UNSIGNED)
    )
    seen = []
    client.meta.events.register("before-sign.s3", S3V4RestSigner({"uri": s3.url, **config}))
    client.meta.events.register("before-send.s3", lambda request, **_: seen.append(dict(request.headers)))
    name = key(s3) + "/data/f.txt"
    client.put_object(Bucket="lake", Key=name, Body=b"rows")
    assert client.get_object(Bucket="lake", Key=name)["Body"].read() == b"rows"
    assert [item["Key"] for item in client.list_objects_v2(Bucket="lake", Prefix=key(s3) + "/data/")["Contents"]] == [
        name
    ]
    client.delete_object(Bucket="lake", Key=name)
    assert len(seen) == 4
    assert [headers for headers in seen if b"Signature=" not in headers["Authorization"]] == []
    assert urllib3.request("GET", f"{s3.base}/data/f.txt").status == 404
