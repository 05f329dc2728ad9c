"""Reports: each reads the results and nothing else."""

from __future__ import annotations

from pathlib import Path

from conformance.report.badge import render_badge
from conformance.report.html import render_html
from conformance.report.junit import render_junit
from conformance.report.markdown import render_markdown
from conformance.results import Results
from conformance.settings import Settings
from specs.problems import Problem

RENDERERS = {
    "html": ("report.html", render_html),
    "junit": ("junit.xml", render_junit),
    "markdown": ("summary.md", render_markdown),
    "badge": ("badge.json", render_badge),
}


def write_reports(results: Results, settings: Settings) -> dict[str, Path]:
    """Write every report of a run into its folder and return their paths by kind.

    Raises Problem when the folder cannot be written.
    """
    folder = Path(settings.report)
    return {"results": results.write(folder), **render_reports(results, folder)}


def render_reports(results: Results, folder: Path) -> dict[str, Path]:
    """Write the reports that follow from results, without the results themselves."""
    paths = {}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for kind, (name, render) in RENDERERS.items():
            paths[kind] = folder / name
            paths[kind].write_text(render(results), encoding="utf-8")
    except OSError as error:
        raise Problem(
            f"The report folder {folder} cannot be written: {error.strerror}.", "Give another --report."
        ) from None
    return paths


__all__ = ["render_reports", "write_reports"]
