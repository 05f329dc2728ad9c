"""The options of every command that talks to a server: how long it may take, and how TLS is done."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])
OPTIONS = (
    click.option("--timeout", type=float, help="Seconds for a whole request and its answer.  [default: 30]"),
    click.option("--max-time", type=float, help="Seconds for the whole run; what was judged by then is reported."),
    click.option("--wait", type=float, help="Seconds to wait for a server that is not up yet."),
    click.option("--ca", metavar="FILE", help="The authorities that sign the server's certificate (PEM)."),
    click.option("--insecure", is_flag=True, default=None, help="Take any certificate."),
    click.option("--cert", metavar="FILE", help="The client's certificate (PEM)."),
    click.option("--key", metavar="FILE", help="The key of the client's certificate, if it is in another file."),
    click.option("--leave-behind", is_flag=True, default=None, help="Go on where a server cannot drop what it makes."),
)


def connection_options(command: F) -> F:
    """Give a command the options about its connections."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command
