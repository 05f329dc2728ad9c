"""Command `lakeproof check`: test a server."""

from __future__ import annotations

import os
from typing import Any

import click

from conformance.target.reach import check_listening
from conformance.values.settings import MOST_JOBS, SETTINGS, Settings, given_elsewhere
from lakeproof.answering_api import load_before_api, names_an_api, shown_api
from lakeproof.commands.settings_options import SettingsCommand, settings_options
from specs.apis import apis

SERVER = "server"  # the setting that this command takes as an argument
HELPS = {
    "api": f"API of the server: {', '.join(apis())}.  [default: the one that answers at URL, without URL all]",
    "profile": "Revision of the API, see `lakeproof spec list`, or newest.  [default: the newest that it shows]",
    "jobs": "Number of requirements tested in parallel.  [default: 1; for a whole run without URL the processors]",
}
EPILOG = """Every option except --json is also read from the environment (LAKEPROOF_MAX_TIME
for --max-time) and from lakeproof.toml (max_time = 300); URL is `server` there.

\b
Examples:
  lakeproof check                              the embedded server, every API
  lakeproof check --api lance --storage dir:D  one API, stored in a directory
  lakeproof check http://localhost:8181        a server; the run finds its API
  lakeproof check URL -k 'lance.table and not rename'
  lakeproof check URL --operation RenameTable --kinds error,race
  lakeproof check URL --last-failed --fail-fast
  lakeproof check URL --jobs 8                 eight requirements in parallel
  lakeproof check URL --kinds fuzz             request bodies drawn at random
  lakeproof check URL --token "$TOKEN" --strict
  lakeproof check URL --spec openapi.yaml --depth deep
  lakeproof check URL --api iceberg --ca ca.pem --wait 60
  lakeproof check URL --api iceberg --read-only --table sales.orders

The run touches only objects with its own random prefix, and drops them at the end. With
--read-only it writes nothing, and reads objects that exist: for a server in use.

Exit codes: 0 conforms, 1 does not conform, 2 interrupted (also by --max-time, before
it found anything), 3 error of the kit, 4 wrong usage or unreachable server, 5 nothing
selected.
"""


@click.command("check", cls=SettingsCommand, epilog=EPILOG)
@click.argument("url", required=False)
@settings_options(*(name for name in SETTINGS if name != SERVER), **HELPS)
@click.option("--json", "as_json", is_flag=True, help="Print only the totals and findings, as JSON.")
def check_command(url: str | None, as_json: bool, **given: Any) -> int:
    """Test a server, or without URL every API of the embedded reference server.

    With --api, --profile or --spec and without URL, one API of the embedded server is tested.
    """
    asked = {**given, SERVER: url}
    named = names_an_api(asked)
    if (settings := load_before_api(asked)).server:
        check_listening(settings)
        if not named:
            from lakeproof.checking import check_files  # noqa: PLC0415 - importing the suite takes a while

            check_files(settings)
            given |= shown_api(asked)
    else:
        if not (given["jobs"] or given_elsewhere().get("jobs")):
            given["jobs"] = _jobs(settings, 1 if named else len(apis()))
        if not named:
            from lakeproof.every_api import check_every_api  # noqa: PLC0415 - as above

            return check_every_api(as_json=as_json, **given)
    from lakeproof.shown_run import check_and_show  # noqa: PLC0415 - as above

    return check_and_show(url, as_json=as_json, **given)


def _jobs(settings: Settings, runs: int) -> int:
    """Return the default number of jobs for so many runs: the processors; 1 for a part, which workers would slow."""
    from conformance.run.selection import narrows  # noqa: PLC0415 - as above

    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 1 if processors == 1 or narrows(settings) else min(max(processors, runs), MOST_JOBS)
