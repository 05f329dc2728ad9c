"""Command `noticed`: the faults that make a requirement fail."""

from __future__ import annotations

import click

from lakeproof.commands.explain import find_requirement
from mutants.noticed import FILE, SCENARIOS, faults_noticed_by, noticed_file, read_noticed
from spark_tests.scenarios import SUITE


@click.command("noticed", epilog="Example: python -m mutants noticed lance.namespace.create.conflict")
@click.argument("requirement_id", metavar="REQUIREMENT")
def noticed_command(requirement_id: str) -> None:
    """List the faults that a requirement notices, one per line."""
    requirement = find_requirement(requirement_id).requirement
    file = noticed_file(requirement.api, SCENARIOS if requirement.suite == SUITE else FILE)
    for fault in faults_noticed_by(requirement.id, read_noticed(file)):
        click.echo(fault)
