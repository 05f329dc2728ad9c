"""Faults of access to the files of a table (credentials, signatures) and of token requests."""

from __future__ import annotations

from typing import Any

import orjson

from reference_server.context import Reply, json_reply
from reference_server.errors import InvalidInput, PermissionDenied
from reference_server.faults import Call, Proceed, answers, body_becomes, fault
from reference_server.iceberg.catalog.delegation import HEADER
from reference_server.iceberg.faults.blocks import (
    CREDENTIALS,
    ISSUE,
    LIST,
    SHOWN,
    SIGN,
    answer_becomes,
    error_becomes,
    refuses_when,
)


def _several_words(call: Call) -> bool:
    return "," in call.request.headers.get(HEADER, "")


def _with_secret(body: Any) -> Any:
    return {**body, "config": {**body.get("config", {}), "s3.secret-access-key": "dummy"}}


def _prefixes(prefix: str) -> Any:
    return lambda credentials: [{**credential, "prefix": prefix} for credential in credentials]


@fault("credentials-change", on=[CREDENTIALS])
async def _other_each_time(call: Call, proceed: Proceed) -> Reply:
    """Credentials that are asked for alone are for another prefix each time."""
    # Answer credentials for all of the warehouse, once for the first and then for the second half of it.
    reply = await proceed()
    count = call.state["credentials-asked"] = call.state.get("credentials-asked", 0) + 1
    if reply.status == 200:
        reply.body = orjson.dumps({LIST: [{"prefix": f"s3://half-{count % 2}", "config": {"a": "b"}}]})
    return reply


def _refreshed_nowhere(credentials: Any) -> Any:
    """Name a place for fresh credentials that does not exist."""
    nowhere = {"client.refresh-credentials-endpoint": "v1/nowhere/credentials"}
    return [{**credential, "config": {**credential["config"], **nowhere}} for credential in credentials]


fault("credentials-refreshed-nowhere", "The place for fresh credentials that a load names does not exist.", on=SHOWN)(
    answer_becomes(**{LIST: _refreshed_nowhere})
)
fault("signer-nowhere", "The endpoint for signatures that a load names does not exist.", on=SHOWN)(
    answer_becomes(config=lambda config: {name: _elsewhere(name, value) for name, value in config.items()})
)


def _elsewhere(name: str, value: str) -> str:
    return "v1/nowhere/sign" if name.endswith("signer.endpoint") else value


def _unsigned(headers: Any) -> Any:
    return {name: values for name, values in headers.items() if name.lower() != "authorization"}


def _other_region(headers: Any) -> Any:
    return {
        name: [value.replace("/s3/aws4_request", "-other/s3/aws4_request") for value in values]
        for name, values in headers.items()
    }


@fault("sign-anything", on=[SIGN])
async def _anything(call: Call, proceed: Proceed) -> Reply:
    """Requests are signed whatever they touch."""
    # Sign whatever is asked for.
    reply = await proceed()
    if reply.status not in (400, 403):
        return reply
    sent = orjson.loads(call.request.body)
    return json_reply({"uri": sent["uri"], "headers": {"Authorization": ["AWS4-HMAC-SHA256 Signature=dummy"]}})


@fault("sign-any-method", on=[SIGN])
async def _method_ignored(call: Call, proceed: Proceed) -> Reply:
    """Requests are signed whatever their method is."""
    sent = orjson.loads(call.request.body)
    call.request = call.request.altered(body=orjson.dumps({**sent, "method": "GET"}))
    return await proceed()


@fault("sign-without-cache-control", on=[SIGN])
async def _no_cache_control(_call: Call, proceed: Proceed) -> Reply:
    """The answer does not say whether a signature may be kept."""
    reply = await proceed()
    reply.headers.pop("Cache-Control", None)
    return reply


fault("delegation-one-word", "Several words in X-Iceberg-Access-Delegation are a bad request.", on=SHOWN)(
    refuses_when(_several_words, InvalidInput("There is no such way of access."))
)

fault("credentials-unasked", "The configuration of a table holds a secret, whoever loads it.", on=["loadTable"])(
    body_becomes(_with_secret, 200)
)
fault("credentials-for-anything", "Credentials are answered for tables that do not exist.", on=[CREDENTIALS])(
    answers(200, {LIST: []})
)
fault("credentials-without-plan", "Credentials for the id of a scan plan are refused.", on=[CREDENTIALS])(
    refuses_when(lambda call: "planId" in call.request.query, InvalidInput("There is no parameter planId."))
)
fault("credentials-without-prefix", "Credentials do not say which locations they open.", on=[CREDENTIALS])(
    answer_becomes(storage_credentials=_prefixes(""))
)

fault("sign-nothing", "signRequest returns the request without a signature.", on=[SIGN])(
    answer_becomes(headers=_unsigned)
)
fault("sign-other-region", "Signatures are for another region than the request.", on=[SIGN])(
    answer_becomes(headers=_other_region)
)
fault("sign-missing-forbidden", "Signing for a table that does not exist is 403.", on=[SIGN])(
    error_becomes(404, PermissionDenied("The table is not yours."))
)


@fault("token-secrets-repeated", on=ISSUE)
async def _repeating(call: Call, proceed: Proceed) -> Reply:
    """The error repeats the form that was sent, with its secrets."""
    # Repeat the form in the description of the error.
    reply = await proceed()
    if reply.status in (400, 401):
        reply.body = orjson.dumps({**orjson.loads(reply.body), "error_description": call.request.body.decode()})
    return reply


fault("token-one-code", "Every refused token is one of a wrong scope.", on=ISSUE)(
    body_becomes(lambda body: {**body, "error": "invalid_scope"}, 400, 401)
)
