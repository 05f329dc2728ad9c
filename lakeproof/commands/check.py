"""Command `lakeproof check`: test a server."""

from __future__ import annotations

from typing import Any

import click

from conformance.target.reach import check_listening
from conformance.values.settings import SETTINGS, given_elsewhere, load_settings
from lakeproof.commands.settings_options import SettingsCommand, settings_options

SERVER = "server"  # the setting that this command takes as an argument
OF_ONE_API = ("api", "profile", "spec")
EPILOG = """Every option except --json is also read from the environment (LAKEPROOF_MAX_TIME
for --max-time) and from lakeproof.toml (max_time = 300); URL is `server` there.

\b
Examples:
  lakeproof check                              the embedded server, every API
  lakeproof check --api lance --storage dir:D  one API, stored in a directory
  lakeproof check http://localhost:2333        a Lance Namespace server
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
@settings_options(*(name for name in SETTINGS if name != SERVER))
@click.option("--json", "as_json", is_flag=True, help="Print only the totals and findings, as JSON.")
def check_command(url: str | None, as_json: bool, **given: Any) -> int:
    """Test a server, or without URL every API of the embedded reference server.

    With --api, --profile or --spec and without URL, one API of the embedded server is tested.
    """
    if (settings := load_settings({**given, SERVER: url})).server:
        check_listening(settings)
    elif not any(given[name] or given_elsewhere().get(name) for name in OF_ONE_API):
        from lakeproof.every_api import check_every_api  # noqa: PLC0415 - as below

        return check_every_api(as_json=as_json, **given)
    from lakeproof.shown_run import check_and_show  # noqa: PLC0415 - importing the suite takes a while

    return check_and_show(url, as_json=as_json, **given)
