"""Context of a request to the Lance API: its parsed identifier and arguments."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping
from concurrent.futures import Executor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

from reference_server.context import Context, Request, run_in_thread
from reference_server.errors import InvalidInput, TableNotFound
from reference_server.lance.catalog.branch_names import location_of
from reference_server.lance.catalog.catalog import EntryCatalog
from reference_server.lance.catalog.entries import Path, Table
from reference_server.lance.catalog.names import check_names
from reference_server.lance.data.table_data import TableData
from reference_server.lance.errors import InvalidTableState, TableVersionNotFound
from reference_server.lance.rules import Rules
from reference_server.storage import Storage
from specs.identifiers import IdentifierError
from specs.lance.errors import codes_of
from specs.lance.identifiers import DELIMITER, split_parts
from specs.openapi import Operation

P = ParamSpec("P")
T = TypeVar("T")
TRANSACTIONS = "/v1/transaction/"
SQL_EFFORT = 15
"""Approximate factor by which parsing SQL takes longer than parsing JSON of the same size."""
STATE_CODE, VERSION_CODE = 19, 11
BRANCH = "branch"


@dataclass(slots=True)
class LanceContext(Context):
    """A request bound to the catalog and the data.

    `id` contains the parts of the identifier in the path, `state` further state outside the catalog. Rows are read and
    written in separate threads, `data_executor`: long work of Lance leaves the other threads to the catalog.
    """

    catalog: EntryCatalog
    data: TableData
    data_executor: Executor
    state: Storage[bytes]
    locks: MutableMapping[Path, asyncio.Lock]
    page_size: int
    rules: Rules
    id: Path
    delimiter: str

    @asynccontextmanager
    async def alone(self, *paths: Path) -> AsyncIterator[None]:
        """Wait until no other request changes these tables, and keep others from it for the duration of a block."""
        async with AsyncExitStack() as stack:
            for path in sorted(paths):
                await stack.enter_async_context(self.locks.setdefault(path, asyncio.Lock()))
            yield

    @asynccontextmanager
    async def changing(self, table: Table) -> AsyncIterator[None]:
        """Change the data of the requested table alone.

        Raises TableNotFound when the table was dropped, renamed or replaced before its turn came: Lance would create
        its files anew.
        """
        async with self.alone(self.id):
            place = self.catalog.table(self.id).location
            if table.location != place and not table.location.startswith(location_of(place, "")):
                raise TableNotFound("The table was dropped, and another one has its name.")
            yield

    async def run_on_rows(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work like `run`, in the threads for work that grows with the number of rows."""
        return await run_in_thread(self.data_executor, partial(function, *args, **kwargs))

    async def read_sql(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run work like `compute` for SQL of the body, which is scanned word by word, several times."""
        return await self.compute(SQL_EFFORT * len(self.request.body), function, *args, **kwargs)

    async def read(self, table: Table, function: Callable[[Any], T], version: int | None = None) -> T:
        """Run a function that reads a table's dataset in a thread. Raises the errors of `TableData.on_dataset`."""
        self._require_data(table)
        return await self.run_on_rows(self.data.on_dataset, table.location, version, function)

    def keep_while_unchanged(self, table: Table, version: int | None = None) -> None:
        """Mark the answer as cacheable until the data of a table change; called before they are read.

        An answer about a specific version is not cached, as its record may be deleted.
        """
        self.still_valid = self.data.watch(table.location) if version is None else None
        self.reusable = self.still_valid is not None and self.catalog.locations.follows(self.id[:-1])

    async def change(self, table: Table, function: Callable[[Any], T], version: int | None = None) -> T:
        """Run a function that changes a table's dataset, one at a time for each table.

        Raises TableVersionNotFound unless the table has the version that the function uses, and TableNotFound.
        """
        self._require_data(table)
        async with self.changing(table):
            return await self.run_on_rows(self.data.change, table.location, version, function)

    def _require_data(self, table: Table) -> None:
        """Reject a table without data, with the first error that fits the operation."""
        if table.created:
            return
        message = "The table was declared, but has no data yet."
        codes = codes_of(self.operation.id)
        if STATE_CODE in codes:
            raise InvalidTableState(message)
        if VERSION_CODE in codes:
            raise TableVersionNotFound(message)
        raise InvalidInput(message)

    @property
    def table_id(self) -> Path:
        """The identifier of a table. Raises InvalidInput for the root."""
        if not self.id:
            raise InvalidInput("The root namespace is not a table.")
        return self.id

    @property
    def branch(self) -> str | None:
        """The branch that the request selects, None without one.

        The document has it in the query where the body has no place for it. Elsewhere both are read: a write must not
        reach another branch than the request says. Raises InvalidInput for two different branches.
        """
        in_query = any(parameter.name == BRANCH for parameter in self.operation.query_parameters())
        has_body = isinstance(self.body, dict) and (self.operation.request is None or not in_query)
        return self.one_branch(self.query(BRANCH), self.body.get(BRANCH) if has_body else None)

    def one_branch(self, *said: Any) -> str | None:
        """Return the branch that several places of a request name, None without one. Raises InvalidInput."""
        named = {name for name in said if name is not None}
        if len(named) > 1 or not all(isinstance(name, str) for name in named):
            raise InvalidInput(f"The request names {len(named)} branches; it can read or write one, given as a text.")
        return named.pop() if named else None

    def argument(self, name: str) -> Any:
        """Return an argument from the query or the body; the query takes precedence."""
        value = self.query(name)
        return self.body.get(name) if value is None and isinstance(self.body, dict) else value

    def number(self, name: str) -> int | None:
        """Return a whole number of the body; JSON may write it as 1.0."""
        value = self.body.get(name)
        return None if value is None else int(value)

    def choice(self, name: str, default: str, *others: str) -> str:
        """Return a mode-like argument as one of the given spellings.

        Case and underscores do not matter: ExistOk, exist_ok and EXISTOK are one mode.
        Raises InvalidInput for anything else.
        """
        text = self.argument(name)
        if text is None:
            return default
        for choice in (default, *others):
            if text.replace("_", "").lower() == choice.lower():
                return choice
        raise InvalidInput(f"{name} must be one of {', '.join((default, *others))}, not {text!r}.")

    def properties(self) -> dict[str, str]:
        """Return the `properties` of the body, empty when there are none."""
        return (self.body or {}).get("properties") or {}


def bind(
    request: Request, operation: Operation, path: Mapping[str, str], body: Any, forbidden: str
) -> tuple[Path, str]:
    """Return the identifier of a request and its delimiter; `forbidden` are the catalog's forbidden characters.

    The id of a transaction is one text, as in answers: a body may contain it as a whole. Raises InvalidInput for a
    malformed identifier, for invalid names, and when body and path name different objects.
    """
    delimiter = request.query.get("delimiter", [DELIMITER])[-1]
    try:
        parts = tuple(split_parts(path["id"], delimiter)) if "id" in path else ()
        if not delimiter:
            raise IdentifierError("the delimiter is empty")
    except IdentifierError as error:
        raise InvalidInput(f"The identifier cannot be read: {error}.") from None
    check_names(parts, forbidden)
    named = body.get("id") if isinstance(body, dict) else None
    names = [list(parts), [path.get("id")]] if operation.path.startswith(TRANSACTIONS) else [list(parts)]
    if isinstance(named, list) and "id" in path and named not in names:
        raise InvalidInput(f"The body names {named}, the path names {list(parts)}.")
    return parts, delimiter
