"""Names that are altered, and identifiers that are misread."""

from __future__ import annotations

from urllib.parse import quote

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Call,
    Proceed,
    arguments_lost,
    body_becomes,
    declare,
)
from reference_server.lance.faults.building import (
    LISTS,
    is_root,
    items,
)
from specs.openapi import JSON_TYPE


def _quoted(reply: Reply) -> Reply:
    if reply.status == 200 and reply.content_type == JSON_TYPE:
        reply.body = orjson.dumps(
            items(lambda names: [quote(name, safe="") for name in names])(orjson.loads(reply.body))
        )
    return reply


async def _names_quoted(_call: Call, proceed: Proceed) -> Reply:
    return _quoted(await proceed())


async def _names_lowered(call: Call, proceed: Proceed) -> Reply:
    call.path["id"] = call.path["id"].lower() if "id" in call.path else ""
    return await proceed()


async def _root_missing(call: Call, proceed: Proceed) -> Reply:
    if is_root(call):
        return json_reply({"error": "there is no root", "code": 1}, 404)
    return await proceed()


async def _all_from_root(_call: Call, proceed: Proceed) -> Reply:
    return await body_becomes(items(lambda names: [name for name in names if name.count("$") < 2]), 200)(_call, proceed)


# Names
declare(
    "all-tables-shallow",
    "ListAllTables leaves out what lies deeper than one namespace.",
    _all_from_root,
    on=["ListAllTables"],
)
declare("names-quoted", "Listings show names percent-encoded.", _names_quoted, on=LISTS)
declare("names-lowered", "Names are folded to lower case.", _names_lowered)
declare("delimiter-ignored", "The delimiter is always $.", arguments_lost("delimiter"))
declare("root-missing", "The root namespace does not exist.", _root_missing)
declare(
    "names-in-capitals",
    "Listings show names in capital letters.",
    body_becomes(items(lambda names: [name.upper() for name in names]), 200),
    on=LISTS,
)
