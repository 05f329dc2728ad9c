"""Commands for the project's developers: `python -m mutants` in a checkout measures the suite with faults."""

from __future__ import annotations

import click

from lakeproof.cli import run_command_line
from mutants.commands.clustering import clustering_command
from mutants.commands.measure import measure_command
from mutants.commands.noticed import noticed_command
from mutants.commands.publish import publish_command

EPILOG = """\b
Examples:
  python -m mutants measure --api lance --list    list the written faults
  python -m mutants measure --api lance --fault 'tag*'
  python -m mutants noticed lance.namespace.create.conflict
  python -m mutants clustering --api lance
  python -m mutants publish mutants/results       write the pages of the folder
"""


@click.group(epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def mutants() -> None:
    """Measure the suite with known faults of the reference server."""


for _command in (measure_command, noticed_command, clustering_command, publish_command):
    mutants.add_command(_command)


if __name__ == "__main__":
    run_command_line(mutants)
