"""`lakeproof check` of the embedded server with all APIs: one run per API, and one page of all runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from conformance.apis import requirements
from conformance.report.servers import REPORT, write_overview
from conformance.run.selection import Scope, selection_of
from conformance.values.exit_codes import (
    EXIT_BROKEN,
    EXIT_CONFORMS,
    EXIT_FAILS,
    EXIT_INTERRUPTED,
    EXIT_NOTHING,
    EXIT_USAGE,
)
from conformance.values.settings import Settings, load_settings
from lakeproof.checking import check_files
from lakeproof.cli import complain
from lakeproof.console import err, out
from lakeproof.shown_run import Ended, report_of, run_with_progress, show_run
from lakeproof.side_by_side import run_side_by_side
from reference_server.serve import servable
from specs.apis import find_api, require_extra_of
from specs.problems import Problem
from specs.profiles import find_profile

ENDING = (EXIT_BROKEN, EXIT_USAGE, EXIT_INTERRUPTED)
WORST_FIRST = (*ENDING, EXIT_FAILS, EXIT_NOTHING, EXIT_CONFORMS)


def check_every_api(*, as_json: bool, **given: Any) -> int:
    """Test each API of the embedded server that has selected requirements, print the runs, return the worst exit code.

    With several APIs, each has its reports in a folder below the report's folder, which has a page of all.
    Raises Problem if the arguments select nothing, or the page cannot be written.
    """
    settings = load_settings(given)
    folder = Path(settings.report)
    check_files(settings)
    selected = _selected(given, folder)
    if len(selected) == 1:
        return show_run(run_with_progress(None, **{**given, "api": selected[0]}), as_json=as_json)
    runs: dict[str, Ended] = {}
    for api, ended in _tested(selected, folder, given, announce=not as_json):
        runs[api] = ended
        if not as_json:
            show_run(ended, as_json=False)
    codes = {ended.code for ended in runs.values()}
    if len(runs) < len(selected):
        codes.add(EXIT_INTERRUPTED)
    worst = next(code for code in WORST_FIRST if code in codes)
    tested = {api: ended.results for api, ended in runs.items() if ended.results.run.selected}
    if as_json:
        click.echo(json.dumps({"exit": worst, "runs": [ended.results.to_json() for ended in runs.values()]}, indent=2))
        for problem in filter(None, (ended.problem for ended in runs.values())):
            complain(problem.message, problem.hint)
    if tested and worst != EXIT_USAGE:
        write_overview([*tested.values()], [*tested], folder / REPORT)
        if not as_json:
            out.print(report_of(str(folder)), soft_wrap=True)
    return worst


def _tested(
    selected: Sequence[str], folder: Path, given: Mapping[str, Any], *, announce: bool
) -> Iterator[tuple[str, Ended]]:
    """Yield the run of each API: one after another, or in parallel with several jobs."""
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
        ended = run_with_progress(None, **run)
        yield api, ended
        if ended.code in ENDING:
            return


def _announce(api: str, wanted: bool) -> None:
    if wanted:
        out.rule(Text(find_profile(api).name))


def _selected(given: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the APIs with selected requirements; if there are none, the first API, whose run reports that.

    Raises Problem if the arguments are invalid for every API.
    """
    chosen, problem = [], None
    for api in servable():
        try:
            require_extra_of(api)
        except Problem as missing:
            err.print(Text(f"{find_api(api).title} is left out: {missing.message}", "yellow"), soft_wrap=True)
            continue
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
