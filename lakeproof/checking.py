"""`lakeproof check` as a function: judge a server, or the embedded one."""

from __future__ import annotations

import contextlib
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from conformance import reproduction
from conformance.again import again
from conformance.plugin import Listener
from conformance.report import write_reports
from conformance.reproduction import Recorded, Reproduced, settings_for
from conformance.results import Results
from conformance.runner import run
from conformance.settings import EMBEDDED_STORAGE, Settings, load_settings
from specs.profiles import find_profile

if TYPE_CHECKING:
    from reference_server.serve import Server


def check(
    url: str | None = None,
    *,
    storage: str = EMBEDDED_STORAGE,
    listener: Listener | None = None,
    command: str = "lakeproof check",
    judge: Callable[..., tuple[Results, int]] | None = None,
    program: str = "lakeproof check",
    **settings: object,
) -> tuple[Results, int]:
    """Judge a server, write the reports, and return the results and the exit code.

    Where nothing was selected, nothing is written: the report of an earlier run stays.

    Without a URL the embedded reference server is started on a free port, with the given storage
    and a token, so that requirements on credentials can be judged too. `settings` are the fields of
    conformance.Settings, `judge` runs another suite than the kit's, `program` is the command that runs it. With a URL
    the results of the kit's suite have what the reference server answers to the steps of findings. Raises Problem when
    there is nothing that can be judged.
    """
    loaded = load_settings({**settings, "server": url})
    judge = judge or partial(run, reference=_reference if loaded.server else None)
    with target_of(loaded, storage) as (target, _server):
        results, code = judge(target, listener, command=command)
    own = f" --storage {shlex.quote(storage)}" if storage != EMBEDDED_STORAGE and not url else ""
    results.run.again = again(loaded, program) + own
    if results.run.selected:
        write_reports(results, target)
    return results, code


def reproduce(finding: Mapping[str, Any], url: str, **settings: object) -> Reproduced:
    """Return whether a finding, as `lakeproof repro --as pytest` writes it, is still there at a URL.

    `settings` are those that differ from the recorded run's. Raises Problem when the target cannot be judged.
    """
    record = msgspec.convert(finding, Recorded)
    return reproduction.reproduce(record, settings_for(record, url, settings))


@contextlib.contextmanager
def target_of(settings: Settings, storage: str = EMBEDDED_STORAGE) -> Iterator[tuple[Settings, Server | None]]:
    """Yield the settings with the URL to judge, the given one or that of an embedded server, and that server."""
    if settings.server:
        yield settings, None
        return
    with _embedded(settings, storage, settings.token or secrets.token_urlsafe(12)) as (target, server):
        yield target, server


@contextlib.contextmanager
def _reference(settings: Settings) -> Iterator[Settings]:
    """Yield the settings for a reference server that is asked as the server of a run was: with a token, or without.

    What a run was given of its server - namespaces, places, storages - this one does not have.
    """
    token = secrets.token_urlsafe(12) if settings.token or settings.credential else ""
    known = Settings(api=settings.api, profile=settings.profile, headers=settings.headers)
    with _embedded(known, EMBEDDED_STORAGE, token) as (target, _server):
        yield target


@contextlib.contextmanager
def _embedded(settings: Settings, storage: str, token: str) -> Iterator[tuple[Settings, Server]]:
    """Yield the settings to judge an embedded server, and that server; without a token it lets everybody in."""
    from reference_server.serve import api_class, serve  # noqa: PLC0415 - who tests a server of their own need not wait

    profile = find_profile(settings.profile or settings.api)
    options, access = api_class(profile.api).options.embedded(profile.document(), asdict(settings))
    auth = f"token:{token}" if token else "none"
    with serve(profile.name, storage=storage, auth=auth, allow_faults=True, options=options) as server:
        known = {
            "server": server.url,
            "token": token,
            "credential": settings.credential or (f"lakeproof:{token}" if token else ""),
            "name": settings.name or "embedded reference server",
        }
        yield replace(settings, **{**known, **access}), server
