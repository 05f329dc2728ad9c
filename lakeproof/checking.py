"""`lakeproof check` as a function: judge a server, or the embedded one."""

from __future__ import annotations

import contextlib
import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import msgspec

from conformance import reproduction
from conformance.again import again
from conformance.plugin import Listener
from conformance.report import write_reports
from conformance.reproduction import Recorded, Reproduced, settings_for
from conformance.results import Results
from conformance.runner import run
from conformance.settings import Settings, load_settings
from specs.profiles import find_profile

if TYPE_CHECKING:
    from reference_server.serve import Server

EMBEDDED_STORAGE = "memory"


def check(
    url: str | None = None,
    *,
    storage: str = EMBEDDED_STORAGE,
    listener: Listener | None = None,
    command: str = "lakeproof check",
    judge: Callable[..., tuple[Results, int]] = run,
    program: str = "lakeproof check",
    **settings: object,
) -> tuple[Results, int]:
    """Judge a server, write the reports, and return the results and the exit code.

    Where nothing was selected, nothing is written: the report of an earlier run stays.

    Without a URL the embedded reference server is started on a free port, with the given storage
    and a token, so that requirements on credentials can be judged too. `settings` are the fields of
    conformance.Settings, `judge` is the suite that is run, `program` the command that runs it. Raises Problem when
    there is nothing that can be judged.
    """
    loaded = load_settings({**settings, "server": url})
    with target_of(loaded, storage) as (target, _server):
        results, code = judge(target, listener, command=command)
    own = f" --storage {shlex.quote(storage)}" if storage != EMBEDDED_STORAGE and not url else ""
    results.run.again = again(loaded, program) + own
    if results.run.selected:
        write_reports(results, target)
    return results, code


def reproduce(found: Mapping[str, Any], url: str, **settings: object) -> Reproduced:
    """Return whether a finding, as `lakeproof repro --as pytest` writes it, is still there at a URL.

    `settings` are those that differ from the recorded run's. Raises Problem when the target cannot be judged.
    """
    record = msgspec.convert(found, Recorded)
    return reproduction.reproduce(record, settings_for(record, url, settings))


@contextlib.contextmanager
def target_of(settings: Settings, storage: str = EMBEDDED_STORAGE) -> Iterator[tuple[Settings, Server | None]]:
    """Yield the settings with the URL to judge, the given one or that of an embedded server, and that server."""
    if settings.server:
        yield settings, None
        return
    from reference_server.serve import api_class, serve  # noqa: PLC0415 - who tests a server of their own need not wait

    token = settings.token or secrets.token_urlsafe(12)
    profile = find_profile(settings.profile or settings.api)
    options, found = api_class(profile.api).options.embedded(profile.document(), asdict(settings))
    with serve(profile.name, storage=storage, auth=f"token:{token}", allow_faults=True, options=options) as server:
        known = {
            "server": server.url,
            "token": token,
            "credential": settings.credential or f"lakeproof:{token}",
            "name": settings.name or "embedded reference server",
        }
        yield replace(settings, **{**known, **found}), server
