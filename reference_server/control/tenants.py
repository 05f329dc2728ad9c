"""Tenants: sets of APIs that share a server and nothing else. Each has its own catalogs, journal and cached answers.

A path `/_t/ID/...` belongs to the tenant ID, every other one to the main tenant. The first request makes a tenant: it
is empty, lives in memory, and has its files in a temporary folder until it is dropped or the server stops.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reference_server.answers import KeptAnswers
from reference_server.api import Api
from reference_server.context import Request
from reference_server.control.entries import entry_of
from reference_server.control.journal import Exchange, Journal
from reference_server.control.note_kinds import Note
from reference_server.control.notes import RequestSequence, careless, invalid, undeclared
from reference_server.errors import CatalogError, InvalidInput, NotFound, RouteNotFound, ServiceUnavailable
from reference_server.faults import Fault
from reference_server.rules.rule_set import RuleSet, idle_sentence, join_idle
from specs.openapi import Operation
from specs.problems import Problem

TENANT = "/_t/"
MOST = 10_000
"""Maximum number of tenants of a server."""
ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")


class TenantNotFound(NotFound):
    """The tenant does not exist."""


@dataclass
class Tenant:
    """APIs by mount path, "" for the root, with everything that their requests change.

    `prefix` precedes the mounts in the paths of requests; it is empty for the main tenant, which every server has.
    `rules` say what happens to which requests; `faults` are those of the suite, `state` the memory of both. `journal`
    has the latest requests; it is None where nobody asks for them.
    """

    apis: Mapping[str, Api]
    faults: Sequence[Fault] = ()
    prefix: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    kept_answers: KeptAnswers = field(default_factory=KeptAnswers)
    journal: Journal | None = None
    rules: RuleSet = field(init=False)
    _sequence: RequestSequence = field(default_factory=lambda: RequestSequence(complete=True))

    def __post_init__(self) -> None:
        self.rules = RuleSet(list(self.apis.values()))

    def find_api(self, target: str) -> tuple[Api, str]:
        """Return the API of a request target, and everything in front of the API's own path.

        Raises RouteNotFound.
        """
        start = len(self.prefix)
        for own, api in self.apis.items():
            for mount in (api.mount, own):  # a single API is at the root, and where a server of several has it
                end = start + len(mount)
                if not mount or (target.startswith(mount, start) and target[end : end + 1] in ("", "/", "?")):
                    return api, target[:end]
        mounts = ", ".join(sorted(self.apis))
        raise RouteNotFound(f"No API is mounted at this path; there is {mounts}.")

    def expire_tokens(self, status: int | None = None) -> None:
        """Let all issued tokens expire; they are refused with 401 or 419, by default as the server was told.

        Raises Problem for another status, and where no API issues tokens.
        """
        issuing = [api for api in self.apis.values() if api.issues_tokens]
        if not issuing:
            hint = "Start it with --auth oauth:ID:SECRET, or add a rule: any: 419 x1"
            raise Problem("This server issues no tokens that could expire.", hint)
        for lifetimes in {id(api.auth): api.auth.lifetimes for api in issuing}.values():
            lifetimes.expire_tokens(status)

    def route(self, request: Request) -> tuple[Operation | None, Mapping[str, str]]:
        """Return the operation of a request and its path parameters; None without an operation."""
        try:
            api, start = self.find_api(request.target)
            return api.route(request.method, request.path[len(start) :])
        except CatalogError:
            return None, {}

    def entries(self, exchanges: Iterable[Exchange]) -> list[dict[str, Any]]:
        """Return successive exchanges of the journal as JSON values, with notes about them."""
        sequence = RequestSequence(complete=self.journal is not None and self.journal.complete)
        return [self._entry(exchange, sequence) for exchange in exchanges]

    def next_entry(self, exchange: Exchange) -> dict[str, Any]:
        """Return the latest exchange as a JSON value, with notes about it; to be called for each, in their order."""
        return self._entry(exchange, self._sequence)

    def _entry(self, exchange: Exchange, sequence: RequestSequence) -> dict[str, Any]:
        operation, parameters = self.route(exchange.request)
        entry = entry_of(exchange, operation, parameters)
        notes = [*self._notes(exchange, operation, entry), *sequence.notes(entry, operation)]
        entry["notes"] = [note._asdict() for note in notes]
        return entry

    def _notes(self, exchange: Exchange, operation: Operation | None, entry: Mapping[str, Any]) -> Iterator[Note]:
        """Yield the notes about a single request."""
        request, body = exchange.request, entry["body"]
        if operation is None:
            asked = f"{request.method} {request.path[len(self.prefix) :]:.200}"
            yield Note("no-operation", asked, f"The document has no operation {asked}")
            return
        if request.path.endswith("/") and not operation.path.endswith("/"):
            asked = f"{request.method} {request.path[len(self.prefix) :]:.200}"
            yield Note("no-operation", asked, f"The document has no operation {asked}: no path ends with a slash.")
        api = self.find_api(request.target)[0]
        yield from undeclared(api.document, operation, request.path, entry["query"], body)
        yield from careless(operation, body)
        if exchange.lengths[0] == len(request.body):
            yield from invalid(api, operation, request, body)

    async def start(self) -> None:
        """Start every API; see Api.start."""
        for api in self.apis.values():
            await api.start()

    def close(self) -> None:
        """Release the resources of every API."""
        for api in self.apis.values():
            api.close()


class Tenants:
    """The tenants of a server.

    `open` returns a new one for an id, `again` an empty one in the place of a tenant, and `start` starts it; all may
    raise Problem.
    """

    def __init__(
        self,
        main: Tenant,
        open: Callable[[str], Tenant],
        again: Callable[[Tenant], Tenant],
        start: Callable[[Tenant], Awaitable[None]],
    ) -> None:
        self.main = main
        self._open = open
        self._again = again
        self._start_one = start
        self._others: dict[str, asyncio.Task[Tenant]] = {}
        self._idle_before: dict[str, str] = {}

    async def of(self, target: str) -> Tenant:
        """Return the tenant of a request target, which is made if it is new. Raises the errors of `get`."""
        if not target.startswith(TENANT):
            return self.main
        return await self.get(re.split(r"[/?]", target[len(TENANT) :], maxsplit=1)[0])

    async def get(self, id: str) -> Tenant:
        """Return a tenant, which is made if it is new.

        Raises InvalidInput for an id that cannot be one, and ServiceUnavailable when there are too many.
        """
        task = self._others.get(id)
        if task is None:
            task = self._others[id] = asyncio.create_task(self._start(id))
        try:
            return await asyncio.shield(task)
        except Problem as problem:
            self._others.pop(id, None)
            raise InvalidInput(str(problem).replace("\n", " ")) from None
        except Exception:
            self._others.pop(id, None)
            raise

    async def _start(self, id: str) -> Tenant:
        if not ID.fullmatch(id):
            raise InvalidInput(
                f"The id of a tenant has 1 to 64 letters, digits, dots, dashes and underscores: {id!r:.100}."
            )
        if len(self._others) > MOST:
            raise ServiceUnavailable(f"This server has {MOST:,} tenants, the most; drop some of them.")
        return await self._started(self._open(id))

    async def _started(self, tenant: Tenant) -> Tenant:
        try:
            await self._start_one(tenant)
        except BaseException:
            tenant.close()
            raise
        return tenant

    async def reset(self, tenant: Tenant) -> None:
        """Replace a tenant by one as it was at its start. Raises Problem for one that is kept on a directory."""
        fresh = asyncio.create_task(self._started(self._again(tenant)))
        if tenant is self.main:
            self.main = await fresh
        else:
            self._others[tenant.prefix.removeprefix(TENANT)] = fresh
            await fresh
        await self._close(tenant)

    def new_id(self) -> str:
        """Return an id that no tenant has."""
        return secrets.token_hex(8)

    @property
    def ids(self) -> list[str]:
        """The ids of all tenants beside the main one."""
        return sorted(self._others)

    async def drop(self, id: str) -> None:
        """Drop a tenant with its files. Raises TenantNotFound."""
        task = self._others.pop(id, None)
        if task is None:
            raise TenantNotFound(f"There is no tenant {id:.100}.")
        await self._close(await task)

    async def _close(self, tenant: Tenant) -> None:
        self._idle_before = join_idle(self._idle_before, tenant.rules.idle)
        await asyncio.to_thread(tenant.close)

    def idle_rules(self, expected: Collection[str]) -> list[str]:
        """Return a sentence for each rule that has changed nothing in any tenant, unless that is `expected`."""
        tenants = [self.main, *self._running()]
        joined = join_idle(self._idle_before, *(tenant.rules.idle for tenant in tenants))
        return [idle_sentence(name, reason) for name, reason in joined.items() if reason and name not in expected]

    def _running(self) -> Iterator[Tenant]:
        for task in self._others.values():
            if task.done() and not task.cancelled() and task.exception() is None:
                yield task.result()

    def close(self) -> None:
        """Close all tenants."""
        for tenant in self._running():
            tenant.close()
        self.main.close()
