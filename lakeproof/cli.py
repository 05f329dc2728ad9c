"""Command group `lakeproof`: the parts that all commands share, and nothing else."""

from __future__ import annotations

import ast
import gc
import importlib
import io
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn

import click

from conformance.values.exit_codes import EXIT_INTERRUPTED, EXIT_USAGE
from conformance.values.settings import ENV_PREFIX, SERVE, check_variables
from conformance.values.visible import visible
from lakeproof import interruptions
from specs.problems import Problem, did_you_mean
from specs.writing import OF_THE_DISK, not_written

HERE = Path(__file__).parent
COLLECT_AFTER = (20_000, 20, 20)
"""Thresholds of the garbage collector: with Python's own, it spends a tenth of a run on documents and schemas."""
COMMANDS = {
    "serve": "serve_command",
    "lint-client": "lint_client_command",
    "check": "check_command",
    "list": "list_command",
    "coverage": "coverage_command",
    "expect": "expect_command",
    "explain": "explain_command",
    "diff": "diff_command",
    "compare": "compare_command",
    "matrix": "matrix_command",
    "report": "report_command",
    "repro": "repro_command",
    "spec": "spec_group",
    "spark": "spark_command",
    "race": "race_command",
    "warehouse": "warehouse_group",
}
EPILOG = """\b
Examples:
  lakeproof check                         test the embedded reference server
  lakeproof check http://localhost:2333   test a server; the run finds its API
  lakeproof serve --api lance             run a mock on http://127.0.0.1:2333
  lakeproof explain lance.namespace.create.conflict
  lakeproof spec show CreateTable

Exit codes: 0 conforms, 1 does not conform, 2 interrupted, 3 error of the kit,
4 wrong usage or unreachable server, 5 nothing selected.
"""


class LazyGroup(click.Group):
    """Command group that imports a command when it is called: `serve` does not wait for the imports of `check`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import and return a command, None for an unknown name. Raises Problem for an unknown variable."""
        if cmd_name not in COMMANDS:
            return None
        check_environment(os.environ)
        command: click.Command = _command(cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a command line. Raises Problem for an unknown command, with the nearest name."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise Problem(f"Unknown command {args[0]!r}.", did_you_mean(args[0], COMMANDS, most=1))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with the first sentences of their help, read from their sources: importing them is slow."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, _first_sentence(name)) for name in self.list_commands(ctx)])


def _command(name: str) -> Any:
    """Import a command and return it."""
    return getattr(importlib.import_module(f"lakeproof.commands.{_module(name)}"), COMMANDS[name])


def _module(command: str) -> str:
    return command.replace("-", "_")


def _first_sentence(command: str) -> str:
    """Return the first sentence of a command's help."""
    source = (HERE / "commands" / f"{_module(command)}.py").read_text(encoding="utf-8")
    functions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    node = next(node for node in functions if node.name == COMMANDS[command])
    return (ast.get_docstring(node) or "").partition("\n\n")[0].replace("\n", " ").partition(". ")[0].rstrip(".") + "."


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="lakeproof", prog_name="lakeproof")
def lakeproof() -> None:
    """Test and mock lakehouse catalogs: Lance Namespace, Iceberg REST and Apache Polaris."""


def main() -> None:
    """Run the command line and exit with its code."""
    run_command_line(lakeproof)


def run_command_line(group: click.Group) -> NoReturn:
    """Run a group of commands with the arguments of this process, and exit with the code that the command returns."""
    gc.set_threshold(*COLLECT_AFTER)
    interruptions.handle(signal.default_int_handler)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace" if stream is sys.stderr else "replace")
    try:
        code = group.main(standalone_mode=False)
        sys.stdout.flush()
    except Problem as problem:
        code = complain(problem.message, problem.hint)
    except click.ClickException as error:
        hint = f"See `{error.ctx.command_path} --help`." if isinstance(error, click.UsageError) and error.ctx else ""
        code = complain(error.format_message(), hint)
    except (click.Abort, KeyboardInterrupt):
        code = EXIT_INTERRUPTED
    except OSError as error:
        if error.errno not in OF_THE_DISK:
            raise
        refused = not_written(error.filename or "The output", error, "Free some space, or write to another place.")
        code = complain(refused.message, refused.hint)
    sys.exit(code if isinstance(code, int) else 0)


def check_environment(environ: Mapping[str, str]) -> None:
    """Raise Problem for a variable LAKEPROOF_... that no command reads."""
    check_variables(environ)
    if any(name.startswith(f"{ENV_PREFIX}{SERVE}_".upper()) for name in environ):
        _command(SERVE).check_variables(environ)


def complain(message: str, hint: str) -> int:
    """Print a problem and its hint to standard error, and return the exit code of wrong usage."""
    coloured = False if os.environ.get("NO_COLOR") else None
    click.echo(click.style("lakeproof: ", "red", bold=True) + visible(message), err=True, color=coloured)
    if hint:
        click.echo(click.style(f"           {visible(hint)}", dim=True), err=True, color=coloured)
    return EXIT_USAGE
