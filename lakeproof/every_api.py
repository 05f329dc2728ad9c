"""`lakeproof check` of the embedded server with all APIs: a run for each, and one page of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.apis import requirements
from conformance.exit_codes import EXIT_BROKEN, EXIT_CONFORMS, EXIT_FAILS, EXIT_INTERRUPTED, EXIT_NOTHING
from conformance.report.servers import REPORT, write_overview
from conformance.results import Results
from conformance.run.selection import Scope, selection_of
from conformance.settings import Settings, load_settings
from lakeproof.console import out
from lakeproof.shown_run import report_of, run_with_progress, show_run
from lakeproof.side_by_side import run_side_by_side
from reference_server.serve import servable
from specs.problems import Problem
from specs.profiles import find_profile

WORST_FIRST = (EXIT_BROKEN, EXIT_INTERRUPTED, EXIT_FAILS, EXIT_NOTHING, EXIT_CONFORMS)


def check_every_api(*, as_json: bool, **given: Any) -> int:
    """Test the embedded server with each API that has what is selected, print the runs, and return the worst exit code.

    The reports of several APIs lie in a folder each of the report's folder, which has a page of all.
    Raises Problem where nothing can be selected by what was given.
    """
    folder = Path(load_settings(given).report)
    selected = _selected(given, folder)
    if len(selected) == 1:
        results, code = run_with_progress(None, **{**given, "api": selected[0]})
        return show_run(results, code, as_json=as_json)
    runs: dict[str, Results] = {}
    codes = set()
    for api, (results, code) in _tested(selected, folder, given, announce=not as_json):
        runs[api] = results
        codes.add(code)
        if not as_json:
            show_run(results, code, as_json=False)
    if len(runs) < len(selected):
        codes.add(EXIT_INTERRUPTED)
    worst = next(code for code in WORST_FIRST if code in codes)
    tested = {api: run for api, run in runs.items() if run.run.selected}
    if tested:
        write_overview([*tested.values()], [*tested], folder / REPORT)
    if as_json:
        click.echo(json.dumps({"exit": worst, "runs": [run.to_json() for run in runs.values()]}, indent=2))
    elif tested:
        out.print(report_of(str(folder)), soft_wrap=True)
    return worst


def _tested(
    selected: Sequence[str], folder: Path, given: Mapping[str, Any], *, announce: bool
) -> Iterator[tuple[str, tuple[Results, int]]]:
    """Yield the run of each API and its exit code: one after another, or with several jobs at the same time."""
    jobs = load_settings(given).jobs
    runs = {api: {**given, "api": api, "report": str(folder / api)} for api in selected}
    if jobs > 1:
        each = max(jobs // len(runs), 1)
        for api, ended in run_side_by_side({api: {**run, "jobs": each} for api, run in runs.items()}, jobs).items():
            _announce(api, announce)
            yield api, ended
        return
    for api, run in runs.items():
        _announce(api, announce)
        results, code = run_with_progress(None, **run)
        yield api, (results, code)
        if code in (EXIT_BROKEN, EXIT_INTERRUPTED):
            return


def _announce(api: str, wanted: bool) -> None:
    if wanted:
        out.rule(Text(find_profile(api).name))


def _selected(given: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the APIs that have a requirement of those selected; one where none has: its run says so."""
    chosen, problem = [], None
    for api in servable():
        try:
            settings = load_settings({**given, "api": api, "report": str(folder / api)})
            chosen += [api] if _takes_any(settings) else []
        except Problem as error:  # another API may have this operation, this clause, or an earlier run
            problem = error
    if problem and not chosen:
        raise problem
    return chosen or servable()[:1]


def _takes_any(settings: Settings) -> bool:
    profile = find_profile(settings.api)
    scope = Scope.of(profile, profile.document())
    known = [requirement for suite in profile.suites for requirement in requirements(suite).values()]
    takes = selection_of(settings, scope.document, profile.tested_by()).takes
    return any(takes(requirement) for requirement in known if scope.has(requirement))
