"""What Lance namespaces may do differently."""

from __future__ import annotations

import json
import re

from tests.conformance.different_server import JSON, Answer, Call, after, before, of_json, with_json

API = "lance"
PAGED = {"ListNamespaces", "ListTables", "ListAllTables", "ListTableVersions", "ListTableTags", "ListTableIndices"}
LISTINGS = {"ListNamespaces": "namespaces", "ListTables": "tables", "ListAllTables": "tables"}
CREATIONS = {"CreateNamespace", "CreateTable", "DeclareTable", "CreateEmptyTable", "RegisterTable"}
OWN = {"server.tier": "gold"}
LETTERS = re.compile(r"[\w$.:-]{1,200}", re.ASCII)


@before(API)
def short_pages_of_lance(call: Call) -> Answer | None:
    """Pages end before they are full."""
    if call.operation in PAGED and call.query.get("limit", "").isdecimal() and call.query["limit"] != "0":
        call.query["limit"] = str(max(1, int(call.query["limit"]) // 2))
    return None


@after(API)
def other_order_of_names(call: Call, answer: Answer) -> Answer:
    """Names on a page come in any order."""
    value, field = of_json(answer), LISTINGS.get(call.operation, "")
    if not field or answer.status != 200 or not isinstance(value, dict) or not value.get(field):
        return answer
    return with_json(answer, {**value, field: call.chance.sample(value[field], len(value[field]))})


@after(API)
def own_properties_of_lance(call: Call, answer: Answer) -> Answer:
    """Namespaces and tables have properties that nobody gave them."""
    value = of_json(answer)
    if call.operation not in ("DescribeNamespace", "DescribeTable") or answer.status != 200:
        return answer
    return with_json(answer, {**value, "properties": OWN | (value.get("properties") or {})})


@after(API)
def other_messages_of_lance(_: Call, answer: Answer) -> Answer:
    """Errors say it in their own words."""
    value = of_json(answer)
    if answer.status < 400 or not isinstance(value, dict) or "error" not in value:
        return answer
    return with_json(answer, {**value, "error": f"Nein: {value['error']}", "detail": "Because."})


@before(API)
def plain_names_of_lance(call: Call) -> Answer | None:
    """Names have few letters."""
    if call.operation not in CREATIONS:
        return None
    names = call.values["id"].split(call.query.get("delimiter") or "$")
    if all(LETTERS.fullmatch(name) for name in names if name):
        return None
    error = {"error": "letters, digits and underscores only", "code": 13}
    return Answer(400, {"Content-Type": JSON}, json.dumps(error).encode())
