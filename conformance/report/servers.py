"""One page for many servers: requirements by runs, each finding with a link to the report of its run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from conformance.report.body_files import write_bodies
from conformance.report.headline import sentence
from conformance.report.html import render_html
from conformance.report.matrix import GLYPHS, MEANINGS, WORST_FIRST
from conformance.report.pages import template
from conformance.values.results import Result, Results
from conformance.values.results_files import report_written
from conformance.values.verdict import GOOD
from specs.writing import write_file

PAGE = "matrix.html"
REPORT = "report.html"
NOT_OF_FILES = re.compile(r"[^A-Za-z0-9.]+")


@dataclass(frozen=True)
class RequirementRow:
    """A requirement with its result in each run; None in a run that did not test it."""

    id: str
    level: str
    statement: str
    results: tuple[Result | None, ...]

    @property
    def met(self) -> bool:
        """True when it passed in every run that tested it."""
        return all(result is None or result.verdict in GOOD for result in self.results)


def write_servers(runs: Sequence[Results], folder: Path) -> Path:
    """Write the page of many runs, with the report of each beside it, and return its path.

    Raises Problem when the folder cannot be written.
    """
    folders = folders_of(runs)
    with report_written(folder):
        for run, name in zip(runs, folders, strict=True):
            write_file(folder / name / REPORT, render_html(run))
            write_bodies(run, folder / name)
    write_overview(runs, folders, folder / PAGE)
    return folder / PAGE


def write_overview(runs: Sequence[Results], folders: Sequence[str], path: Path) -> None:
    """Write the page of many runs; `folders` are the folders of their reports, relative to it.

    Raises Problem when it cannot be written.
    """
    with report_written(path.parent):
        write_file(path, render_servers(runs, folders))


def render_servers(runs: Sequence[Results], folders: Sequence[str]) -> str:
    """Return the page; `folders` are the folders of the runs' reports, relative to it."""
    rows = rows_of(runs)
    resources: dict[str, list[RequirementRow]] = {}
    for row in rows:
        if not row.met:
            resources.setdefault(".".join(row.id.split(".")[:2]), []).append(row)
    return template("servers.html.j2").render(
        title="Matrix",
        version=runs[0].run.kit.partition(" ")[2],
        headline=f"{len(runs)} runs, {len(rows):,} requirements",
        facts={"passed in all runs that tested them": f"{sum(row.met for row in rows):,} requirements, omitted below"},
        runs=[(run, name, sentence(run)) for run, name in zip(runs, folders, strict=True)],
        folders=folders,
        report=REPORT,
        resources={name: (some, columns_of(some)) for name, some in resources.items()},
        occurring=[verdict for verdict in WORST_FIRST if any(run.totals[verdict] for run in runs)],
        glyphs=GLYPHS,
        good=GOOD,
        meanings=MEANINGS,
    )


def rows_of(runs: Sequence[Results]) -> list[RequirementRow]:
    """Return a row for each requirement that a run tested, by id."""
    tables = [{result.id: result for result in run.requirements} for run in runs]
    known = {name: result for table in tables for name, result in table.items()}
    return [
        RequirementRow(name, result.level, result.statement, tuple(table.get(name) for table in tables))
        for name, result in sorted(known.items())
    ]


def columns_of(rows: Sequence[RequirementRow]) -> list[int]:
    """Return the indexes of the runs that tested one of these requirements; runs of other APIs did not."""
    tested = [any(results) for results in zip(*(row.results for row in rows), strict=True)]
    return [place for place, any_result in enumerate(tested) if any_result]


def folders_of(runs: Iterable[Results]) -> list[str]:
    """Return a folder name for each run: that of its server, with a number if it is used already."""
    folders: list[str] = []
    for run in runs:
        name = NOT_OF_FILES.sub("-", f"{run.target.name} {run.target.profile}").strip("-.").lower() or "run"
        same = sum(re.fullmatch(re.escape(name) + r"(-\d+)?", folder) is not None for folder in folders)
        folders.append(f"{name}-{same + 1}" if same else name)
    return folders
