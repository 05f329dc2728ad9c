"""Add new ids of requirements to the lists, or freeze the sets of a date: `python -m tests.conformance.ids`."""

from __future__ import annotations

import click

from conformance.apis import requirements
from conformance.run.frozen import set_file
from conformance.values.settings import SUITES
from specs.apis import apis
from tests.conformance.ids import known_ids, list_of, listed_ids


@click.command()
@click.option("--freeze", metavar="DATE", help="Write the requirement sets of a date instead, such as 2026-11.")
def main(freeze: str | None) -> None:
    """Write the ids of all requirements; a set of a date has their levels, too."""
    for api in apis():
        known = requirements(api)
        if freeze:
            lines = [f"{id} {known[id].level}" for id in known_ids(api)]
        else:
            lines = list(listed_ids(api) | known_ids(api))
        path = set_file(api, freeze) if freeze else list_of(api)
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in sorted(lines)))
    if freeze and freeze not in SUITES:
        click.echo(f"Add {freeze} to SUITES in conformance/values/settings.py.")


if __name__ == "__main__":
    main()
