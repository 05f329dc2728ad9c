"""`python -m tests.stress`: what the tests do a few times, as often as you like, with figures of what came of it."""

from __future__ import annotations

import click

from tests.stress.hostile import requests
from tests.stress.kills import kills
from tests.stress.seeds import seeds
from tests.stress.waits import waits


@click.group()
def main() -> None:
    """Put the reference server under stress."""


main.add_command(kills)
main.add_command(requests)
main.add_command(waits)
main.add_command(seeds)

if __name__ == "__main__":
    main()
