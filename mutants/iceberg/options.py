"""Options that count whatever their value is, credentials that do not fit, and refusals in words."""

from __future__ import annotations

from typing import Any

import orjson

from mutants.iceberg.blocks import when
from reference_server.context import Reply
from reference_server.faults import Call, Proceed, body_becomes, content, fault, request_becomes
from reference_server.iceberg.metadata.reading import Json


def _named(name: str) -> Any:
    return lambda call: name in (content(call) or {})


def _set(name: str) -> Any:
    return lambda body: {**body, name: True}


fault("staged-where-named", "A table is staged where stage-create is sent, whatever its value is.", on=["createTable"])(
    when(_named("stage-create"), request_becomes(_set("stage-create")))
)
fault(
    "overwritten-where-named",
    "A registration overwrites a table where overwrite is sent, whatever its value is.",
    on=["registerTable"],
)(when(_named("overwrite"), request_becomes(_set("overwrite"))))


@fault("overwrite-needs-table", on=["registerTable"])
async def _needs_table(call: Call, proceed: Proceed) -> Reply:
    """A registration with overwrite finds no table."""
    body = content(call) or {}
    if not body.get("overwrite"):
        return await proceed()
    return Reply(404, orjson.dumps({"error": {"message": "", "type": "NoSuchTableException", "code": 404}}))


CREATIONS = ["createTable", "registerTable"]
EXPIRED = {"s3.session-token-expires-at-ms": "1700000000"}


def _expired(body: Json) -> Json:
    credentials = body.get("storage-credentials")
    if not isinstance(credentials, list):
        return body
    aged = [{**entry, "config": {**entry["config"], **EXPIRED}} for entry in credentials]
    return {**body, "storage-credentials": aged}


GRANTING = ["createTable", "loadTable", "registerTable", "loadCredentials"]
fault("credentials-expire-in-seconds", "Credentials state their expiry in seconds.", on=GRANTING)(
    body_becomes(_expired, 200)
)


@fault("credentials-of-the-first", on=GRANTING)
async def _of_the_first(call: Call, proceed: Proceed) -> Reply:
    """Credentials are those of the table for which they were asked first."""
    first = call.state.setdefault("first-credentials", [])

    def edit(body: Json) -> Json:
        own = body.get("storage-credentials")
        if not own:
            return body
        first.append(own)
        return {**body, "storage-credentials": first[0]}

    return await body_becomes(edit, 200)(call, proceed)


fault("secrets-of-new-tables", "The configuration of a new or registered table holds a secret.", on=CREATIONS)(
    body_becomes(lambda body: {**body, "config": {**(body.get("config") or {}), "s3.secret-access-key": "dummy"}}, 200)
)


@fault("methods-refused-in-words")
async def _in_words(_call: Call, proceed: Proceed) -> Reply:
    """A method that a path does not have is refused with a text that is no error body."""
    reply = await proceed()
    if reply.status == 405:
        reply.body = b'"Method Not Allowed"'
    return reply
