"""Options of a server: those that `serve` and `lint-client` share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from lakeproof.options import OneOf
from reference_server.lifetimes import PLAN_SECONDS, STATUSES, TOKEN_SECONDS
from reference_server.options import Option, flags
from reference_server.rules.text import read_rules
from reference_server.serve import LOOPBACK, ServerSettings, options_of, servable
from specs.apis import SHARED_PORT, apis
from specs.problems import Problem
from specs.profiles import find_profile

F = TypeVar("F", bound=Callable[..., Any])


def _ports() -> str:
    """Return the default ports of `serve`: of each API with its own port, and of all others."""
    own = [f"{api.port} for {name} alone" for name, api in apis().items() if api.port != SHARED_PORT]
    return ", ".join([*own, f"else {SHARED_PORT}"])


def _options() -> dict[str, tuple[str, Any, Option]]:
    """Return the options of every API by name: the first API that has the option, its default, its description."""
    options: dict[str, tuple[str, Any, Option]] = {}
    for api in servable():
        for field, default, option in flags(options_of(api)):
            options.setdefault(field, (api, default, option))
    return options


def _option(api: str, field: str, default: Any, option: Option) -> Callable[[F], F]:
    kinds: dict[str, Any] = {"is_flag": True} if default is False else {"metavar": option.metavar, "default": default}
    if isinstance(default, tuple):
        kinds = {"metavar": option.metavar, "multiple": True}
    if option.choices:
        kinds |= {"type": OneOf(option.choices), "show_default": option.show_default}
    return click.option(option.flag, field, help=f"{api.capitalize()}: {option.help}", **kinds)


def _lifetime(flag: str, help: str, default: int | None = None) -> Callable[[Any], Any]:
    """Return an option with a number of seconds."""
    return click.option(flag, type=click.IntRange(0), default=default, show_default=True, metavar="SECONDS", help=help)


OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option("--api", type=OneOf([*servable(), "all"]), default="all", show_default=True, help="API to serve."),
    click.option("--profile", help="Revision of the API, such as lance/0.11.  [default: the default of the API]"),
    click.option("--host", default=LOOPBACK, show_default=True, help="Address to listen on."),
    click.option(
        "--port",
        type=click.IntRange(0, 65535),
        help=f"Port to listen on; 0 takes a free port.  [default: {_ports()}]",
    ),
    click.option(
        "--storage",
        default="memory",
        show_default=True,
        help="Storage: memory, memory:pure or dir:PATH (see below).",
    ),
    click.option(
        "--auth",
        default="none",
        show_default=True,
        help="Authentication of clients: none, token:VALUE (bearer token or API key) or oauth:ID:SECRET "
        "(Iceberg issues tokens).",
    ),
    _lifetime("--token-lifetime", "Lifetime of the tokens that the server issues.", TOKEN_SECONDS),
    click.option(
        "--expired-status",
        type=click.IntRange(400, 499),
        default=STATUSES[0],
        show_default=True,
        metavar="STATUS",
        help="Status for an expired token: 401 or 419.",
    ),
    _lifetime("--credential-lifetime", "Lifetime of vended credentials for storage.  [default: up to an hour]"),
    _lifetime("--plan-lifetime", "Lifetime of scan plans.", PLAN_SECONDS),
    click.option(
        "--fault",
        "faults",
        multiple=True,
        metavar="RULE",
        help="Rule, or the name of a fault (see below); repeatable.",
    ),
    click.option("--rules", "rules_file", metavar="FILE", help="Rules of a YAML or JSON file, after those of --fault."),
    click.option(
        "--without",
        multiple=True,
        metavar="NAME[: FORM]",
        help="Operation or group of operations that the server lacks; repeatable.",
    ),
    click.option("--like", multiple=True, metavar="PRESET", help="Kind of catalog, see --list-presets; repeatable."),
    click.option("--seed", metavar="FILE", help="Plant the content that a YAML or JSON file describes."),
    click.option(
        "--allow-faults", is_flag=True, help="Let a request choose its faults with the header X-Lakeproof-Fault."
    ),
    click.option(
        "--strict-requests",
        is_flag=True,
        help="Reject fields and query parameters that the document does not declare.",
    ),
    click.option(
        "--page-size",
        type=click.IntRange(1),
        default=1000,
        show_default=True,
        help="Largest page of a listing.",
    ),
    click.option(
        "--tls",
        default="",
        metavar="FILE",
        help="Serve HTTPS: self-signed (a certificate of its own), or the PEM file of a certificate and its chain.",
    ),
    click.option("--tls-key", default="", metavar="FILE", help="PEM file of the key, if --tls does not contain it."),
    click.option(
        "--tls-ca", default="", metavar="FILE", help="With --tls self-signed: write the authority to trust into FILE."
    ),
    *(_option(api, field, default, option) for field, (api, default, option) in _options().items()),
    click.option(
        "--max-body",
        type=click.IntRange(1),
        default=64 << 20,
        show_default=True,
        help="Largest request body, in bytes.",
    ),
    click.option("--access-log", metavar="FILE", help="Write one JSON line per request; - is standard error."),
)


def server_options(command: F) -> F:
    """Add the options of a server and of every API to a command, in their order."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def named_apis(api: str, profile: str | None) -> tuple[str, ...]:
    """Return the API or profile that the options name, none for all APIs. Raises Problem for two that disagree."""
    if profile and api not in ("all", find_profile(profile).api):
        raise Problem(f"--profile {profile} is not a revision of --api {api}.", "Leave one of them out.")
    return (profile,) if profile else () if api == "all" else (api,)


def settings_of(named: tuple[str, ...], rules_file: str | None, **given: Any) -> ServerSettings:
    """Return the settings of a server that the options describe. Raises Problem for a file that cannot be read."""
    options = {name: value for name, (_, default, _) in _options().items() if (value := given.pop(name)) != default}
    rules = tuple(read_rules(Path(rules_file))) if rules_file else ()
    return ServerSettings(apis=named, rules=rules, options=options, **given)
