"""Run Iceberg's REST compatibility kit against a server.

    python -m peers.iceberg_java.rck http://127.0.0.1:8181 -D warehouse=default -D rck.requires-namespace-create=true

Exit codes are those of `lakeproof check`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import click

from conformance.values.exit_codes import EXIT_INTERRUPTED
from lakeproof.cli import complain
from lakeproof.console import out
from peers.iceberg_java.judging import judge, only_option, show
from specs.problems import Problem

REPORT = Path("lakeproof-report") / "rck"
EPILOG = """\b
Every -D is a property of the kit or of Iceberg's client, for example:
  -D warehouse=NAME                       the warehouse, else rck_warehouse
  -D credential=ID:SECRET -D scope=NAME   for a server with OAuth2
  -D rck.requires-namespace-create=true   create namespaces before tables
  -D rck.supports-names-with-dot=true     also test names with a dot
  -D rck.supports-serverside-retry=false  the server does not merge commits

The catalog must be empty: objects of an earlier run fail the next one.
Some tests read the tables' files, so server and kit must share a file system.
"""


@click.command("rck", epilog=EPILOG)
@click.argument("url")
@click.option("--out", "folder", type=click.Path(path_type=Path), default=REPORT, show_default=True, help="The report.")
@click.option("-D", "pairs", multiple=True, metavar="KEY=VALUE", help="Property, see below; repeatable.")
@only_option
@click.option("--name", default="", help="Name of the server in the report.")
@click.option(
    "--seconds", type=click.FloatRange(min=1), default=1800.0, show_default=True, help="Time limit of the run."
)
def rck(url: str, folder: Path, pairs: tuple[str, ...], only: tuple[str, ...], name: str, seconds: float) -> int:
    """Run Iceberg's compatibility kit against the server at URL, and write reports like `lakeproof check`."""
    results = judge(url, parse_properties(pairs), folder, name=name, only=only, seconds=seconds)
    show(results)
    out.print(f"report: {folder / 'report.html'}", soft_wrap=True)
    return results.exit_code()


def parse_properties(pairs: tuple[str, ...]) -> dict[str, str]:
    """Parse the -D options. Raises Problem for an option without a name or a value."""
    properties = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not name or not equals:
            raise Problem(f"-D {pair!r} has no value.", "Write it as -D name=value.")
        properties[name] = value
    return properties


def run_command(command: click.Command) -> None:
    """Run a command and exit with its code; print a Problem without a traceback."""
    try:
        code = command.main(standalone_mode=False)
    except Problem as problem:
        code = complain(problem.message, problem.hint)
    except click.ClickException as error:
        code = complain(error.format_message(), "See --help.")
    except (click.Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    sys.exit(code)


if __name__ == "__main__":
    run_command(rck)
