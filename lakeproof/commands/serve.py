"""Command `lakeproof serve`: the reference server."""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue
from typing import Any

import click

from lakeproof import interruptions
from lakeproof.commands.server_options import named_apis, server_options, settings_of
from lakeproof.options import FileOptionsCommand
from lakeproof.packages import suite_faults
from reference_server.faults import register
from reference_server.serve import IN_MEMORY, SWITCH_SECONDS, Server, servable
from specs.apis import SHARED_PORT
from specs.problems import Problem
from specs.profiles import Profile, find_profile

STOP_SECONDS = 4.5
LOOPBACKS = ("127.0.0.1", "localhost", "::1")
EPILOG = """\b
Storage:
  memory        state in memory; table files in a temporary directory, which
                clients can read and the server removes at the end
  memory:pure   state and table files in memory; clients cannot read the files
                (for Iceberg the same as memory: its clients need the files)
  dir:PATH      state and table files below PATH, durable

\b
Warehouses on S3:
  NAME=s3://BUCKET/PATH?OPTION=VALUE&...     the keys are AWS_* in the environment
  endpoint_override, region                  location of a bucket outside AWS
  credentials=dummy|own|none                 keys for clients that request access:
                dummy keys (for storage that checks none), the server's own, none

\b
Rules:
  'updateTable: 504 applied x2'         applies two commits, and returns 504
  'loadTable table=t: 503 x2 after 1'   requests 2 and 3 for the table t
  'any: delay 0.5 every 3'              every third request waits
  'listTables: cut'                     closes the connection; also: half, stale
  'createTable: lost metadata-location' field missing from the response
  commit-conflict                       a fault by its name

\b
Partial servers:
  --like read-only                      rejects every write
  --without views                       not in the configuration, returns 406
  --without 'renameTable: 404'          returns 404

\b
Every option is also read from the environment (LAKEPROOF_SERVE_PAGE_SIZE for
--page-size) and from lakeproof.toml ([serve], page_size = 5).

\b
Examples:
  lakeproof serve --api lance                        http://127.0.0.1:2333
  lakeproof serve --api lance --storage dir:./lake   durable
  lakeproof serve --api iceberg --warehouse demo     http://127.0.0.1:8181
  lakeproof serve --profile iceberg/tables-api --namespace analytics
  lakeproof serve --api lance --fault slow:2.5       delays every response
  lakeproof serve --api lance --allow-faults         requests choose their faults:
      curl -H 'X-Lakeproof-Fault: plain-text-errors' ...
  lakeproof serve --api lance --list-faults          lists the faults
"""


@click.command("serve", cls=FileOptionsCommand, epilog=EPILOG)
@server_options
@click.option(
    "--journal",
    default=IN_MEMORY,
    show_default=True,
    metavar="FILE",
    help="Record requests and responses: memory (the latest), none, or a file (one JSON line each, and the latest).",
)
@click.option(
    "--control-token",
    default="",
    metavar="TOKEN",
    help="Token of the control paths (/_lakeproof); by default only programs on this machine may use them.",
)
@click.option("--list-presets", is_flag=True, help="List the presets of the served APIs and exit.")
@click.option("--list-faults", is_flag=True, help="List the faults of the served APIs and exit.")
@click.option("--json", "as_json", is_flag=True, help="With --list-faults: print only the list, as JSON.")
def serve_command(
    list_faults: bool, list_presets: bool, as_json: bool, api: str, profile: str | None, **options: Any
) -> None:
    """Run the reference server: a mock of every API, in one process."""
    named = named_apis(api, profile)
    if as_json and not list_faults:
        raise Problem("--json does nothing without --list-faults.", "Give --list-faults, or leave it out.")
    if list_presets or list_faults:
        _list([find_profile(name) for name in named or servable()], presets=list_presets, as_json=as_json)
    else:
        _serve(named, **options)


def _list(served: list[Profile], *, presets: bool, as_json: bool) -> None:
    """Print the presets of some profiles, or their faults."""
    from lakeproof.fault_list import print_faults, print_faults_as_json, print_presets  # noqa: PLC0415 - slow to import

    if presets:
        print_presets(served)
    else:
        (print_faults_as_json if as_json else print_faults)(served)


def _serve(named: tuple[str, ...], host: str, port: int | None, **rest: Any) -> None:
    """Serve the named APIs or profile, or every API if none is named, until SIGINT or SIGTERM."""
    usual = find_profile(named[0]).facts.port if named else SHARED_PORT
    settings = settings_of(named, host=host, port=usual if port is None else port, **rest)
    if host not in LOOPBACKS:
        click.secho(f"Listening on {host}: other machines can reach this server.", fg="yellow", err=True)
    sys.setswitchinterval(SWITCH_SECONDS)
    stop: SimpleQueue[None] = SimpleQueue()  # a signal handler can put into it, but not set an Event

    def end(*_: object) -> None:
        stop.put(None)
        _end_in_time()

    interruptions.handle(end)
    register(*suite_faults())
    with Server(settings) as server:
        _announce(server)
        stop.get()


def _end_in_time() -> None:
    """End the process if the server does not stop: it may be starting, or in native code that ignores signals."""
    watchdog = threading.Timer(STOP_SECONDS, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()


def _announce(server: Server) -> None:
    """Print the base URL of every API on one line, which means that the server is ready."""
    click.echo("ready: " + "  ".join(f"{api} {url}" for api, url in server.urls.items()))
    sys.stdout.flush()
