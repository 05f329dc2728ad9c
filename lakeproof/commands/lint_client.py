"""Command `lakeproof lint-client`: a client's own tests against the mock, with notes about all requests."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from conformance.report.pages import check_page, write_page
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS, EXIT_NOTHING
from lakeproof.commands.server_options import named_apis, server_options, settings_of
from lakeproof.console import err, out, table_of
from lakeproof.lint.pages import NAME, about, headline, render, request_line
from lakeproof.lint.running import run_tests

EPILOG = """\b
Examples:
  lakeproof lint-client --api iceberg -- pytest tests/integration
  lakeproof lint-client --api iceberg --port 8181 -- go test ./catalog/rest
  lakeproof lint-client --api iceberg --fault 'updateTable: 503 x2' -- ./gradlew test

\b
COMMAND finds the server in its environment:
  LAKEPROOF_ICEBERG_URL, LAKEPROOF_LANCE_URL, LAKEPROOF_POLARIS_URL
  LAKEPROOF_CONTROL_URL         for rules and tenants (/_lakeproof below it)

DIR receives lint.json and lint.html. Exit codes: 0 nothing violates a MUST, 1 a request
does (with --strict also a SHOULD), or COMMAND failed, 5 no request arrived.
"""


@click.command("lint-client", epilog=EPILOG)
@server_options
@click.option("--strict", is_flag=True, help="Fail when a request violates a SHOULD.")
@click.option(
    "--report",
    type=click.Path(path_type=Path),
    default=Path("lakeproof-report"),
    show_default=True,
    metavar="DIR",
    help="Directory of the report.",
)
@click.option("--json", "as_json", is_flag=True, help="Print only the report, as JSON.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
def lint_client_command(
    command: tuple[str, ...],
    *,
    api: str,
    profile: str | None,
    port: int | None,
    strict: bool,
    report: Path,
    as_json: bool,
    **given: Any,
) -> int:
    """Run a client's own tests, COMMAND, against the mock, and report what its requests do wrong."""
    check_page(report, NAME)
    settings = settings_of(named_apis(api, profile), port=port or 0, **given)
    ran = run_tests(command, settings, sys.stderr if as_json else None)
    shown = ran.as_json()
    paths = write_page(report, NAME, shown, render(shown))
    if as_json:
        click.echo(json.dumps(shown))
    else:
        _print(shown)
        out.print(f"report: {paths['html']}", soft_wrap=True)
    if ran.code:
        err.print(f"The command ended with {ran.code}.")
    if not ran.lint.requests:
        err.print("No request arrived: the command has to use the URLs in its environment, see --help.")
        return EXIT_NOTHING
    return EXIT_FAILS if ran.code or ran.lint.fails(strict=strict) else EXIT_CONFORMS


def _print(report: dict[str, Any]) -> None:
    out.print(headline(report))
    table = table_of("level", "requests", "operation, part", "note", "rule", "example")
    for finding in report["findings"]:
        table.add_row(
            finding["level"],
            f"{finding['count']:,}",
            about(finding),
            finding["text"],
            finding["rule"],
            request_line(finding["example"]),
        )
    if report["findings"]:
        out.print(table)
