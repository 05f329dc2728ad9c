"""`lakeproof check`."""

from __future__ import annotations

from typing import Any

import click

from conformance.target.reach import check_listening
from conformance.values.settings import SETTINGS, given_elsewhere, load_settings
from lakeproof.commands.settings_options import SettingsCommand, settings_options

SERVER = "server"  # the setting that is an argument here
OF_ONE_API = ("api", "profile", "spec")
EPILOG = """\b
Every option but --json can also stand in the environment (--max-time is
LAKEPROOF_MAX_TIME) or in lakeproof.toml (max_time = 300); URL is `server`.

\b
Examples:
  lakeproof check                              the embedded server, each API
  lakeproof check --api lance --storage dir:D  one of its APIs, on a directory
  lakeproof check http://localhost:2333        a Lance Namespace server
  lakeproof check URL -k 'lance.table and not rename'
  lakeproof check URL --operation RenameTable --kinds error,race
  lakeproof check URL --last-failed --fail-fast
  lakeproof check URL --jobs 8                 eight requirements at a time
  lakeproof check URL --kinds fuzz             bodies drawn from the document
  lakeproof check URL --token "$TOKEN" --strict
  lakeproof check URL --spec openapi.yaml --depth deep
  lakeproof check URL --api iceberg --ca ca.pem --wait 60

\b
The run names only what starts with its own random prefix, and drops what it
made. Exit codes: 0 conforms, 1 does not, 2 interrupted, 3 the kit failed,
4 wrong usage or no server there, 5 nothing was selected. A run that
--max-time ended before it found anything is interrupted.
"""


@click.command("check", cls=SettingsCommand, epilog=EPILOG)
@click.argument("url", required=False)
@settings_options(*(name for name in SETTINGS if name != SERVER))
@click.option("--json", "as_json", is_flag=True, help="Print the totals and findings as JSON and nothing else.")
def check_command(url: str | None, as_json: bool, **given: Any) -> int:
    """Test a server; without a URL, the embedded reference server: all of its APIs, unless one is named."""
    if (settings := load_settings({**given, SERVER: url})).server:
        check_listening(settings)
    elif not any(given[name] or given_elsewhere().get(name) for name in OF_ONE_API):
        from lakeproof.every_api import check_every_api  # noqa: PLC0415 - as below

        return check_every_api(as_json=as_json, **given)
    from lakeproof.shown_run import check_and_show  # noqa: PLC0415 - it has the suite imported, which takes a while

    return check_and_show(url, as_json=as_json, **given)
