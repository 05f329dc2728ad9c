"""`lakeproof check` as a function: test a server, or the embedded one."""

from __future__ import annotations

import contextlib
import secrets
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from conformance.after import reproduction
from conformance.after.reproduction import Recorded, Reproduced, settings_for
from conformance.after.runner import run
from conformance.replay.commands import again
from conformance.replay.expectations_file import read_expectations
from conformance.report import check_report, write_reports
from conformance.run.reporting import Listener
from conformance.target.documents import profile_of
from conformance.values.activity import doing
from conformance.values.results import Results
from conformance.values.settings import EMBEDDED_STORAGE, Settings, load_settings
from lakeproof.answering_api import answering_api, load_before_api
from lakeproof.interruptions import ignored
from specs.writing import NotWritten

if TYPE_CHECKING:
    from lakeproof.server_process import ServerProcess
    from reference_server.serve import Server, ServerSettings

S = TypeVar("S", "Server", "ServerProcess")


class NotReported(NotWritten):
    """Error for a report that cannot be written; `results` are the results of the run."""

    def __init__(self, problem: NotWritten, results: Results) -> None:
        super().__init__(problem.message, problem.hint)
        self.results = results


def check(
    url: str | None = None,
    *,
    listener: Listener | None = None,
    command: str = "lakeproof check",
    runner: Callable[..., tuple[Results, int]] | None = None,
    program: str = "lakeproof check",
    **settings: object,
) -> tuple[Results, int]:
    """Test a server, write the reports, and return the results and the exit code.

    If nothing is selected, nothing is written: the report of an earlier run stays. The reports are written before the
    objects of the run are dropped, and again after that. An interruption ends the tests, another one the clean-up;
    during the report it is ignored, so that the findings are written.

    Without `api`, `profile` or `spec` it tests the API that answers at the URL: `results.target.profile` names it.
    Without a URL it starts the embedded reference server on a free port, with a token, so that requirements on
    credentials are tested, too. `settings` are those of a run, `runner` runs another suite than the kit's,
    `program` is the command that runs it. With a URL the results of the kit's suite contain the reference server's
    responses to the steps of findings. Raises Problem if nothing can be tested or the report cannot be
    written; a failure to write after the tests is NotReported, with the results.
    """
    given = {**settings, "server": url}
    check_files(load_before_api(given))
    loaded = load_settings(given | answering_api(given))
    runner = runner or partial(run, reference=_reference if loaded.server else None)
    with contextlib.ExitStack() as ended:
        with target_of(loaded) as target:
            write = partial(_write, settings=target, given=loaded, program=program)
            results, code = runner(target, listener, command=command, keep=write)
            ended.enter_context(ignored())
        try:
            write(results)
        except NotWritten as problem:
            raise NotReported(problem, results) from None
    return results, code


def _write(results: Results, settings: Settings, given: Settings, program: str) -> None:
    """Write the reports of a run that has selected requirements, with the command that repeats it. Raises NotWritten.

    `given` are the settings without those of an embedded server. The command names a revision that the run chose.
    """
    results.run.again = again(replace(given, profile=results.target.settings["profile"]), program)
    if results.run.selected:
        with doing("writing the report"):
            write_reports(results, settings)


def reproduce(finding: Mapping[str, Any], url: str, **settings: object) -> Reproduced:
    """Send the steps of a finding, in the form of `lakeproof repro --as pytest`, to a URL, and return the outcome.

    `settings` are those that differ from the settings of the recorded run. Raises Problem if the target cannot be
    tested.
    """
    record = msgspec.convert(finding, Recorded)
    return reproduction.reproduce(record, settings_for(record, url, settings))


def check_files(settings: Settings) -> None:
    """Check the files that a run reads and writes, before it starts. Raises Problem for a broken or unwritable file."""
    if settings.expect:
        read_expectations(Path(settings.expect))
    check_report(Path(settings.report))


@contextlib.contextmanager
def target_of(settings: Settings) -> Iterator[Settings]:
    """Yield the settings with the URL to test: the given URL, or the URL of an embedded server in its own process."""
    if settings.server:
        yield settings
        return
    from lakeproof.server_process import ServerProcess, log_in  # noqa: PLC0415 - a run against a URL does not need it

    with contextlib.ExitStack() as stack:
        with doing("starting the embedded server"):
            start = partial(ServerProcess, log=stack.enter_context(log_in(Path(settings.report))))
            started = embedded(settings, settings.token or secrets.token_urlsafe(12), start)
            target, _server = stack.enter_context(started)
        yield target


@contextlib.contextmanager
def _reference(settings: Settings) -> Iterator[Settings]:
    """Yield the settings for a reference server that answers the steps of findings, with a token if the run had one.

    The namespaces, locations and storage options of the tested server do not exist on this one. Its log is discarded:
    among the lines of a run it would look like the log of the tested server.
    """
    token = secrets.token_urlsafe(12) if settings.token or settings.credential else ""
    known = Settings(api=settings.api, profile=profile_of(settings).name, header=settings.header)
    from lakeproof.server_process import ServerProcess  # noqa: PLC0415 - only findings are sent to it

    with embedded(known, token, partial(ServerProcess, log=subprocess.DEVNULL)) as (target, _server):
        yield target


@contextlib.contextmanager
def embedded(settings: Settings, token: str, start: Callable[[ServerSettings], S]) -> Iterator[tuple[Settings, S]]:
    """Yield the settings to test an embedded server, and the server; without a token it accepts every caller.

    `start` is Server or ServerProcess.
    """
    from reference_server.serve import api_class, server_settings  # noqa: PLC0415 - as in target_of

    profile = profile_of(settings)
    options, access = api_class(profile.api).options.embedded(profile.document(), asdict(settings))
    auth = f"token:{token}" if token else "none"
    storage = settings.storage or EMBEDDED_STORAGE
    with start(server_settings(profile.name, storage=storage, auth=auth, allow_faults=True, options=options)) as server:
        known = {
            "server": server.url,
            "token": token,
            "credential": settings.credential or (f"lakeproof:{token}" if token else ""),
            "name": settings.name or "embedded reference server",
        }
        yield replace(settings, **{**known, **access}), server
