"""How access to the files of a table goes wrong: hints, credentials, signatures."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import orjson

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, PermissionDenied
from reference_server.faults import Call, Proceed, answers, body_becomes, declare, fields_lost
from reference_server.iceberg.faults.blocks import answer_becomes, error_becomes, refuses, refuses_when
from reference_server.iceberg.handlers.credentials import HEADER

SHOWN = ("createTable", "loadTable", "registerTable")

CREDENTIALS, SIGN = "loadCredentials", "signRequest"

LIST = "storage-credentials"

NOWHERE = "http://127.0.0.1:9"


def _several_words(call: Call) -> bool:
    return "," in call.request.headers.get(HEADER, "")


def _with_secret(body: Any) -> Any:
    return {**body, "config": {**body.get("config", {}), "s3.secret-access-key": "made-up"}}


def _into_config(body: Any) -> Any:
    """Move credentials to where they stood before there was a place for them."""
    secrets = {key: value for one in body.get(LIST, ()) for key, value in one["config"].items()}
    return {**body, LIST: [], "config": {**body.get("config", {}), **secrets}}


def _prefixes(prefix: str) -> Any:
    return lambda credentials: [{**one, "prefix": prefix} for one in credentials]


def _elsewhere(credentials: Any) -> Any:
    return [{**one, "config": {**one["config"], "s3.endpoint": NOWHERE}} for one in credentials]


async def _other_each_time(call: Call, proceed: Proceed) -> Reply:
    """Answer credentials for all of the warehouse, once for the first and then for the second half of it."""
    reply = await proceed()
    count = call.state["credentials-asked"] = call.state.get("credentials-asked", 0) + 1
    if reply.status == 200:
        reply.body = orjson.dumps({LIST: [{"prefix": f"s3://half-{count % 2}", "config": {"a": "b"}}]})
    return reply


def _unsigned(headers: Any) -> Any:
    return {name: values for name, values in headers.items() if name.lower() != "authorization"}


def _other_region(headers: Any) -> Any:
    return {
        name: [value.replace("/s3/aws4_request", "-other/s3/aws4_request") for value in values]
        for name, values in headers.items()
    }


async def _anything(call: Call, proceed: Proceed) -> Reply:
    """Sign whatever is asked for."""
    reply = await proceed()
    if reply.status not in (400, 403):
        return reply
    sent = orjson.loads(call.request.body)
    return json_reply({"uri": sent["uri"], "headers": {"Authorization": ["AWS4-HMAC-SHA256 Signature=made-up"]}})


async def _method_ignored(call: Call, proceed: Proceed) -> Reply:
    sent = orjson.loads(call.request.body)
    call.request = call.request.altered(body=orjson.dumps({**sent, "method": "GET"}))
    return await proceed()


async def _no_cache_control(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    reply.headers.pop("Cache-Control", None)
    return reply


declare(
    "delegation-one-word",
    "Several words in X-Iceberg-Access-Delegation are a bad request.",
    refuses_when(_several_words, InvalidInput("There is no such way of access.")),
    on=SHOWN,
)

# Credentials
declare(
    "credentials-unasked",
    "The configuration of a table holds a secret, whoever loads it.",
    body_becomes(_with_secret, 200),
    on=["loadTable"],
)
declare(
    "credentials-change",
    "Credentials that are asked for alone are for another prefix each time.",
    _other_each_time,
    on=[CREDENTIALS],
)
declare(
    "credentials-for-anything",
    "Credentials are answered for tables that do not exist.",
    answers(200, {LIST: []}),
    on=[CREDENTIALS],
)
declare(
    "credentials-without-plan",
    "Credentials for the id of a planning are refused.",
    refuses_when(lambda call: "planId" in call.request.query, InvalidInput("There is no parameter planId.")),
    on=[CREDENTIALS],
)
declare(
    "credentials-in-config",
    "Credentials stand in the configuration of the table alone.",
    body_becomes(_into_config, 200),
    on=SHOWN,
)
declare(
    "credentials-without-prefix",
    "Credentials do not say which locations they open.",
    answer_becomes(storage_credentials=_prefixes("")),
    on=[CREDENTIALS],
)
declare(
    "credentials-elsewhere",
    "Credentials name a storage that is not there.",
    answer_becomes(storage_credentials=_elsewhere),
    on=["loadTable"],
)

# Signatures
declare(
    "sign-nothing",
    "What should be signed comes back without a signature.",
    answer_becomes(headers=_unsigned),
    on=[SIGN],
)
declare(
    "sign-other-region",
    "Signatures are for another region than the request.",
    answer_becomes(headers=_other_region),
    on=[SIGN],
)
declare(
    "sign-elsewhere",
    "The signed request is one to another storage.",
    answer_becomes(uri=lambda uri: NOWHERE + urlsplit(uri).path),
    on=[SIGN],
)
declare(
    "sign-missing-forbidden",
    "Signing for a table that does not exist is 403.",
    error_becomes(404, PermissionDenied("The table is not yours.")),
    on=[SIGN],
)
declare(
    "sign-without-cache-control",
    "The answer does not say whether a signature may be kept.",
    _no_cache_control,
    on=[SIGN],
)
declare("sign-any-method", "Requests are signed whatever their method is.", _method_ignored, on=[SIGN])
declare("sign-anything", "Requests are signed whatever they touch.", _anything, on=[SIGN])
declare(
    "sign-config-lost",
    "Tables do not say how requests are signed.",
    fields_lost("remote-signing-config"),
    on=["loadTable"],
)
declare("sign-refused", "No request is signed.", refuses(PermissionDenied("Nothing is signed here.")), on=[SIGN])
