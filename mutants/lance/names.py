"""Altered names and misread identifiers."""

from __future__ import annotations

from urllib.parse import quote

import orjson

from reference_server.context import Reply, json_reply
from reference_server.errors import Internal
from reference_server.faults import Around, Call, Proceed, arguments_lost, body_becomes, fault
from reference_server.lance.faults.blocks import LISTS, is_root, items
from specs.lance.identifiers import DELIMITER
from specs.openapi import JSON_TYPE


def _quoted(reply: Reply) -> Reply:
    if reply.status == 200 and reply.content_type == JSON_TYPE:
        reply.body = orjson.dumps(
            items(lambda names: [quote(name, safe="") for name in names])(orjson.loads(reply.body))
        )
    return reply


@fault("names-quoted", on=LISTS)
async def _names_quoted(_call: Call, proceed: Proceed) -> Reply:
    """Listings show names percent-encoded."""
    return _quoted(await proceed())


@fault("names-lowered")
async def _names_lowered(call: Call, proceed: Proceed) -> Reply:
    """Names are folded to lower case."""
    call.path["id"] = call.path["id"].lower() if "id" in call.path else ""
    return await proceed()


JOINTS = {"dots": ".", "dashes": "-", "colons": ":"}


def _split_at(joint: str) -> Around:
    async def around(call: Call, proceed: Proceed) -> Reply:
        call.path["id"] = call.path["id"].replace(joint, DELIMITER)
        return await proceed()

    return around


for _name, _joint in JOINTS.items():
    fault(
        f"levels-joined-by-{_name}",
        f"In a path {_name} tell the levels of a namespace apart too.",
        on=["DescribeNamespace", "NamespaceExists"],
    )(_split_at(_joint))


@fault("root-missing")
async def _root_missing(call: Call, proceed: Proceed) -> Reply:
    """The root namespace does not exist."""
    if is_root(call):
        return json_reply({"error": "there is no root", "code": 1}, 404)
    return await proceed()


@fault("root-taken-for-a-table")
async def _root_is_a_table(call: Call, proceed: Proceed) -> Reply:
    """A request about the root as a table or a transaction is answered with success, but not executed."""
    if is_root(call) and "/namespace/" not in call.operation.path:
        return json_reply({}, 200)
    return await proceed()


@fault("deep-tables-fail")
async def _deep_tables(call: Call, proceed: Proceed) -> Reply:
    """A request about an object in a nested namespace returns 500."""
    reply = await proceed()
    if call.path.get("id", "").count(DELIMITER) > 1:
        raise Internal("The parent of the namespace is null.")
    return reply


@fault("all-tables-shallow", on=["ListAllTables"])
async def _all_from_root(_call: Call, proceed: Proceed) -> Reply:
    """ListAllTables leaves out what lies deeper than one namespace."""
    return await body_becomes(items(lambda names: [name for name in names if name.count("$") < 2]), 200)(_call, proceed)


fault("delimiter-ignored", "The delimiter is always $.")(arguments_lost("delimiter"))
fault("names-in-capitals", "Listings show names in capital letters.", on=LISTS)(
    body_becomes(items(lambda names: [name.upper() for name in names]), 200)
)
