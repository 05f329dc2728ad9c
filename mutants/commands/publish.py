"""Command `publish`: the pages about measured faults."""

from __future__ import annotations

from pathlib import Path

import click

from lakeproof.console import out
from mutants.page import publish_mutants
from mutants.to_notice import to_notice


@click.command("publish", epilog="Example: python -m mutants publish mutants/results")
@click.argument("folder", type=click.Path(path_type=Path))
def publish_command(folder: Path) -> None:
    """Write the pages of a folder of measurements, made with --keep."""
    out.print("\n".join(map(str, publish_mutants(folder, to_notice()))), soft_wrap=True)
