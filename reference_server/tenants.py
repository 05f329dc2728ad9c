"""Tenants: sets of APIs that share a server and nothing else. Each has its own catalogs, faults and cached answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from reference_server.answers import KeptAnswers
from reference_server.api import Api
from reference_server.context import Request
from reference_server.control.entries import entry_of
from reference_server.control.journal import Exchange, Journal
from reference_server.errors import CatalogError, RouteNotFound
from reference_server.faults import Fault
from reference_server.rules.rule_set import RuleSet
from specs.openapi import Operation
from specs.problems import Problem


@dataclass
class Tenant:
    """APIs by mount path, "" for the root, with everything that their requests change.

    `prefix` precedes the mounts in the paths of requests; it is empty for the main tenant, which every server has.
    `state` contains the memory of faults, `rules` what happens to which requests; `faults` are those of the suite.
    `journal` has the latest requests; it is None where nobody asks for them.
    """

    apis: Mapping[str, Api]
    faults: Sequence[Fault] = ()
    prefix: str = ""
    state: dict[str, Any] = field(default_factory=dict)
    kept_answers: KeptAnswers = field(default_factory=KeptAnswers)
    journal: Journal | None = None
    rules: RuleSet = field(init=False)

    def __post_init__(self) -> None:
        self.rules = RuleSet(list(self.apis.values()))

    def find_api(self, target: str) -> tuple[Api, str]:
        """Return the API of a request target, and everything in front of the API's own path.

        Raises RouteNotFound.
        """
        start = len(self.prefix)
        for mount, api in self.apis.items():
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
        """Return exchanges of the journal as JSON values."""
        return [entry_of(exchange, *self.route(exchange.request)) for exchange in exchanges]

    async def start(self) -> None:
        """Start every API; see Api.start."""
        for api in self.apis.values():
            await api.start()

    def close(self) -> None:
        """Release the resources of every API."""
        for api in self.apis.values():
            api.close()
