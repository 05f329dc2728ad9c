"""Callers of a run, and what worlds share: its second catalog and the managers of its catalogs.

A manager is a principal that may change the content and the roles of one catalog, and nothing else on the server.
Managers and the second catalog are created on first use and dropped at the end of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from conformance.http.client import Client
from conformance.target.sandbox import Sandbox
from conformance.target.target import Target
from conformance.values.exchange import Exchange

EVERY_ROLE = "PRINCIPAL_ROLE:ALL"
CONTENT = {"type": "catalog", "privilege": "CATALOG_MANAGE_CONTENT"}
ACCESS = {"type": "catalog", "privilege": "CATALOG_MANAGE_ACCESS"}
# Features that a catalog has only if enabled, and that requirements of the Iceberg catalog need.
DROPS = {"polaris.config.drop-with-purge.enabled": "true"}  # else purging a table and dropping a view return 403
SETTINGS = {"polaris.config.list-pagination-enabled": "true", **DROPS}
TABLES = "catalog with tables"  # the way to create one


@dataclass(frozen=True, slots=True)
class Credentials:
    """The client id and secret with which a principal obtains tokens."""

    id: str
    secret: str = field(repr=False)

    def form(self, scope: str = EVERY_ROLE) -> dict[str, str]:
        """Return the token form with a scope of roles; "" leaves the scope out."""
        form = {"grant_type": "client_credentials", "client_id": self.id, "client_secret": self.secret}
        return {**form, "scope": scope} if scope else form


@dataclass(frozen=True, slots=True)
class Caller:
    """Principal of the run, with its principal role and the catalog role assigned to that."""

    principal: str
    principal_role: str
    catalog_role: str
    credentials: Credentials
    client: Client


@dataclass(frozen=True, slots=True)
class Manager:
    """Manager of a catalog: a client with its token, its token form, and the steps that created it."""

    client: Client
    form: dict[str, str] = field(repr=False)
    steps: Sequence[Exchange] = ()


@dataclass(frozen=True, slots=True)
class SecondCatalog:
    """Second catalog of the run: its name, the sandbox of its contents, and the steps that created it."""

    name: str
    sandbox: Sandbox
    steps: Sequence[Exchange] = ()


@dataclass
class Others:
    """Second catalog of a run and the managers of its catalogs, each created on first use: all worlds share them."""

    second: SecondCatalog | None = None
    managers: dict[str, Manager] = field(default_factory=dict)

    def second_made(self, target: Target, make: Callable[[], tuple[str, Sandbox]]) -> SecondCatalog:
        """Return the second catalog, after its creation by `make`."""
        if self.second is None:
            with _lasting(target) as steps:
                name, sandbox = make()
            self.second = SecondCatalog(name, sandbox, steps)
        return self.second

    def manager_of(self, target: Target, name: str, make: Callable[[], Caller]) -> Manager:
        """Return the manager of the catalog of a name, after its creation by `make`."""
        if name not in self.managers:
            with _lasting(target) as steps:
                caller = make()
            self.managers[name] = Manager(caller.client, caller.credentials.form(), steps)
        return self.managers[name]


@contextmanager
def _lasting(target: Target) -> Iterator[list[Exchange]]:
    """Create entities of the whole run in the plain world within the block; yields the list of its steps."""
    noted, start = set(target.sandbox.noted), len(target.client.steps)
    made: list[Exchange] = []
    try:
        with target.surroundings.plain(), target.client.preparing():
            yield made
    finally:
        sandbox = target.sandbox
        sandbox.kept.update({thing: sandbox.noted.pop(thing) for thing in [*sandbox.noted] if thing not in noted})
        made += target.client.steps[start:]
