"""What the declarations of Lance faults share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import orjson

from reference_server.context import Reply
from reference_server.faults import Around, Call, Proceed, arguments_lost, request_becomes

LISTS = ("ListNamespaces", "ListTables", "ListAllTables")
PAGED = (*LISTS, "ListTableIndices", "ListTableTags", "ListTableVersions")
DECLARES = ("DeclareTable", "CreateEmptyTable")
DROPS = ("DropNamespace", "DropTable", "DeregisterTable")
READS = (
    *LISTS,
    *("DescribeNamespace", "NamespaceExists", "DescribeTable", "TableExists", "CountTableRows", "QueryTable"),
    *("ListTableVersions", "DescribeTableVersion", "ListTableTags", "GetTableTagVersion", "ListTableIndices"),
    *("DescribeTableIndexStats", "GetTableStats", "DescribeTransaction"),
)


def delimiter(call: Call) -> str:
    """Return the delimiter of a call's identifiers."""
    return call.request.query.get("delimiter", ["$"])[-1]


def paging(call: Call) -> dict[str, Any]:
    """Return the arguments of a listing, wherever they travel."""
    body = orjson.loads(call.request.body) if call.request.body else {}
    return {**body, **{name: values[-1] for name, values in call.request.query.items()}}


def is_root(call: Call) -> bool:
    """True when a call is about the root namespace."""
    return call.path.get("id") == delimiter(call)


def items(edit: Callable[[list[Any]], list[Any]]) -> Callable[[Any], Any]:
    """Return an edit of the items of a listing's body; those of tags are pairs."""
    return lambda body: {key: _edited(value, edit) for key, value in body.items()}


def _edited(value: Any, edit: Callable[[list[Any]], list[Any]]) -> Any:
    if isinstance(value, dict):
        return dict(edit(list(value.items())))
    return edit(value) if isinstance(value, list) else value


def lost_anywhere(*names: str) -> Around:
    """Act as if these arguments had not been sent: in the query, in the body, or in the query that a body holds."""

    def edit(body: Any) -> Any:
        if isinstance(body, dict) and isinstance(body.get("query"), dict):
            return {**body, "query": _without(body["query"], names)}
        return body

    outer, inner = arguments_lost(*names), request_becomes(edit)

    async def around(call: Call, proceed: Proceed) -> Reply:
        return await outer(call, lambda: inner(call, proceed) if b'"query"' in call.request.body else proceed())

    return around


def _without(value: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value[name] for name in value if name not in names}
