"""Opening of tenants: the APIs of a server over the storage of the main tenant, and over memory for every other one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields
from typing import Any

from reference_server.answers import MOST_BYTES as MOST_ANSWERS
from reference_server.answers import KeptAnswers
from reference_server.api import Api, Setup
from reference_server.auth import Auth
from reference_server.backends import MEMORY, Backend, TemporaryFolder, open_backend, tenant_backend
from reference_server.control.journal import MOST_BYTES as MOST_JOURNAL
from reference_server.control.journal import Journal
from reference_server.control.tenants import TENANT, Tenant
from reference_server.rules.rule import Rule
from reference_server.serve_arguments import ServeArguments
from reference_server.shared_parts import SharedParts
from specs.problems import Problem, did_you_mean
from specs.profiles import Profile

ALL_JOURNALS = ALL_ANSWERS = 64 << 20
"""Bytes that the journals, or the cached answers, of all tenants share."""


class Opener:
    """Opens the tenants of a server, with the same APIs, options and rules. `preset_rules` names those of presets."""

    def __init__(
        self,
        apis: Mapping[Profile, type[Api]],
        auth: Callable[[], Auth],
        page_size: int,
        options: Mapping[str, Any],
        rules: Sequence[Any],
        fitting: Sequence[str],
        *,
        journal: bool,
    ) -> None:
        """Prepare the options of each API. Raises Problem for an option that none of the APIs has.

        `rules` are in force in each tenant; of the `fitting` ones, of presets, those that the revision has.
        """
        _check_options(apis, options)
        self._apis = dict(sorted(apis.items(), key=lambda served: not served[0].mount))  # the root is mounted last
        self._options = {profile: _options_of(api, options) for profile, api in apis.items()}
        self._shared = {profile: SharedParts() for profile in apis}
        self._auth = auth
        self._page_size = page_size
        self._rules = rules
        self._fitting = fitting
        self._parsed: list[Rule] = []
        self.preset_rules: frozenset[str] = frozenset()
        self._journal = journal
        self._folder: TemporaryFolder | None = None
        self._opened = 0

    def again(self, tenant: Tenant, storage: str) -> Tenant:
        """Open an empty tenant in the place of one; tokens issued for it stay valid. `storage` is as in `main`.

        Raises Problem for a main tenant that lives on a directory.
        """
        auth = next(iter(tenant.apis.values())).auth
        if tenant.prefix:
            return self.tenant(tenant.prefix.removeprefix(TENANT), auth)
        if not storage.startswith(MEMORY):
            raise Problem(f"The catalogs in {storage} are not reset: they are kept.", "Reset a tenant: /_t/ID")
        return self.main(storage, auth)

    def main(self, storage: str, auth: Auth | None = None) -> Tenant:
        """Open the main tenant on a storage, a value of `--storage`. Raises Problem."""
        apis = self._open(lambda api, name: open_backend(storage, name, needs_files=api.needs_files), auth)
        tenant = Tenant(apis, journal=Journal() if self._journal else None)
        try:
            for rule in self._fitting:
                with suppress(Problem):  # a revision may lack what a preset takes away
                    tenant.rules.add(rule)
            self.preset_rules = frozenset(running.name for running in tenant.rules)
            tenant.rules.add(*self._rules)
        except Problem:
            tenant.close()
            raise
        self._parsed = [running.rule for running in tenant.rules]
        return tenant

    def tenant(self, id: str, auth: Auth | None = None) -> Tenant:
        """Open another tenant. Raises Problem for options that cannot be served again."""
        self._folder = self._folder or TemporaryFolder()
        self._opened += 1
        folder = self._folder.path / f"{id}-{self._opened}"  # the folder of a dropped tenant of this id may remain
        apis = self._open(lambda _, name: tenant_backend(folder / name), auth, id)
        journal = Journal(min(MOST_JOURNAL, ALL_JOURNALS // self._opened)) if self._journal else None
        answers = KeptAnswers(min(MOST_ANSWERS, ALL_ANSWERS // self._opened))
        tenant = Tenant(apis, prefix=TENANT + id, kept_answers=answers, journal=journal)
        tenant.rules.take(self._parsed)
        return tenant

    def _open(
        self, backend: Callable[[type[Api], str], Backend], auth: Auth | None, tenant: str = ""
    ) -> dict[str, Api]:
        """Return the APIs by their mounts, on backends that are closed again when an API cannot be opened."""
        mounted: dict[str, Api] = {}
        auth = auth or self._auth()
        for profile, api in self._apis.items():
            opened = backend(api, profile.api)
            setup = Setup(profile, profile.document(), opened, auth, self._page_size, self._shared[profile], tenant)
            try:
                mounted["" if len(self._apis) == 1 else profile.mount] = api(setup, self._options[profile])
            except Problem:
                opened.close()
                raise
        return mounted

    def close(self) -> None:
        """Stop the threads that the tenants share, and remove the folder of their files."""
        for shared in self._shared.values():
            shared.close()
        if self._folder is not None:
            self._folder.close()


def _options_of(api: type[Api], given: Mapping[str, Any]) -> Any:
    names = {option.name for option in fields(api.options)}
    return api.options(**{name: value for name, value in given.items() if name in names})


def _check_options(apis: Mapping[Profile, type[Api]], given: Mapping[str, Any]) -> None:
    """Raise Problem for an option that none of the APIs has."""
    known = {option.name for api in apis.values() for option in fields(api.options)}
    unknown = sorted(given.keys() - known)
    if unknown:
        names = ", ".join(profile.api for profile in apis)
        hint = did_you_mean(unknown[0], {*known, *ServeArguments.__annotations__}, f"Options: {', '.join(known)}.")
        raise Problem(f"There is no option {unknown[0]} for {names}.", hint)
