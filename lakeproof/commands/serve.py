"""`lakeproof serve`."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

import click

from lakeproof import interruptions
from lakeproof.closed_sets import OneOf
from lakeproof.fault_list import print_faults, print_faults_as_json
from lakeproof.file_options import FileOptionsCommand
from lakeproof.packages import SUITE_FAULTS
from reference_server.faults import register
from reference_server.options import Option, flags
from reference_server.serve import LOOPBACK, SWITCH_SECONDS, Server, ServerSettings, api_class, servable
from specs.apis import SHARED_PORT, apis
from specs.problems import Problem
from specs.profiles import find_profile

F = TypeVar("F", bound=Callable[..., Any])
STOP_SECONDS = 4.5
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
  credentials=dummy|own|none                 what clients that ask for access get:
                dummy keys (for storage that checks none), the server's own, or none

\b
Every option can also stand in the environment (--page-size is
LAKEPROOF_SERVE_PAGE_SIZE) or in lakeproof.toml ([serve], page_size = 5).

\b
Examples:
  lakeproof serve --api lance                        http://127.0.0.1:2333
  lakeproof serve --api lance --storage dir:./lake   keeps what clients write
  lakeproof serve --api iceberg --warehouse demo     http://127.0.0.1:8181
  lakeproof serve --profile iceberg/tables-api --namespace analytics
  lakeproof serve --api lance --fault slow:2.5       a server that answers late
  lakeproof serve --api lance --allow-faults         a request chooses its fault:
      curl -H 'X-Lakeproof-Fault: plain-text-errors' ...
  lakeproof serve --api lance --list-faults          what there is to choose from
"""


def _ports() -> str:
    """Return which ports servers of one API listen on, where it is not the usual one."""
    own = [f"{api.port} for {name} alone" for name, api in apis().items() if api.port != SHARED_PORT]
    return ", ".join([*own, f"else {SHARED_PORT}"])


def _options() -> dict[str, tuple[str, Any, Option]]:
    """Return the options of all APIs by name: the first API that has it, its default, and how it is given."""
    options: dict[str, tuple[str, Any, Option]] = {}
    for api in servable():
        for field, default, option in flags(api_class(api).options):
            options.setdefault(field, (api, default, option))
    return options


def api_options(command: F) -> F:
    """Give the command the options of every API, in their order."""
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
@click.option("--api", type=OneOf([*servable(), "all"]), default="all", show_default=True, help="What to serve.")
@click.option("--profile", help="A revision of the API, such as lance/2026-03. Default: the newest.")
@click.option("--host", default=LOOPBACK, show_default=True, help="The address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    help=f"0 takes a free one. Default: {_ports()}.",
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
@api_options
@click.option(
    "--max-body",
    type=click.IntRange(1),
    default=64 << 20,
    show_default=True,
    help="The largest body in bytes.",
)
@click.option("--access-log", metavar="FILE", help="Write a JSON line per request; - is standard error.")
@click.option("--list-faults", is_flag=True, help="List the faults of what would be served, and exit.")
@click.option("--json", "as_json", is_flag=True, help="With --list-faults: print the list as JSON and nothing else.")
def serve_command(list_faults: bool, as_json: bool, api: str, profile: str | None, **options: Any) -> None:
    """Run the reference server: a mock of every API, in one process."""
    named = (profile,) if profile else () if api == "all" else (api,)
    if profile and api not in ("all", find_profile(profile).api):
        raise Problem(f"The profile {profile} does not belong to the API {api}.", "Leave one of them out.")
    if as_json and not list_faults:
        raise Problem("--json is for --list-faults.", "Leave it out, or give both.")
    if list_faults:
        show = print_faults_as_json if as_json else print_faults
        show([find_profile(name) for name in named or servable()])
    else:
        _serve(named, **options)


def _serve(named: tuple[str, ...], host: str, port: int | None, faults: tuple[str, ...], **rest: Any) -> None:
    """Serve APIs or a profile, all APIs if none is named, until a signal comes."""
    usual = find_profile(named[0]).facts.port if named else SHARED_PORT
    chosen = usual if port is None else port
    options = {field: value for field, (_, default, _) in _options().items() if (value := rest.pop(field)) != default}
    settings = ServerSettings(apis=named, host=host, port=chosen, faults=faults, options=options, **rest)
    if host not in LOOPBACKS:
        click.secho(f"Listening on {host}: others can reach this server.", fg="yellow", err=True)
    sys.setswitchinterval(SWITCH_SECONDS)
    stop: SimpleQueue[None] = SimpleQueue()  # its locks can be taken in a signal handler, those of an Event cannot

    def end(*_: object) -> None:
        stop.put(None)
        _end_in_time()

    interruptions.handle(end)
    register(SUITE_FAULTS)
    with Server(settings) as server:
        _announce(server)
        stop.get()


def _end_in_time() -> None:
    """End the process when the server does not: it may be starting, or in native code that cannot be interrupted."""
    watchdog = threading.Timer(STOP_SECONDS, os._exit, (0,))
    watchdog.daemon = True
    watchdog.start()


def _announce(server: Server) -> None:
    """Print the base URL of every API on one line: the sign that the server is ready."""
    click.echo("ready: " + "  ".join(f"{api} {url}" for api, url in server.urls.items()))
    sys.stdout.flush()
