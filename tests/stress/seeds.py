"""The suite at deep depth, again and again with other seeds, on the reference server: every run has to be green.

Only what is drawn differs between seeds: the examples of requirements that draw some, and the worlds of the others.
Requirements that have neither are left out unless they are asked for.
"""

from __future__ import annotations

import random
import secrets
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import click

from conformance.after.runner import run
from conformance.run.drawn_worlds import may_vary
from conformance.values.requirement import Requirement
from conformance.values.resources import summary
from conformance.values.results import Results
from conformance.values.settings import load_settings
from conformance.values.verdict import FINDINGS
from lakeproof.checking import target_of
from specs.apis import apis
from tests.conformance.drawing import of_every_suite, with_needed

RED = (*FINDINGS, "error", "blocked")
MOST_SEED = 2**31
WHICH: Mapping[str, Callable[[Requirement], bool]] = {
    "drawn": lambda requirement: requirement.drawn or may_vary(requirement),
    "examples": lambda requirement: requirement.drawn,
    "worlds": may_vary,
    "all": lambda requirement: True,
}


@click.command()
@click.option("--api", "chosen", type=click.Choice(list(apis())), multiple=True, help="Only this API; repeatable.")
@click.option("--count", default=20, show_default=True, help="How many runs for each API.")
@click.option("--seed", type=int, help="The seed of the first run; the others are drawn.  [default: drawn]")
@click.option("--jobs", default=2, show_default=True, help="Test so many requirements at the same time.")
@click.option(
    "--storage", default="memory", show_default=True, help="Of the servers: memory, or dir:PATH for folders in it."
)
@click.option(
    "--which",
    type=click.Choice(list(WHICH)),
    default="drawn",
    show_default=True,
    help="Requirements that draw examples, those that may have drawn worlds, both, or all.",
)
@click.option(
    "--one-in",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Of these one in so many, drawn by the seed.",
)
@click.option("-k", "select", default="", help="Only such requirements.")
def seeds(
    chosen: tuple[str, ...],
    count: int,
    seed: int | None,
    jobs: int,
    storage: str,
    which: str,
    one_in: int,
    select: str,
) -> None:
    """Judge the reference server with drawn seeds. Exit code 1 at the first run that is not green, with its seed."""
    for api in chosen or tuple(apis()):
        for number in range(1, count + 1):
            own = secrets.randbelow(MOST_SEED) if seed is None or number > 1 else seed
            started = time.monotonic()
            place = _new(storage)
            wanted = {"api": api, "depth": "deep", "seed": own, "jobs": jobs, "storage": place, "select": select}
            results, code = _judged(wanted, _chosen(api, WHICH[which], own, one_in))
            minutes = (time.monotonic() - started) / 60
            red = _red(results)
            verdict = "red" if red or code else "green"
            tested = f"{len(results.requirements):,} requirements, {results.run.requests:,} requests, {minutes:.1f} min"
            click.echo(f"{api} {number} of {count}: seed {own}, {tested}: {verdict}")
            click.echo("".join(f"  {line}\n" for line in red), nl=False)
            if verdict == "red":
                again = ["--api", api, "--count", "1", "--seed", str(own), "--jobs", str(jobs), "--storage", storage]
                more = ["--which", which, "--one-in", str(one_in), *(["-k", select] if select else [])]
                click.echo(f"again: python -m tests.stress seeds {shlex.join([*again, *more])}")
                sys.exit(1)


def _new(storage: str) -> str:
    """Return the storage of a run: in a directory a folder that no run had."""
    return f"{storage}/{secrets.token_hex(6)}" if storage.startswith("dir:") else storage


def _chosen(api: str, which: Callable[[Requirement], bool], seed: int, one_in: int) -> set[str]:
    """Return the requirements that are chosen, of all suites that judge an API, and what they need."""
    known = of_every_suite(api)
    ids = sorted(entry.id for entry in known.values() if which(entry))
    return with_needed(set(random.Random(seed).sample(ids, len(ids) // one_in)), known)


def _judged(wanted: Mapping[str, object], ids: set[str]) -> tuple[Results, int]:
    """Run these requirements against a new server."""
    with tempfile.TemporaryDirectory(prefix="lakeproof-seeds-") as folder:
        settings = load_settings({**wanted, "report": folder}, environ={}, folder=Path(folder))
        with target_of(settings) as target:
            return run(target, ids=ids)


def _red(results: Results) -> list[str]:
    """Return the requirements that were not met or could not be tested, and the objects left behind."""
    judged = [
        f"{result.id}: {result.verdict}, {result.message}" for result in results.requirements if result.verdict in RED
    ]
    return [*judged, *(f"left behind: {line}" for line in summary(results.run.left_behind))]
