"""kill -9 under concurrent writers, again and again, judged by what the writers were answered."""

from __future__ import annotations

import sys
import tempfile
from itertools import chain
from pathlib import Path

import click

from tests.reference_server.crashes import Crashes, Tally
from tests.reference_server.iceberg.crashes import IcebergCrashes
from tests.reference_server.lance.crashes import LanceCrashes
from tests.reference_server.polaris.crashes import PolarisCrashes

APIS = {kind.api: kind for kind in (IcebergCrashes, LanceCrashes, PolarisCrashes)}
PROGRESS = 10
HEAD = ("api", "kills", "acknowledged", "lost", "torn", "left")


@click.command()
@click.option("--api", "apis", type=click.Choice(list(APIS)), multiple=True, help="Only this API; repeatable.")
@click.option("--count", default=999, show_default=True, help="How many kills, shared by the APIs.")
@click.option("--seed", type=int, help="Of the moments at which servers are killed.")
def kills(apis: tuple[str, ...], count: int, seed: int | None) -> None:
    """Kill servers under their writers, and tell what they had confirmed and what is lost of it.

    Exit code 1 if anything is lost, half done or left without an owner. An interrupt ends with what was found so far.
    """
    tallies: dict[str, Tally] = {}
    chosen = apis or tuple(APIS)
    with tempfile.TemporaryDirectory() as folder:
        for api in chosen:
            crashes = APIS[api](Path(folder) / api, seed)
            tallies[api] = crashes.tally
            try:
                _kill(crashes, count // len(chosen))
            except KeyboardInterrupt:
                break
            finally:
                crashes.kill()
    for line in chain([HEAD], (_row(api, tally) for api, tally in tallies.items())):
        click.echo("".join(f"{cell!s:>14}" for cell in line))
    sys.exit(any(tally.lost or tally.torn or tally.left for tally in tallies.values()))


def _kill(crashes: Crashes, count: int) -> None:
    seen = 0
    for number in range(1, count + 1):
        crashes.crash()
        tally = crashes.tally
        damage = [*tally.lost, *tally.torn, *tally.left]
        if len(damage) > seen or number % PROGRESS == 0:
            click.echo(f"{crashes.api}: {number} of {count} kills, {tally.acknowledged} writes acknowledged, {damage}")
        seen = len(damage)


def _row(api: str, tally: Tally) -> tuple[object, ...]:
    return (api, tally.kills, tally.acknowledged, len(tally.lost), len(tally.torn), len(tally.left))
