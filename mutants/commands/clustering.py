"""Command `clustering`: causes measured against known faults."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import click
import msgspec

from lakeproof.console import out, table_of
from lakeproof.options import OneOf, checked
from mutants.clustering import Measure, labels_of, measure
from mutants.clustering_page import COLUMNS, Measured, measured_file, score_cells, scores_of, write_measured
from mutants.trials import Choice, Trial, TrialFile, broad, choose
from mutants.trying import Trying
from reference_server.faults import find_fault
from specs.apis import apis, default_api
from specs.problems import Problem
from specs.profiles import find_profile
from specs.writing import check_writable, written

EPILOG = """\b
Examples:
  python -m mutants clustering --api lance --alone 10 --draws 5
  python -m mutants clustering --api iceberg --fault 'scan-*' --draws 0
  python -m mutants clustering --api polaris --jobs 2 --trials trials --keep mutants/results
  python -m mutants publish mutants/results     write the pages of the folder

Finding the causes of --trials again takes seconds; each trial is a whole run of the suite.
"""


@click.command("clustering", epilog=EPILOG)
@click.option("--api", type=OneOf(list(apis())), default=default_api(), show_default=True, help="API to measure.")
@click.option("--fault", "patterns", multiple=True, metavar="PATTERN", help="Only matching faults; repeatable.")
@click.option("--alone", type=click.IntRange(1), default=40, show_default=True, help="Number of faults shown alone.")
@click.option(
    "--draws", type=click.IntRange(0), default=40, show_default=True, help="Number of draws of three of them."
)
@click.option("--seed", default=0, help="Random seed of faults and draws.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Number of processes.")
@click.option("--trials", type=click.Path(path_type=Path), metavar="DIR", help="Save findings here; reuse saved ones.")
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Save the measurement here.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per trial.")
@checked
def clustering_command(
    api: str,
    patterns: tuple[str, ...],
    alone: int,
    draws: int,
    seed: int,
    jobs: int,
    trials: Path | None,
    keep: Path | None,
    as_json: bool,
) -> None:
    """Measure the causes of findings, with known faults as the truth.

    A seeded draw chooses faults of the embedded reference server that many requirements notice. Each is shown to the
    whole suite alone, which labels its findings, and three are shown at once. One fault should make one cause, whose
    sentence names its operation, and one cause should have the findings of one fault alone.
    """
    names = [name for name in broad(api) if not patterns or any(fnmatchcase(name, given) for given in patterns)]
    if not names:
        raise Problem(
            f"No fault of {api} matches these options.", f"`python -m mutants measure --api {api} --list` lists them."
        )
    document = find_profile(api).document()
    operations = {name: find_fault(name, [document]).operations for name in names}
    choice = choose(api, operations, alone=alone, draws=draws, seed=seed)
    path = measured_file(keep, api) if keep else None
    file = TrialFile.of(trials, api) if trials else None
    for place in filter(None, (path, file.path if file else None)):
        with written(place, "Give another folder."):
            check_writable(place.parent, [place.name])
    trying = Trying(choice, jobs, keep=[file.add] if file else [], known=file.read() if file else {})
    measured = _measured(trying)
    if path:
        write_measured(path, measured)
    if as_json:
        for entry in (*measured.alone, *measured.several):
            click.echo(msgspec.json.encode(entry))
    else:
        _print(measured)


def _measured(trying: Trying) -> Measured:
    alone = trying.try_alone()
    several, choice = trying.try_several(), trying.choice
    return Measured(
        how=f"{len(alone)} faults alone, {len(several)} draws, seed {choice.seed}",
        alone=_measures(alone.values(), alone, choice),
        several=_measures(several, alone, choice),
    )


def _measures(trials: Iterable[Trial], alone: Mapping[str, Trial], choice: Choice) -> list[Measure]:
    return [measure(trial, labels_of(trial, alone), choice.operations) for trial in trials]


def _print(measured: Measured) -> None:
    """Print the faults of each trial, below them the causes if they are not one per fault, and the scores."""
    for entry in (*measured.alone, *measured.several):
        cards = [card for card in entry.cards if card.findings]
        wrong = any(card.others or card.untrue for card in cards) or len(cards) != len(entry.causes_of)
        style = "yellow" if wrong else "green"
        count = f"{len(cards)} cause{'s' * (len(cards) != 1)}"
        out.print(f"[{style}]{', '.join(entry.faults)}[/] {count} ({entry.seconds} s)", soft_wrap=True)
        for card in cards if wrong else ():
            of = f" ({', '.join(filter(None, (card.label, *card.others)))})" if entry.faults[1:] else ""
            untrue = f"; not so: {', '.join(card.untrue)}" if card.untrue else ""
            out.print(f"  {card.findings}{of}: {card.sentence}{untrue}", soft_wrap=True, markup=False)
    table = table_of("faults", *COLUMNS)
    for name, scored in scores_of(measured).items():
        table.add_row(name, *score_cells(scored))
    out.print(table)
