"""`lakeproof compare`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from conformance.comparison import Change, differences
from conformance.exit_codes import EXIT_CONFORMS, EXIT_FAILS
from conformance.settings import DEFAULT_REPORT, DEPTHS
from lakeproof.checking import check
from lakeproof.command_line import without_secrets
from lakeproof.commands.check import SECRET_OPTIONS
from lakeproof.commands.connection_options import connection_options
from lakeproof.commands.diff import entry, print_differences
from lakeproof.commands.selection_options import selection_options
from lakeproof.terminal import ProgressListener, out
from specs.apis import apis, default_api

TITLES: Mapping[Change, str] = {
    "broken": "Only A keeps to the document",
    "mended": "Only B keeps to the document",
    "changed": "Neither does, each in its own way",
    "appeared": "Only B was tested, and is broken",
    "gone": "Only A was tested, and is broken",
}
EPILOG = """\b
Examples:
  lakeproof compare http://localhost:2333 http://localhost:2334 --api lance
  lakeproof compare http://old:8181 http://new:8181 --api iceberg -k iceberg.table --jobs 4
  lakeproof compare http://localhost:2333 http://localhost:2334 --depth deep --seed 7

\b
Both servers get the same requests, but for names and for what they made up themselves.
The runs are reported in DIR/a and DIR/b. Exit codes: 0 no difference, 1 there are some.
"""


@click.command("compare", epilog=EPILOG)
@click.argument("url_a")
@click.argument("url_b")
@click.option("--api", type=click.Choice([*apis()]), help=f"What the servers speak.  [default: {default_api()}]")
@click.option("--profile", help="A revision of the API, such as lance/2026-03. Default: the newest.")
@click.option("--warehouse", metavar="NAME", help="The warehouse to ask Iceberg catalogs for.")
@click.option("--token", help="Send this bearer token to both.")
@click.option("--credential", metavar="ID:SECRET", help="Get tokens from both Iceberg catalogs for this.")
@click.option("--header", "headers", multiple=True, metavar="'NAME: VALUE'", help="Send this header to both.")
@click.option("--depth", type=click.Choice(list(DEPTHS)), help="How many examples to draw.  [default: gate]")
@click.option("--seed", type=int, help="Where deep runs start.")
@click.option("--jobs", type=int, metavar="N", help="Test so many requirements at the same time.  [default: 1]")
@selection_options
@connection_options
@click.option("--report", default=DEFAULT_REPORT, show_default=True, metavar="DIR", help="Where the reports go.")
@click.option("--json", "as_json", is_flag=True, help="Print the differences as JSON and nothing else.")
def compare_command(url_a: str, url_b: str, report: str, *, as_json: bool, **given: Any) -> int:
    """Test two servers in the same way, and say which of them keeps to the document where they differ."""
    given = {name: value if value != () else None for name, value in given.items()}
    command = without_secrets(["lakeproof", *sys.argv[1:]], SECRET_OPTIONS)
    runs = []
    for name, url in (("a", url_a), ("b", url_b)):
        folder = str(Path(report) / name)
        with ProgressListener() as listener:
            runs.append(check(url, listener=listener, command=command, report=folder, expect="", **given)[0])
    found = differences(*runs)
    if as_json:
        click.echo(json.dumps(list(map(entry, found)), indent=2))
    else:
        for letter, run in zip("AB", runs, strict=True):
            out.print(f"{letter}: {run.target.name} {run.target.server}".rstrip())
        out.print()
        print_differences(found, TITLES)
    return EXIT_FAILS if found else EXIT_CONFORMS
