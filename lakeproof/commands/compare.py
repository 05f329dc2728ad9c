"""Command `lakeproof compare`: the same requests to two servers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.text import Text

from conformance.after.comparing.mirror import Deviation
from conformance.after.comparing.runs import Change, Difference, differences, unexplained
from conformance.after.comparing.servers import Comparison, compare_answers
from conformance.after.comparing.sides import Side, by_side, difference
from conformance.after.runner import run
from conformance.report import check_report
from conformance.report.pretty import MOST_STEPS, step_lines
from conformance.run.choosing import shown_by
from conformance.run.reporting import Listener
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_FAILS, EXIT_INTERRUPTED
from conformance.values.results import Results
from conformance.values.settings import Settings, load_settings
from lakeproof.answering_api import load_before_api, shown_api
from lakeproof.command_line import command_line
from lakeproof.commands.diff import entry, print_differences
from lakeproof.commands.settings_options import CONNECTION, SELECTION, settings_options
from lakeproof.console import err, out
from lakeproof.options import check_may_write
from lakeproof.progress import ProgressListener
from lakeproof.shown_run import report_of, run_to_end, show_run
from specs.apis import apis

SUPPORTED: Mapping[Side, str] = {
    "A": "only A follows the document",
    "B": "only B follows the document",
    "neither": "neither follows the document",
    "open": "the document allows both, or no requirement tests it",
}
VERDICTS: Mapping[Change, str] = {
    "broken": "Passed by A, violated by B",
    "blocked": "Passed by A, blocked on B by another finding",
    "fixed": "Violated by A, passed by B",
    "changed": "Violated by both, in different ways",
    "appeared": "Violated by B, not tested on A",
    "gone": "Violated by A, not tested on B",
}
MOST_IDS = 3
EPILOG = """\b
Examples:
  lakeproof compare http://localhost:2333 http://localhost:2334 --api lance
  lakeproof compare http://old:8181 http://new:8181 --api iceberg -k iceberg.table
  lakeproof compare http://localhost:2333 http://localhost:2334 --depth deep --seed 7

B receives each request right after A, with names of its own. The comparison ignores ids,
times, locations, page tokens, and the order of lists unless the document promises one.
Each difference is reported once, with the fewest steps that show it (searched for at most
a minute), and so are operations that only one server has. Then B is tested alone.

The runs are reported in DIR/a and DIR/b. Exit codes: 0 no difference, 1 differences,
2 interrupted.
"""


@click.command("compare", epilog=EPILOG)
@click.argument("url_a")
@click.argument("url_b")
@settings_options(api=f"API of both: {', '.join(apis())}.  [default: the one that answers at URL_A]")
@settings_options("profile", warehouse="Warehouse to test on both.")
@settings_options("path_prefix")
@settings_options(token="Bearer token to send to both.", credential="Client credentials for getting tokens from both.")
@settings_options("header", "depth", "seed", jobs="Number of requirements tested in parallel when B is tested alone.")
@settings_options(*SELECTION, *CONNECTION, "report")
@click.option("--json", "as_json", is_flag=True, help="Print only the differences, as JSON.")
def compare_command(url_a: str, url_b: str, *, as_json: bool, **given: Any) -> int:
    """Send two servers the same requests, and show where their responses differ and which one follows the document."""
    command = command_line()
    first = {**given, "server": url_a}
    check_may_write(load_before_api(first), "a comparison")
    given |= shown_api(first)
    settings = load_settings({**given, "server": url_a})
    for name in ("a", "b"):
        check_report(Path(settings.report) / name)
    shown = shown_by(settings)
    if shown:  # one revision for both, whatever B shows
        given["profile"] = shown.profile.name
        err.print(Text(f"Both are tested against {shown.profile.name}: {shown.why}."), soft_wrap=True)
    other = load_settings({**given, "server": url_b})
    del given["report"]
    answers: list[Comparison] = []

    def both(settings: Settings, listener: Listener | None, **given: Any) -> tuple[Results, int]:
        results, code, comparison = compare_answers(settings, other, listener, **given)
        answers.append(comparison)
        return results, code

    runs = []
    for name, url, runner in (("a", url_a, both), ("b", url_b, run)):
        folder = str(Path(other.report) / name)
        with ProgressListener() as listener:
            asked = run_to_end(
                url, listener=listener, command=command, report=folder, expect="", runner=runner, **given
            )
        runs.append(asked.results)
        if asked.problem:
            return show_run(asked, as_json=as_json)
        if asked.results.run.interrupted or answers[0].interrupted:
            for deviation in answers[0].deviations if not as_json else ():
                _print_deviation(deviation)
            err.print(f"Interrupted. The run so far: {report_of(folder)}", soft_wrap=True)
            return EXIT_INTERRUPTED
    sides = by_side(answers[0].deviations, *runs)
    verdicts = unexplained(differences(*runs), answers[0].deviations)
    if as_json:
        entries = [_entry(deviation, side) for side, some in sides.items() for deviation in some]
        lacking = dict(zip("AB", answers[0].lacking, strict=True))
        told = {"lacking": lacking, "answers": entries, "verdicts": list(map(entry, verdicts))}
        click.echo(json.dumps(told, indent=2))
    else:
        _print(runs, sides, verdicts, answers[0])
    return EXIT_FAILS if answers[0].deviations or any(answers[0].lacking) or verdicts else EXIT_CONFORMS


def _print(
    runs: Sequence[Results],
    sides: Mapping[Side, Sequence[Deviation]],
    verdicts: Sequence[Difference],
    answers: Comparison,
) -> None:
    for letter, results in zip("AB", runs, strict=True):
        out.print(f"{letter}: {results.target.name} {results.target.server}".rstrip())
    out.print()
    for letters, names in zip(("AB", "BA"), answers.lacking, strict=True):
        if names:
            lacks = f"operations that only {letters[1]} has: {', '.join(names)}\n"
            out.print(Text(lacks, "yellow"), soft_wrap=True)
    for side, some in sides.items():
        if some:
            out.print(Text(_capital(SUPPORTED[side]), "bold"))
        for deviation in some:
            _print_deviation(deviation)
    out.print(_summary({side: len(some) for side, some in sides.items()}), soft_wrap=True)
    if answers.lost:
        out.print(Text(f"B did not receive all requests: {answers.lost}", "red"), soft_wrap=True)
    if verdicts:
        out.print(Text("\nVerdicts that differ without a difference above\n", "bold"))
        print_differences(verdicts, VERDICTS)


def _capital(words: str) -> str:
    return words[0].upper() + words[1:]


def _summary(counts: Mapping[Side, int]) -> str:
    """Return a sentence with the number of differences, by the server that follows the document."""
    total = sum(counts.values())
    if not total:
        return "The responses do not differ."
    parts = [f"{count:,} where {SUPPORTED[side]}" for side, count in counts.items() if count]
    return f"The responses differ in {total:,} way{'s' * (total > 1)}: {', '.join(parts)}."


def _print_deviation(deviation: Deviation) -> None:
    out.print(Text(f"  {difference(deviation)}", "yellow"), soft_wrap=True)
    names = list(deviation.requirements)
    more = f" and {len(names) - MOST_IDS} more" if len(names) > MOST_IDS else ""
    seen = "seen once, not reproduced: " if deviation.seen_once else ""
    out.print(Text(f"      {seen}{', '.join(names[:MOST_IDS])}{more}", "dim"), soft_wrap=True)
    shown = deviation.pairs[-MOST_STEPS:]
    for number, pair in enumerate(shown, len(deviation.pairs) - len(shown) + 1):
        (sent, first), (_, other) = (step_lines(exchange.to_step()) for exchange in pair)
        answers = f"A → {first}\n         B → {other}" if number == len(deviation.pairs) else f"→ {first}"
        out.print(Text(f"      {number}. {sent}\n         {answers}", "dim"), soft_wrap=True)
    out.print()


def _entry(deviation: Deviation, side: Side) -> dict[str, Any]:
    """Return a deviation as values of JSON."""
    spot, steps = deviation.spot, [[exchange.to_step() for exchange in pair] for pair in deviation.pairs]
    return {
        "side": side,
        "difference": difference(deviation),
        "place": spot.place,
        "kind": spot.kind,
        "operations": list(deviation.operations),
        "requirements": list(deviation.requirements),
        "seen_once": deviation.seen_once,
        "steps": [
            {
                name: msgspec.to_builtins(value)
                for name, value in (("request", a.request), ("a", a.response), ("b", b.response))
            }
            for a, b in steps
        ],
    }
