"""`lakeproof check`."""

from __future__ import annotations

import signal
from typing import Any

import click

from conformance.reach import check_listening
from conformance.settings import DEPTHS, EMBEDDED_STORAGE, EXPECTATIONS, load_settings
from lakeproof.commands.connection_options import connection_options
from lakeproof.commands.selection_options import rerun_options, selection_options
from specs.apis import apis, default_api

EPILOG = """\b
Every option can also stand in the environment (--max-time is
LAKEPROOF_MAX_TIME) or in lakeproof.toml (max_time = 300).

\b
Examples:
  lakeproof check                                  the embedded reference server
  lakeproof check http://localhost:2333            a Lance Namespace server
  lakeproof check http://localhost:2333 -k 'lance.table and not rename'
  lakeproof check http://localhost:2333 --operation RenameTable --kinds error,race
  lakeproof check http://localhost:2333 --last-failed --fail-fast
  lakeproof check http://localhost:2333 --jobs 8   eight requirements at a time
  lakeproof check http://localhost:2333 --kinds fuzz   bodies drawn from the document
  lakeproof check http://localhost:2333 --token "$TOKEN" --strict
  lakeproof check http://localhost:2333 --spec openapi.yaml --depth deep
  lakeproof check https://catalog.example --api iceberg --ca ca.pem --wait 60

\b
The run names only what starts with its own random prefix, and drops what it
made. Exit codes: 0 conforms, 1 does not, 2 interrupted, 3 the kit failed,
4 wrong usage or no server there, 5 nothing was selected. A run that
--max-time ended before it found anything is interrupted.
"""


@click.command("check", epilog=EPILOG)
@click.argument("url", required=False)
@click.option("--api", type=click.Choice([*apis()]), help=f"What the server speaks.  [default: {default_api()}]")
@click.option("--profile", help="A revision of the API, such as lance/2026-03. Default: the newest.")
@click.option("--spec", metavar="FILE", help="Judge by this copy of the document instead of the kit's own.")
@click.option(
    "--storage",
    default=EMBEDDED_STORAGE,
    show_default=True,
    help="Storage of the embedded server, without a URL.",
)
@click.option("--name", help='What the reports call the server: "pylance 14.0.2".')
@click.option("--warehouse", metavar="NAME", help="The warehouse to ask an Iceberg catalog for; NAME=URI embedded.")
@click.option("--namespace", metavar="NAME", help="Stay in this existing namespace; levels with dots between them.")
@click.option("--prefix", metavar="NAME", help="Start the names of all that the run makes with this.  [default: lp]")
@click.option("--location", metavar="URI", help="Where tables may lie; the run has a folder of its own below it.")
@click.option(
    "--storage-option",
    "storage_options",
    multiple=True,
    metavar="KEY=VALUE",
    help="Reach the files of tables by this, as Iceberg's clients call it: s3.access-key-id=...; may be repeated.",
)
@click.option("--functions", metavar="NAME", help="An existing namespace of an Iceberg catalog that has functions.")
@click.option("--token", help="Send this bearer token, and judge what happens without it.")
@click.option("--credential", metavar="ID:SECRET", help="Get tokens from an Iceberg catalog for this, and judge them.")
@click.option("--scope", help="The scope of tokens that are got for the credential.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Send this header too; may be repeated.",
)
@click.option("--depth", type=click.Choice(list(DEPTHS)), help="How many examples to draw.  [default: gate]")
@click.option("--seed", type=int, help="Where a deep run starts.")
@click.option("--no-shrink", is_flag=True, default=None, help="Show a drawn counterexample as found, not the smallest.")
@selection_options
@rerun_options
@click.option("--expect", metavar="FILE", help=f"Known deviations of the server.  [default: {EXPECTATIONS}, if there]")
@click.option("--strict", is_flag=True, default=None, help="A SHOULD counts like a MUST.")
@click.option("--jobs", type=int, metavar="N", help="Test so many requirements at the same time.  [default: 1]")
@connection_options
@click.option("--report", metavar="DIR", help="Where the reports go.  [default: lakeproof-report]")
@click.option("--json", "as_json", is_flag=True, help="Print the totals and findings as JSON and nothing else.")
def check_command(url: str | None, storage: str, as_json: bool, **given: Any) -> int:
    """Judge a server; without a URL, the embedded reference server."""
    given = {name: value if value != () else None for name, value in given.items()}
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if (settings := load_settings({**given, "server": url})).server:
        check_listening(settings)
    from lakeproof.shown_run import check_and_show  # noqa: PLC0415 - it has the suite imported, which takes a while

    return check_and_show(url, as_json=as_json, storage=storage, **given)
