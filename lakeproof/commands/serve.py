"""`lakeproof serve`."""

from __future__ import annotations

import signal
import sys
import threading
from typing import Any

import click

from lakeproof.fault_list import print_faults
from reference_server.iceberg.scans.plans import MODES, SYNC
from reference_server.serve import LOOPBACK, Server, ServerSettings
from specs.problems import Problem
from specs.profiles import APIS, PORTS, SHARED_PORT, find_profile

LOOPBACKS = ("127.0.0.1", "localhost", "::1")
EPILOG = """\b
Storage:
  memory        state in memory; table data in a temporary directory that other
                processes can open, removed at the end
  memory:pure   state and data in memory; no other process can open the data
                (for Iceberg the same as memory: its clients read files)
  dir:PATH      state and data below PATH, durable, kept

\b
Warehouses on S3:
  NAME=s3://BUCKET/PATH?OPTION=VALUE&...     keys come from AWS_* in the environment
  endpoint_override, region                  where the bucket is, if not on AWS
  credentials=made|own|none                  clients that ask for access get keys that
                are made up (for storage that checks none), the server's own, or none

\b
Examples:
  lakeproof serve --api lance                        http://127.0.0.1:2333
  lakeproof serve --api lance --storage dir:./lake   keeps what clients write
  lakeproof serve --api iceberg --warehouse demo     http://127.0.0.1:8181
  lakeproof serve --profile iceberg/tables-api --namespace analytics
  lakeproof serve --api lance --fault slow           a server that answers late
  lakeproof serve --api lance --allow-faults         a request chooses its fault:
      curl -H 'X-Lakeproof-Fault: plain-text-errors' ...
  lakeproof serve --list-faults                      what there is to choose from
"""


def _list_faults(context: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        print_faults()
        context.exit()


@click.command("serve", epilog=EPILOG)
@click.option("--api", type=click.Choice([*APIS, "all"]), default="all", show_default=True, help="What to serve.")
@click.option("--profile", help="A revision of the API, such as lance/2026-03. Default: the newest.")
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help="0 takes a free one. Default: 2333 for Lance alone, else 8181.",
)
@click.option("--storage", default="memory", show_default=True, help="memory, memory:pure or dir:PATH; see below.")
@click.option(
    "--auth",
    default="none",
    show_default=True,
    help="none, token:VALUE (a bearer token or API key) or oauth:ID:SECRET (Iceberg issues tokens).",
)
@click.option("--fault", "faults", multiple=True, metavar="NAME", help="Misbehave like this; may be repeated.")
@click.option("--allow-faults", is_flag=True, help="Let requests choose faults with the header X-Lakeproof-Fault.")
@click.option(
    "--page-size",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="The largest page of a listing.",
)
@click.option(
    "--managed-versions",
    is_flag=True,
    help="Lance: tell clients to commit versions of tables through the catalog.",
)
@click.option(
    "--warehouse",
    "warehouses",
    multiple=True,
    metavar="NAME[=URI]",
    help="Iceberg: a warehouse, in a folder of the storage or at a URI (see below); repeatable.  [default: default]",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    metavar="NAME",
    help="Iceberg: a namespace that is there from the beginning, such as analytics or a.b; may be repeated.",
)
@click.option(
    "--functions",
    default="",
    metavar="FOLDER",
    help="Iceberg: functions to show, FOLDER/<namespace>/<name>.json with the metadata of each.",
)
@click.option(
    "--scan-planning",
    type=click.Choice(MODES),
    default=SYNC,
    show_default=True,
    help="Iceberg: plan scans at once, or in the background while clients wait and ask again.",
)
@click.option(
    "--max-body",
    type=click.IntRange(1),
    default=64 << 20,
    show_default=True,
    help="The largest body in bytes.",
)
@click.option("--access-log", metavar="FILE", help="Write a JSON line per request; - is standard error.")
@click.option(
    "--list-faults",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_faults,
    help="List the faults and exit.",
)
def serve_command(
    api: str, profile: str | None, host: str, port: int | None, faults: tuple[str, ...], **rest: Any
) -> None:
    """Run the reference server: a mock of every API, in one process."""
    apis = (profile,) if profile else () if api == "all" else (api,)
    if profile and api not in ("all", find_profile(profile).api):
        raise Problem(f"The profile {profile} does not belong to the API {api}.", "Leave one of them out.")
    alone = find_profile(apis[0]).api if apis else ""
    chosen = PORTS.get(alone, SHARED_PORT) if port is None else port
    settings = ServerSettings(apis=apis, host=host, port=chosen, faults=faults, **rest)
    if host not in LOOPBACKS:
        click.secho(f"Listening on {host}: others can reach this server.", fg="yellow", err=True)
    stop = threading.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        signal.signal(name, lambda *_: stop.set())
    with Server(settings) as server:
        _announce(server)
        stop.wait()


def _announce(server: Server) -> None:
    """Print the base URL of every API on one line: the sign that the server is ready."""
    click.echo("ready: " + "  ".join(f"{api} {url}" for api, url in server.urls.items()))
    sys.stdout.flush()
