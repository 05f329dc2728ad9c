"""ListTables and ListAllTables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from reference_server.errors import InvalidInput, NotFound
from reference_server.lance.catalog.entries import Listed, ListRequest, Path
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.handlers.namespaces import list_request
from reference_server.pagination import Page
from specs.identifiers import IdentifierError, join_parts

Answer = dict[str, Any]
Fetch = Callable[[ListRequest], Page[Listed]]


async def list_tables(context: LanceContext) -> Answer:
    """List the tables of one namespace by their own names."""
    kept = context.catalog.locations.follows(context.id)
    page = await _visible(context, lambda request: context.catalog.list_tables(context.id, request), kept=kept)
    return {"tables": [path[-1] for path in page.items], "page_token": page.token}


async def list_all_tables(context: LanceContext) -> Answer:
    """List the tables of all namespaces by their full identifiers."""
    page = await _visible(context, context.catalog.list_all_tables, kept=context.catalog.locations.follows(()))
    try:
        names = [join_parts(path, context.delimiter) for path in page.items]
    except IdentifierError as error:
        raise InvalidInput(f"A table cannot be written with this delimiter: {error}; choose another.") from None
    return {"tables": names, "page_token": page.token}


async def _has_data(context: LanceContext, path: Path) -> bool:
    """True when a table that was declared has data by now; False when it is gone meanwhile."""
    try:
        return (await current_table(context, path)).created
    except NotFound:
        return False


async def _visible(context: LanceContext, fetch: Fetch, *, kept: bool) -> Page[Path]:
    """Return a full page of the tables that have data, or of all when declared ones are wanted too."""
    with_declared = bool(context.query("include_declared"))
    request = list_request(context)
    wanted = min(request.limit or request.maximum, request.maximum)
    shown: list[Path] = []
    context.reusable = kept
    while True:
        page = fetch(request)
        for path, created in page.items:
            if not created and not with_declared:
                context.reusable = False  # its data may come behind the catalog's back
            if created or with_declared or await _has_data(context, path):
                shown.append(path)
        if page.token is None or len(shown) == wanted:
            return Page(shown, page.token)
        request = replace(request, token=page.token, limit=wanted - len(shown))
