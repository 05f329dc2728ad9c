"""The `lakeproof` command: what is common to all commands, and nothing else."""

from __future__ import annotations

import sys
from importlib.metadata import version

import click
from rich.console import Console
from rich.text import Text

from conformance.results import EXIT_INTERRUPTED, EXIT_USAGE
from lakeproof.commands.check import check_command
from lakeproof.commands.coverage import coverage_command
from lakeproof.commands.explain import explain_command
from lakeproof.commands.report import report_command
from lakeproof.commands.serve import serve_command
from lakeproof.commands.spec import spec_group
from specs.problems import Problem

EPILOG = """\b
Examples:
  lakeproof check                               judge the embedded reference server
  lakeproof check http://localhost:2333         judge a Lance Namespace server
  lakeproof serve --api lance                   run a mock on http://127.0.0.1:2333
  lakeproof explain lance.namespace.create.conflict
  lakeproof spec show CreateTable

\b
Exit codes: 0 conforms, 1 does not, 2 interrupted, 3 the kit failed,
4 wrong usage or no server there, 5 nothing was selected.
"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(version("lakeproof"), prog_name="lakeproof")
def lakeproof() -> None:
    """Judge lakehouse catalogs, and mock them: Lance Namespace today."""


for command in (serve_command, check_command, coverage_command, explain_command, report_command, spec_group):
    lakeproof.add_command(command)


def main() -> None:
    """Run the command line and exit with its code."""
    try:
        code = lakeproof.main(standalone_mode=False)
    except Problem as problem:
        code = complain(problem.message, problem.hint)
    except click.ClickException as error:
        hint = f"See `{error.ctx.command_path} --help`." if isinstance(error, click.UsageError) and error.ctx else ""
        code = complain(error.format_message(), hint)
    except (click.Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    sys.exit(code if isinstance(code, int) else 0)


def complain(message: str, hint: str) -> int:
    """Say what is wrong and what to do about it; return the exit code for that."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(Text("lakeproof: ", "bold red").append(message, "default"))
    if hint:
        console.print(Text(f"           {hint}", "dim"))
    return EXIT_USAGE
