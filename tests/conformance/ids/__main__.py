"""Add new ids of requirements to the lists, or freeze the sets of a date: `python -m tests.conformance.ids`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from conformance.apis import requirements
from conformance.run.frozen import frozen, set_file
from conformance.values.settings import SUITES
from specs.apis import apis
from tests.conformance.ids import frozen_ids, known_ids, list_of, listed_ids


@click.command()
@click.option("--freeze", metavar="DATE", help="Write the requirement sets of a date too, such as 2026-11.")
def main(freeze: str | None) -> None:
    """Write the ids of all requirements that no set has; a set of a date has their levels, too."""
    for api in apis():
        known, ids = requirements(api), known_ids(api)
        if gone := sorted(listed_ids(api) - ids):
            raise click.ClickException(
                f"No requirement has the id {gone[0]} any more: name those that say the same in former_ids.toml."
            )
        if freeze:
            write(set_file(api, freeze), (f"{id} {known[id].level}" for id in ids))
            frozen.cache_clear()
        write(list_of(api), ids - frozen_ids(api))
    if freeze and freeze not in SUITES:
        click.echo(f"Add {freeze} to SUITES in conformance/values/settings.py.")


def write(path: Path, lines: Iterable[str]) -> None:
    """Write lines to a file, sorted."""
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in sorted(lines)))


if __name__ == "__main__":
    main()
