"""ListTables and ListAllTables.

Before 0.11 both omit declared tables unless the request includes them, since then only on request. The server checks
whether a declared table has data by now, for at most `LOOKS` tables per request: a page may be shorter than its limit
and still have a token.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import Any

from reference_server.errors import InvalidInput, NotFound
from reference_server.lance.catalog.entries import Listed, ListRequest, Path
from reference_server.lance.catalog.recovery import current_table
from reference_server.lance.context import LanceContext
from reference_server.lance.errors import ConcurrentModification
from reference_server.lance.handlers.namespaces import list_request
from reference_server.pagination import Page
from specs.identifiers import IdentifierError
from specs.lance.identifiers import join_parts

Answer = dict[str, Any]
LOOKS = 1_000  # declared tables that a request checks
AT_ONCE = 100  # tables that are checked together


async def list_tables(context: LanceContext) -> Answer:
    """List the tables of one namespace by their own names."""
    page = await _page(context, context.id)
    return {"tables": [path[-1] for path in page.items], "page_token": page.token}


async def list_all_tables(context: LanceContext) -> Answer:
    """List the tables of all namespaces by their full identifiers."""
    page = await _page(context, None)
    try:
        names = [join_parts(path, context.delimiter) for path in page.items]
    except IdentifierError as error:
        raise InvalidInput(f"A table cannot be written with this delimiter: {error}; choose another.") from None
    return {"tables": names, "page_token": page.token}


async def _page(context: LanceContext, namespace: Path | None) -> Page[Path]:
    """Return a page of the tables of a namespace, or of all for None, including declared ones on request."""
    context.reusable = context.catalog.locations.follows(namespace or ())
    included = context.query("include_declared")
    if context.rules.lists_declared if included is None else included:
        page = await _tables(context, namespace, list_request(context))
        return Page([listed.path for listed in page.items], page.token)
    return await _page_with_data(context, namespace)


async def _page_with_data(context: LanceContext, namespace: Path | None) -> Page[Path]:
    """Return a page of the tables with data."""
    request = list_request(context)
    wanted = min(request.limit or request.maximum, request.maximum)
    shown: list[Path] = []
    looked = 0
    while True:
        page = await _tables(context, namespace, request)
        declared = [listed for listed in page.items if not listed.table.created]
        looked += len(declared)
        context.reusable = context.reusable and not declared  # clients may write data without the catalog
        missing = {listed.path for listed in declared} - await _with_data(context, declared)
        shown += [path for path, _ in page.items if path not in missing]
        if len(shown) > wanted:
            return Page(shown[:wanted], context.catalog.token_after(namespace, shown[wanted - 1]))
        if page.token is None or len(shown) == wanted or looked >= LOOKS:
            return Page(shown, page.token)
        request = replace(request, token=page.token, limit=max(wanted - len(shown), AT_ONCE))


async def _tables(context: LanceContext, namespace: Path | None, request: ListRequest) -> Page[Listed]:
    """Return a page of tables; directories are read in a thread."""
    if context.catalog.locations.follows(namespace or ()):
        return context.catalog.list_tables(namespace, request)
    return await context.run(context.catalog.list_tables, namespace, request)


async def _with_data(context: LanceContext, declared: list[Listed]) -> set[Path]:
    """Return the declared tables that have data by now."""
    if not declared:
        return set()
    unfinished = set(context.catalog.tables_with_pending_versions())
    for path in unfinished & {listed.path for listed in declared}:
        with suppress(NotFound):  # dropped meanwhile
            await current_table(context, path)
    exists = context.data.exists
    existing = await context.run(lambda: [listed for listed in declared if exists(listed.table.location)])
    with suppress(ConcurrentModification):
        await context.catalog.note_data(existing)
    return {listed.path for listed in existing}
