"""Reports: pages, summaries and files for machines, each made from the results alone.

No report reads exchanges, asks a server or decides anything.
"""

from __future__ import annotations

from pathlib import Path

import orjson

from conformance.after.reading import read_results
from conformance.http.exchange_log import FILE_NAME as EXCHANGES
from conformance.http.exchange_log import shorten
from conformance.report.badge import render_badge
from conformance.report.body_files import write_bodies
from conformance.report.findings import render_findings
from conformance.report.html import render_html
from conformance.report.junit import render_junit
from conformance.report.markdown import render_markdown
from conformance.report.notes import read_notes
from conformance.report.sarif import render_sarif
from conformance.values.results import Results
from conformance.values.results_files import FILE_NAME, report_written, write_compressed
from conformance.values.settings import Settings
from specs.writing import NotWritten, check_writable, write_file

RENDERERS = {
    "html": ("report.html", render_html),
    "junit": ("junit.xml", render_junit),
    "markdown": ("summary.md", render_markdown),
    "sarif": ("findings.sarif", render_sarif),
    "badge": ("badge.json", render_badge),
}
FINDINGS_FILE = "findings.md"


def check_report(folder: Path) -> None:
    """Check that the reports of a run can be written into a folder. Raises NotWritten otherwise."""
    with report_written(folder):
        check_writable(folder, [FILE_NAME, EXCHANGES, *(name for name, _ in RENDERERS.values())])


def write_reports(results: Results, settings: Settings) -> dict[str, Path]:
    """Write every report of a run into its folder and return their paths by kind.

    On a full disk they take the place of the log of exchanges. Raises Problem when the folder cannot be written.
    """
    folder = Path(settings.report)
    while True:
        try:
            return {"results": results.write(folder), **render_reports(results, folder)}
        except NotWritten as problem:
            if not problem.full or not shorten(folder):
                raise


def render_reports(results: Results, folder: Path) -> dict[str, Path]:
    """Write the reports that follow from results, without the results themselves."""
    paths = {}
    with report_written(folder):
        for kind, (name, render) in RENDERERS.items():
            paths[kind] = write_file(folder / name, render(results))
        write_bodies(results, folder)
    return paths


def publish(results: Results, folder: Path) -> dict[str, Path]:
    """Write the published files of a run into a folder and return their paths: results, summary and findings.

    The folder's `notes.toml` is read; see notes.py. Raises Problem for notes that do not fit the results.
    """
    notes = read_notes(folder)
    baseline = read_results(folder / notes.baseline) if notes.baseline else None
    texts = {
        "markdown": (folder / RENDERERS["markdown"][0], render_markdown(results)),
        "findings": (folder / FINDINGS_FILE, render_findings(results, notes, baseline)),
    }
    with report_written(folder):
        for path, text in texts.values():
            write_file(path, text)
        kept = write_compressed(folder, orjson.dumps(results.to_json()))
    return {"results": kept, **{kind: path for kind, (path, _) in texts.items()}}


__all__ = ["check_report", "publish", "render_reports", "write_reports"]
