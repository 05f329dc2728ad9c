"""Command `lakeproof serve`: the reference server."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

import click

from lakeproof import interruptions
from lakeproof.fault_list import print_faults, print_faults_as_json, print_presets
from lakeproof.options import FileOptionsCommand, OneOf
from lakeproof.packages import SUITE_FAULTS
from reference_server.faults import register
from reference_server.lifetimes import PLAN_SECONDS, STATUSES, TOKEN_SECONDS
from reference_server.options import Option, flags
from reference_server.rules.text import read_rules
from reference_server.serve import IN_MEMORY, LOOPBACK, SWITCH_SECONDS, Server, ServerSettings, api_class, servable
from specs.apis import SHARED_PORT, apis
from specs.problems import Problem
from specs.profiles import find_profile

F = TypeVar("F", bound=Callable[..., Any])
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
  'updateTable: 504 applied x2'         two commits are done, but return 504
  'loadTable table=t: 503 x2 after 1'   requests 2 and 3 for the table t
  'any: delay 0.5 every 3'              every third request waits
  'listTables: cut'                     closes the connection; also: half, stale
  'createTable: lost metadata-location' field missing from the response
  commit-conflict                       a fault by its name

\b
Partial servers:
  --like read-only                      every write is refused
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


def _ports() -> str:
    """Return the default ports: of each API with its own port, and of all others."""
    own = [f"{api.port} for {name} alone" for name, api in apis().items() if api.port != SHARED_PORT]
    return ", ".join([*own, f"else {SHARED_PORT}"])


def _options() -> dict[str, tuple[str, Any, Option]]:
    """Return the options of every API by name: the first API that has the option, its default, its description."""
    options: dict[str, tuple[str, Any, Option]] = {}
    for api in servable():
        for field, default, option in flags(api_class(api).options):
            options.setdefault(field, (api, default, option))
    return options


def api_options(command: F) -> F:
    """Add the options of every API to the command, in their order."""
    for field, (api, default, option) in reversed(_options().items()):
        command = _option(api, field, default, option)(command)
    return command


def _option(api: str, field: str, default: Any, option: Option) -> Callable[[F], F]:
    kinds: dict[str, Any] = {"is_flag": True} if default is False else {"metavar": option.metavar, "default": default}
    if isinstance(default, tuple):
        kinds = {"metavar": option.metavar, "multiple": True}
    if option.choices:
        kinds |= {"type": OneOf(option.choices), "show_default": option.show_default}
    return click.option(option.flag, field, help=f"{api.capitalize()}: {option.help}", **kinds)


@click.command("serve", cls=FileOptionsCommand, epilog=EPILOG)
@click.option("--api", type=OneOf([*servable(), "all"]), default="all", show_default=True, help="API to serve.")
@click.option("--profile", help="Revision of the API, such as lance/2026-03.  [default: the default of the API]")
@click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"Port to listen on; 0 takes a free port.  [default: {_ports()}]",
)
@click.option(
    "--storage", default="memory", show_default=True, help="Storage: memory, memory:pure or dir:PATH (see below)."
)
@click.option(
    "--auth",
    default="none",
    show_default=True,
    help="Authentication of clients: none, token:VALUE (bearer token or API key) or oauth:ID:SECRET "
    "(Iceberg issues tokens).",
)
@click.option(
    "--token-lifetime",
    type=click.IntRange(0),
    default=TOKEN_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Lifetime of the tokens that the server issues.",
)
@click.option(
    "--expired-status",
    type=click.IntRange(400, 499),
    default=STATUSES[0],
    show_default=True,
    metavar="STATUS",
    help="Status for an expired token: 401 or 419.",
)
@click.option(
    "--credential-lifetime",
    type=click.IntRange(0),
    metavar="SECONDS",
    help="Lifetime of vended credentials for storage.  [default: up to an hour]",
)
@click.option(
    "--plan-lifetime",
    type=click.IntRange(0),
    default=PLAN_SECONDS,
    show_default=True,
    metavar="SECONDS",
    help="Lifetime of scan plans.",
)
@click.option(
    "--fault", "faults", multiple=True, metavar="RULE", help="Rule, or the name of a fault (see below); repeatable."
)
@click.option("--rules", "rules_file", metavar="FILE", help="Rules of a YAML or JSON file, after those of --fault.")
@click.option(
    "--without",
    multiple=True,
    metavar="NAME[: FORM]",
    help="Operation or group of operations that the server lacks; repeatable.",
)
@click.option("--like", multiple=True, metavar="PRESET", help="Kind of catalog, see --list-presets; repeatable.")
@click.option("--list-presets", is_flag=True, help="List the presets of the served APIs and exit.")
@click.option("--seed", metavar="FILE", help="Plant the content that a YAML or JSON file describes.")
@click.option("--allow-faults", is_flag=True, help="Let a request choose its faults with the header X-Lakeproof-Fault.")
@click.option(
    "--strict-requests", is_flag=True, help="Refuse fields and query parameters that the document does not declare."
)
@click.option(
    "--page-size",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Largest page of a listing.",
)
@api_options
@click.option(
    "--max-body",
    type=click.IntRange(1),
    default=64 << 20,
    show_default=True,
    help="Largest request body, in bytes.",
)
@click.option("--access-log", metavar="FILE", help="Write one JSON line per request; - is standard error.")
@click.option(
    "--journal",
    default=IN_MEMORY,
    show_default=True,
    metavar="FILE",
    help="Note requests and answers: memory (the latest), none, or a file (one JSON line each, and the latest).",
)
@click.option(
    "--control-token",
    default="",
    metavar="TOKEN",
    help="Token of the control paths (/_lakeproof); by default only programs on this machine may use them.",
)
@click.option("--list-faults", is_flag=True, help="List the faults of the served APIs and exit.")
@click.option("--json", "as_json", is_flag=True, help="With --list-faults: print only the list, as JSON.")
def serve_command(
    list_faults: bool, list_presets: bool, as_json: bool, api: str, profile: str | None, **options: Any
) -> None:
    """Run the reference server: a mock of every API, in one process."""
    named = (profile,) if profile else () if api == "all" else (api,)
    if profile and api not in ("all", find_profile(profile).api):
        raise Problem(f"--profile {profile} is not a revision of --api {api}.", "Leave one of them out.")
    if as_json and not list_faults:
        raise Problem("--json does nothing without --list-faults.", "Give --list-faults, or leave it out.")
    if list_presets:
        print_presets([find_profile(name) for name in named or servable()])
    elif list_faults:
        show = print_faults_as_json if as_json else print_faults
        show([find_profile(name) for name in named or servable()])
    else:
        _serve(named, **options)


def _serve(named: tuple[str, ...], host: str, port: int | None, rules_file: str | None, **rest: Any) -> None:
    """Serve the named APIs or profile, or every API if none is named, until SIGINT or SIGTERM."""
    usual = find_profile(named[0]).facts.port if named else SHARED_PORT
    chosen = usual if port is None else port
    options = {field: value for field, (_, default, _) in _options().items() if (value := rest.pop(field)) != default}
    rules = tuple(read_rules(Path(rules_file))) if rules_file else ()
    settings = ServerSettings(apis=named, host=host, port=chosen, rules=rules, options=options, **rest)
    if host not in LOOPBACKS:
        click.secho(f"Listening on {host}: other machines can reach this server.", fg="yellow", err=True)
    sys.setswitchinterval(SWITCH_SECONDS)
    stop: SimpleQueue[None] = SimpleQueue()  # a signal handler can put into it, but not set an Event

    def end(*_: object) -> None:
        stop.put(None)
        _end_in_time()

    interruptions.handle(end)
    register(SUITE_FAULTS)
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
