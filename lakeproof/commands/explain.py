"""Command `lakeproof explain`: one requirement."""

from __future__ import annotations

import difflib

import click
from rich.syntax import Syntax
from rich.table import Table

from conformance.former_ids import is_former, present_ids
from conformance.run.requirement_index import Declared, index_of
from lakeproof.console import out
from spark_tests.scenarios import PACKAGE, SUITE
from specs.apis import apis
from specs.clauses import clauses
from specs.problems import Problem


@click.command("explain", epilog="Example: lakeproof explain lance.namespace.create.conflict")
@click.argument("requirement_id", metavar="REQUIREMENT")
def explain_command(requirement_id: str) -> None:
    """Show a requirement: its statement, its clause, and its test."""
    entry = find_requirement(requirement_id)
    requirement = entry.requirement
    clause = clauses(requirement.suite)[requirement.clause]
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(overflow="fold")  # so that a link can be copied
    grid.add_row("level", requirement.level)
    grid.add_row("kind", requirement.kind)
    grid.add_row("operations", ", ".join(requirement.operations))
    grid.add_row("clause", f"{clause.id}: {clause.text}")
    grid.add_row("source", clause.source)
    grid.add_row("place", "\n".join(clause.place) or "not stated in the norms")
    out.print(f"[bold]{requirement.id}[/]\n{requirement.statement}\n")
    out.print(grid)
    out.print()
    source = entry.source()
    out.print(Syntax(source, "python", background_color="default").highlight(source), end="")


def find_requirement(requirement_id: str) -> Declared:
    """Return a requirement by its id. Raises Problem, with similar ids, for an unknown id."""
    suite, _, rest = requirement_id.partition(".")
    api = rest.partition(".")[0] if suite == SUITE else suite
    known = _requirements(api) if api in apis() else {}
    if requirement_id in known:
        return known[requirement_id]
    if is_former(requirement_id):
        present = ", ".join(present_ids(requirement_id))
        raise Problem(f"{requirement_id} is the id of an older kit.", f"Now these say the same: {present}.")
    known = {name: entry for api in apis() for name, entry in _requirements(api).items()}
    near = (
        difflib.get_close_matches(requirement_id, known, n=3) or [name for name in known if requirement_id in name][:3]
    )
    hint = f"Did you mean {', '.join(near)}?" if near else "`lakeproof list` shows all ids."
    raise Problem(f"Unknown requirement {requirement_id!r}.", hint)


def _requirements(api: str) -> dict[str, Declared]:
    """Return the requirements and scenarios of an API, by id."""
    return index_of(f"conformance.{api}", api) | index_of(f"{PACKAGE}.{api}", SUITE)
