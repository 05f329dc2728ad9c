"""Run Iceberg's compatibility kit against our own server: on every backend, with every set of flags.

    python -m peers.iceberg_java.embedded [--storage memory] [--flags dots] [--out DIR]

Every run has a fresh server with an empty catalog, and its own report folder.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from conformance.report.matrix import WORST_FIRST
from conformance.values.redaction import redact
from conformance.values.results import Results
from lakeproof import serve
from lakeproof.console import out
from lakeproof.terminal import COLOURS, mark
from peers.iceberg_java.judging import judge, only_option, show
from peers.iceberg_java.rck import REPORT, run_command

BACKENDS = ("memory", "dir")
WAREHOUSE = "default"
USUAL = {"warehouse": WAREHOUSE, "rck.requires-namespace-create": "true"}
CREDENTIAL = "kit:embedded"
FLAGS = {
    "usual": USUAL,
    "dots": {**USUAL, "rck.supports-names-with-dot": "true"},
    "oauth": {**USUAL, "credential": CREDENTIAL},
}


@click.command("embedded")
@click.option("--storage", type=click.Choice(BACKENDS), multiple=True, help="Only on this backend.")
@click.option("--flags", type=click.Choice(list(FLAGS)), multiple=True, help="Only with this set of flags.")
@only_option
@click.option(
    "--out", "folder", type=click.Path(path_type=Path), default=REPORT, show_default=True, help="The reports."
)
def embedded(storage: tuple[str, ...], flags: tuple[str, ...], only: tuple[str, ...], folder: Path) -> int:
    """Run Iceberg's compatibility kit against lakeproof's own server."""
    judged: dict[str, Results] = {}
    for backend in storage or BACKENDS:
        for chosen in flags or FLAGS:
            name = f"{backend}-{chosen}"
            out.print(Text(f"{name}: {backend} backend, {_shown(FLAGS[chosen])}", "bold"), soft_wrap=True)
            judged[name] = _judge(backend, chosen, only, folder / name)
            show(judged[name])
    out.print(_table(judged))
    out.print(f"reports: {folder}", soft_wrap=True)
    return max(results.exit_code() for results in judged.values())


def _judge(backend: str, flags: str, only: tuple[str, ...], folder: Path) -> Results:
    with tempfile.TemporaryDirectory(prefix="lakeproof-rck-") as root:
        storage = f"dir:{root}" if backend == "dir" else backend
        auth = f"oauth:{CREDENTIAL}" if "credential" in FLAGS[flags] else "none"
        with serve("iceberg", storage=storage, auth=auth) as server:
            name = f"embedded reference server, {backend}, {flags}"
            return judge(server.url, FLAGS[flags], folder, name=name, only=only)


def _shown(properties: dict[str, str]) -> str:
    return " ".join(f"-D {name}={value}" for name, value in redact(properties).items())


def _table(judged: dict[str, Results]) -> Table:
    columns = [verdict for verdict in WORST_FIRST if any(results.totals[verdict] for results in judged.values())]
    table = Table("run", "tests", box=None, header_style="dim", pad_edge=False)
    for verdict in columns:
        table.add_column(mark(verdict, verdict), justify="right")
    for name, results in judged.items():
        counts = (Text(str(results.totals[verdict]), COLOURS[verdict]) for verdict in columns)
        table.add_row(name, str(len(results.requirements)), *counts)
    return table


if __name__ == "__main__":
    run_command(embedded)
