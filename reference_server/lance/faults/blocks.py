"""Building blocks of the Lance faults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from reference_server.faults import Call, body_becomes

location_elsewhere = body_becomes(lambda body: {**body, "location": body["location"] + "_x"}, 200)
LISTS = ("ListNamespaces", "ListTables", "ListAllTables")
PAGED = (*LISTS, "ListTableIndices", "ListTableTags", "ListTableBranches", "ListTableVersions")


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


def _edited(value: Any, edit: Callable[[list[Any]], list[Any]]) -> Any:
    if isinstance(value, dict):
        return dict(edit(list(value.items())))
    return edit(value) if isinstance(value, list) else value


def items(edit: Callable[[list[Any]], list[Any]]) -> Callable[[Any], Any]:
    """Return an edit of the items of a listing's body; those of tags are pairs."""
    return lambda body: {key: _edited(value, edit) for key, value in body.items()}


BATCHES = ("BatchCreateTableVersions", "BatchCommitTables")


def version_parts(call: Call) -> tuple[str, list[Any]]:
    """Return the name of the list in the body of a batch, and the list."""
    name = "entries" if call.operation.id == BATCHES[0] else "operations"
    return name, orjson.loads(call.request.body)[name]
