"""ListTables and ListAllTables."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, TypeVar

from reference_server.errors import InvalidInput
from reference_server.lance.catalog import ListRequest, Path, Table
from reference_server.lance.context import LanceContext
from reference_server.lance.declared import settle
from reference_server.lance.namespaces import list_request
from reference_server.pagination import Page
from specs.identifiers import IdentifierError, join_parts

Answer = dict[str, Any]
Key = TypeVar("Key")
Fetch = Callable[[ListRequest], Awaitable[Page[tuple[Key, Table]]]]


async def list_tables(context: LanceContext) -> Answer:
    """List the tables of one namespace by their own names."""

    def fetch(request: ListRequest) -> Awaitable[Page[tuple[str, Table]]]:
        return context.catalog.list_tables(context.id, request)

    page = await _visible(context, fetch, lambda name: (*context.id, name))
    return {"tables": page.items, "page_token": page.token}


async def list_all_tables(context: LanceContext) -> Answer:
    """List the tables of all namespaces by their full identifiers."""
    page = await _visible(context, context.catalog.list_all_tables, lambda path: path)
    try:
        names = [join_parts(path, context.delimiter) for path in page.items]
    except IdentifierError as error:
        raise InvalidInput(f"A table cannot be written with this delimiter: {error}; choose another.") from None
    return {"tables": names, "page_token": page.token}


async def _visible(context: LanceContext, fetch: Fetch[Key], path_of: Callable[[Key], Path]) -> Page[Key]:
    """Return a full page of the tables that have data, or of all when declared ones are wanted too."""
    with_declared = bool(context.query("include_declared"))
    request = list_request(context)
    wanted = min(request.limit or request.maximum, request.maximum)
    shown: list[Key] = []
    while True:
        page = await fetch(request)
        for key, table in page.items:
            if with_declared or table.created or (await settle(context, path_of(key), table)).created:
                shown.append(key)
        if page.token is None or len(shown) == wanted:
            return Page(shown, page.token)
        request = replace(request, token=page.token, limit=wanted - len(shown))
