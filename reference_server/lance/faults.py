"""The faults of the Lance wing: what each breaks, and which requirements must notice it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import orjson

from reference_server.context import Reply, json_reply
from reference_server.faults import (
    Call,
    Proceed,
    answers,
    arguments_lost,
    body_becomes,
    declare,
    fields_lost,
    status_becomes,
)
from specs.openapi import JSON_TYPE

LISTS = ("ListNamespaces", "ListTables", "ListAllTables")
DECLARES = ("DeclareTable", "CreateEmptyTable")
DROPS = ("DropNamespace", "DropTable", "DeregisterTable")
READS = (*LISTS, "DescribeNamespace", "NamespaceExists", "DescribeTable", "TableExists", "CountTableRows")


# Names that nothing but a listing that lacks them can spoil, and names that encoding changes.
PLAIN_NAMES = ("leading_dot", "trailing_dot", "dots", "digits", "dash", "null_word", "keyword", "length_200")
ENCODED_NAMES = (
    *("space", "plus", "percent", "percent_encoded", "quotes", "question_mark", "hash", "ampersand", "semicolon"),
    *("colon", "comma", "brackets", "glob", "at", "equals", "unicode", "cjk", "emoji", "right_to_left", "combining"),
    *("leading_space", "trailing_space", "sql", "html", "wide_100"),
)


def _delimiter(call: Call) -> str:
    return call.request.query.get("delimiter", ["$"])[-1]


def _is_root(call: Call) -> bool:
    return call.path.get("id") == _delimiter(call)


def _items(edit: Callable[[list[Any]], list[Any]]) -> Callable[[Any], Any]:
    """Return an edit of the items of a listing's body."""
    return lambda body: {key: edit(value) if isinstance(value, list) else value for key, value in body.items()}


# The wire


async def _unrouted(call: Call, proceed: Proceed) -> Reply:
    return await proceed() if _is_root(call) else Reply(404)


declare(
    "unrouted",
    "Operations are missing: an empty 404 instead of 406 with code 0.",
    _unrouted,
    kills=["lance.offered.*"],
)
declare(
    "undeclared-status",
    "Every answer has status 299, which no operation declares.",
    lambda call, proceed: _with_status(proceed, 299),
    kills=["lance.wire.*"],
)
declare(
    "error-without-code",
    "Error bodies have no code.",
    fields_lost("code"),
    kills=["lance.auth.*", "lance.wire.list_*", "lance.namespace.drop.missing"],
)
declare(
    "foreign-code",
    "Errors have a code that no list has.",
    body_becomes(lambda body: {**body, "code": 99}, 400, 401, 404, 409),
    kills=["lance.codes.listed.*", "lance.auth.*", "lance.table.create.schema_code"],
)
declare(
    "conflict-code",
    "Errors have the code of a table that exists, whatever their status.",
    body_becomes(lambda body: {**body, "code": 5}, 400, 401, 404),
    kills=["lance.codes.status.*", "lance.auth.*", "lance.namespace.drop.missing"],
)


async def _with_status(proceed: Proceed, status: int) -> Reply:
    return replace(await proceed(), status=status)


# Statuses

declare(
    "conflict-as-400",
    "What exists already is refused as a bad request.",
    status_becomes(409, 400),
    kills=[
        "lance.*.conflict",
        "lance.*.conflict_*",
        "lance.*.create.default_mode",
        "lance.namespace.drop.restrict_*",
        "lance.table.rename.taken",
    ],
)
declare(
    "not-found-as-400",
    "What does not exist is refused as a bad request.",
    status_becomes(404, 400),
    kills=[
        "lance.*.parent_missing",
        "lance.*.namespace_missing",
        "lance.*.missing_status",
        "lance.*.missing_namespace",
        "lance.*.version_missing",
        "lance.namespace.describe.missing",
        "lance.namespace.exists.missing",
        "lance.namespace.list.missing",
        "lance.table.*.missing",
        "lance.rows.*.missing",
        "lance.table.describe.namespace_code",
    ],
)
declare(
    "bad-input-accepted",
    "Bad requests are answered with success and an error body.",
    status_becomes(400, 200),
    kills=[
        "lance.body.malformed.*",
        "lance.body.not_object.*",
        "lance.body.id_type.*",
        "lance.*.mode_unknown",
        "lance.*.behavior_unknown",
        "lance.namespace.create.properties_type",
        "lance.pagination.limit_type.*",
        "lance.pagination.limit_zero.*",
        "lance.pagination.foreign_token.*",
        "lance.*.stream.*",
        "lance.table.create.schema_refused",
        "lance.rows.insert.schema.*",
        "lance.rows.count.predicate.*",
        "lance.table.register.location_required",
        "lance.table.register.nothing_there",
        "lance.table.register.outside",
        "lance.table.rename.name_required",
        "lance.identifier.empty_part.*",
        "lance.identifier.body_path",
        "lance.name.*.slash",
        "lance.name.*.backslash",
        "lance.name.*.dot",
        "lance.name.*.dot_dot",
        "lance.name.*.climbing",
        "lance.name.*.newline",
        "lance.name.*.tab",
        "lance.name.*.unit_separator",
        "lance.name.*.nul",
        "lance.name.*.length_1000",
    ],
)
declare(
    "credentials-ignored",
    "Who shows no credentials, or wrong ones, is let in.",
    status_becomes(401, 200),
    kills=["lance.auth.*"],
)
declare(
    "unavailable",
    "The server cannot serve at the moment.",
    answers(503, {"error": "come back later", "code": 17}, {"Retry-After": "1"}),
)
declare(
    "throttled",
    "The caller sends too many requests.",
    answers(429, {"error": "too many requests", "code": 21}, {"Retry-After": "1"}),
)
declare("forbidden", "The caller may not do this.", answers(403, {"error": "not allowed", "code": 15}))

# State

declare(
    "create-forgets",
    "Creations are answered with success, but nothing is created.",
    answers(200, {"location": "file:///nowhere", "properties": {}}),
    kills=[
        "lance.namespace.create.describable",
        "lance.namespace.create.nested",
        "lance.identifier.delimiter",
        "lance.name.case",
    ],
    on=["CreateNamespace"],
)
declare(
    "create-table-forgets",
    "CreateTable is answered with success, but nothing is created.",
    answers(200, {"location": "file:///nowhere", "properties": {}}),
    kills=["lance.table.create.rows", "lance.table.create.empty_stream", "lance.table.create.fills_declared"],
    on=["CreateTable"],
)
declare(
    "drop-keeps",
    "Drops are answered with success, but what was dropped stays.",
    answers(200, {}),
    kills=[
        "lance.namespace.drop.gone",
        "lance.namespace.drop.recreated_empty",
        "lance.table.drop.*",
        "lance.table.deregister.*",
        "lance.table.describe.fresh",
        "lance.model.catalog",
    ],
    on=DROPS,
)
declare(
    "rename-forgets",
    "RenameTable is answered with success, but the name stays.",
    answers(200, {}),
    kills=["lance.table.rename.moves", "lance.table.rename.namespace"],
    on=["RenameTable"],
)
declare(
    "insert-forgets",
    "InsertIntoTable is answered with success, but no row is added.",
    answers(200, {}),
    kills=["lance.rows.insert.append", "lance.rows.insert.default_mode", "lance.rows.insert.declared"],
    on=["InsertIntoTable"],
)


async def _cascading(call: Call, proceed: Proceed) -> Reply:
    body = orjson.loads(call.request.body or b"{}")
    call.request = call.request.altered(body=orjson.dumps({**body, "behavior": "Cascade"}))
    return await proceed()


declare(
    "restrict-ignored",
    "DropNamespace always cascades.",
    _cascading,
    kills=["lance.namespace.drop.restrict_*"],
    on=["DropNamespace"],
)
declare(
    "properties-lost",
    "Properties are not kept.",
    arguments_lost("properties"),
    kills=[
        "lance.namespace.create.properties",
        "lance.table.declare.properties",
        "lance.table.create_empty.properties",
    ],
)

# Arguments

declare(
    "modes-ignored",
    "Modes and behaviors are ignored.",
    arguments_lost("mode", "behavior"),
    kills=[
        "lance.*.exist_ok",
        "lance.*.overwrite",
        "lance.*.mode_unknown",
        "lance.*.behavior_unknown",
        "lance.namespace.drop.skip",
        "lance.namespace.drop.cascade",
    ],
)
declare(
    "versions-ignored",
    "The latest version is used whichever is asked for.",
    arguments_lost("version"),
    kills=["lance.table.describe.version", "lance.*.version_missing", "lance.rows.count.version"],
)
declare(
    "predicates-ignored",
    "CountTableRows counts all rows whatever the predicate.",
    arguments_lost("predicate"),
    kills=["lance.rows.count.predicate", "lance.rows.count.predicate.*"],
    on=["CountTableRows"],
)


async def _refuse_unknown_keys(call: Call, proceed: Proceed) -> Reply:
    if b"from_the_future" in call.request.body:
        return json_reply({"error": "unknown field from_the_future", "code": 13}, 400)
    return await proceed()


async def _refuse_body_id(call: Call, proceed: Proceed) -> Reply:
    if b'"id"' in call.request.body:
        return json_reply({"error": "unknown field id", "code": 13}, 400)
    return await proceed()


declare(
    "unknown-keys-refused",
    "Fields that the server does not know are refused.",
    _refuse_unknown_keys,
    kills=["lance.body.unknown_keys.*"],
)
declare("body-id-refused", "A body may not repeat the id.", _refuse_body_id, kills=["lance.identifier.body_same"])

# Answers


async def _skip_without_body(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return Reply(204) if reply.body == b"{}" else reply


async def _with_body(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    reply.body = reply.body or b"{}"
    return reply


declare(
    "skip-204",
    "DropNamespace answers mode Skip with an empty 204.",
    _skip_without_body,
    kills=["lance.namespace.drop.skip_json"],
    on=["DropNamespace"],
)
declare(
    "exists-with-body",
    "The exists operations answer with a body.",
    _with_body,
    kills=["lance.*.exists.no_body"],
    on=["NamespaceExists", "TableExists"],
)
declare(
    "exists-denies",
    "The exists operations find nothing.",
    answers(404, {"error": "not found", "code": 4}),
    kills=["lance.namespace.exists.present", "lance.table.exists.present"],
    on=["NamespaceExists", "TableExists"],
)
declare(
    "location-lost",
    "Answers do not say where a table lies.",
    fields_lost("location"),
    kills=["lance.table.describe.location", "lance.table.declare.exists", "lance.table.create_empty.exists"],
)
declare(
    "location-wrong",
    "DeregisterTable names a place where no table lies.",
    body_becomes(lambda body: {**body, "location": body["location"] + "_x"}, 200),
    kills=["lance.table.deregister.data", "lance.table.register.rows", "lance.table.register.reported_location"],
    on=["DeregisterTable"],
)
declare(
    "details-lost",
    "DescribeTable leaves out what only the data tell.",
    fields_lost("version", "schema", "stats", "table", "namespace", "table_uri"),
    kills=[
        "lance.table.describe.detailed.*",
        "lance.table.describe.name",
        "lance.table.describe.schema",
        "lance.table.describe.uri",
    ],
    on=["DescribeTable"],
)
declare(
    "uri-always",
    "DescribeTable has a table_uri that nobody asked for.",
    body_becomes(lambda body: {**body, "table_uri": body["location"]}, 200),
    kills=["lance.table.describe.uri_absent"],
    on=["DescribeTable"],
)
declare(
    "declared-flipped",
    "DescribeTable calls declared tables created, and the other way round.",
    body_becomes(lambda body: {**body, "is_only_declared": not body["is_only_declared"]}, 200),
    kills=["lance.table.describe.declared", "lance.table.describe.only_declared"],
    on=["DescribeTable"],
)
declare(
    "count-plus-one",
    "CountTableRows counts one row too many.",
    body_becomes(lambda count: count + 1, 200),
    kills=[
        "lance.table.create.rows",
        "lance.table.create.empty_stream",
        "lance.rows.count.predicate",
        "lance.rows.count.version",
        "lance.rows.insert.append",
    ],
    on=["CountTableRows"],
)

# Listings


async def _missing_lists_empty(_call: Call, proceed: Proceed) -> Reply:
    reply = await proceed()
    return json_reply({"namespaces": [], "tables": []}) if reply.status == 404 else reply


async def _full_names(call: Call, proceed: Proceed) -> Reply:
    parent = call.path["id"] + _delimiter(call)
    return await body_becomes(_items(lambda names: [parent + name for name in names]), 200)(call, proceed)


def _include_declared(wanted: str) -> Any:
    async def around(call: Call, proceed: Proceed) -> Reply:
        call.request = call.request.altered(query={**call.request.query, "include_declared": [wanted]})
        return await proceed()

    return around


declare(
    "list-empty",
    "Listings are empty.",
    body_becomes(_items(lambda _: []), 200),
    kills=[
        "lance.listing.shows.*",
        "lance.namespace.list.root",
        "lance.namespace.list.children",
        *(f"lance.name.*.{name}" for name in PLAIN_NAMES),
    ],
    on=LISTS,
)
declare(
    "list-ghost",
    "Listings show something that does not exist.",
    body_becomes(_items(lambda names: [*names, "ghost"]), 200),
    kills=["lance.namespace.list.children", "lance.listing.relative", "lance.pagination.complete.list_n*"],
    on=LISTS,
)
declare(
    "missing-lists-empty",
    "Listing what does not exist is answered with an empty list.",
    _missing_lists_empty,
    kills=["lance.namespace.list.missing", "lance.listing.missing_namespace"],
    on=LISTS,
)
declare(
    "full-names",
    "ListTables shows full identifiers instead of names.",
    _full_names,
    kills=["lance.listing.relative"],
    on=["ListTables"],
)
declare(
    "declared-listed",
    "Declared tables are always listed.",
    _include_declared("true"),
    kills=["lance.listing.declared_hidden"],
    on=["ListTables"],
)
declare(
    "declared-hidden",
    "Declared tables are never listed.",
    _include_declared("false"),
    kills=["lance.listing.declared_shown"],
    on=["ListTables"],
)


async def _stale(call: Call, proceed: Proceed) -> Reply:
    """Answer a read with what it answered before the last write."""
    writes = call.state.setdefault("writes", 0)
    if call.operation.id not in READS:
        call.state["writes"] = writes + 1
        return await proceed()
    seen = call.state.setdefault("reads", {})
    key = (call.request.path, str(call.request.query), call.request.body)
    before = seen.get(key)
    reply = await proceed()
    seen[key] = (writes, replace(reply))
    return before[1] if before and before[0] < writes else reply


declare(
    "stale-read",
    "A read is answered as before the latest write.",
    _stale,
    kills=["lance.listing.fresh.*", "lance.table.describe.fresh", "lance.rows.insert.fresh"],
)

# Pages


async def _page_loses_one(call: Call, proceed: Proceed) -> Reply:
    later = bool(call.request.query.get("page_token"))
    return await body_becomes(_items(lambda names: names[1:] if later else names), 200)(call, proceed)


async def _offset_pages(call: Call, proceed: Proceed) -> Reply:
    """Count how many items were shown instead of remembering the last one."""
    query = {name: values[-1] for name, values in call.request.query.items()}
    if not query.get("limit", "").isdigit():
        return await proceed()
    start, limit = int(query.get("page_token") or 0), int(query["limit"])
    call.request = call.request.altered(
        query={name: [value] for name, value in query.items() if name not in ("limit", "page_token")},
    )
    reply = await proceed()
    body = orjson.loads(reply.body)
    name, items = next((key, value) for key, value in body.items() if isinstance(value, list))
    token = str(start + limit) if len(items) > start + limit else None
    reply.body = orjson.dumps({name: items[start : start + limit], "page_token": token})
    return reply


declare(
    "page-loses-one",
    "Every page after the first leaves out its first item.",
    _page_loses_one,
    kills=["lance.pagination.complete.*"],
    on=LISTS,
)
declare(
    "token-lost",
    "Pages never have a token.",
    fields_lost("page_token"),
    kills=["lance.pagination.last_page.*", "lance.pagination.complete.*"],
    on=LISTS,
)
declare(
    "limit-ignored",
    "Limits are ignored.",
    arguments_lost("limit"),
    kills=["lance.pagination.limit.*", "lance.pagination.limit_type.*", "lance.pagination.limit_zero.*"],
    on=LISTS,
)
declare(
    "offset-pages",
    "Page tokens count items, so that a creation between two pages shifts them.",
    _offset_pages,
    kills=["lance.pagination.stable.*"],
    on=LISTS,
)

# Names


def _quoted(reply: Reply) -> Reply:
    if reply.status == 200 and reply.content_type == JSON_TYPE:
        reply.body = orjson.dumps(
            _items(lambda names: [quote(name, safe="") for name in names])(orjson.loads(reply.body))
        )
    return reply


async def _names_quoted(_call: Call, proceed: Proceed) -> Reply:
    return _quoted(await proceed())


async def _names_lowered(call: Call, proceed: Proceed) -> Reply:
    call.path["id"] = call.path["id"].lower() if "id" in call.path else ""
    return await proceed()


async def _root_missing(call: Call, proceed: Proceed) -> Reply:
    if _is_root(call):
        return json_reply({"error": "there is no root", "code": 1}, 404)
    return await proceed()


async def _all_from_root(_call: Call, proceed: Proceed) -> Reply:
    return await body_becomes(_items(lambda names: [name for name in names if name.count("$") < 2]), 200)(
        _call, proceed
    )


declare(
    "all-tables-shallow",
    "ListAllTables leaves out what lies deeper than one namespace.",
    _all_from_root,
    kills=["lance.listing.all_levels"],
    on=["ListAllTables"],
)
declare(
    "names-quoted",
    "Listings show names percent-encoded.",
    _names_quoted,
    kills=[f"lance.name.*.{name}" for name in ENCODED_NAMES],
    on=LISTS,
)
declare(
    "names-lowered",
    "Names are folded to lower case.",
    _names_lowered,
    kills=["lance.name.*.upper_case"],
)
declare(
    "delimiter-ignored",
    "The delimiter is always $.",
    arguments_lost("delimiter"),
    kills=[
        "lance.identifier.delimiter",
        "lance.identifier.root_delimiter",
        "lance.identifier.default_delimiter",
        "lance.listing.all_delimiter",
    ],
)
declare(
    "root-missing",
    "The root namespace does not exist.",
    _root_missing,
    kills=["lance.namespace.describe.root", "lance.namespace.exists.present", "lance.namespace.list.root"],
)
