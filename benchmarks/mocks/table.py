"""Command `python -m benchmarks mocks`: try every cell, and write docs/mock-compared.md and results.json.

A cell is a test in `tools/`: its lines are those of the function's body, its milliseconds the median of some runs,
without the start of the tool.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

import click

from benchmarks.mocks.answers import TABLE
from benchmarks.mocks.client import Client
from benchmarks.mocks.jars import jar
from benchmarks.processes import PAGE as PAGE_BYTES
from benchmarks.processes import processes
from benchmarks.servers import PRISM
from peers.iceberg_java.jars import versions
from specs.ports import free_port
from specs.writing import write_file

HERE = Path(__file__).parent
DOCUMENT = HERE.parents[1] / "docs" / "mock-compared.md"
RESULTS = HERE / "results.json"
OURS = "lakeproof"
TOOLS = {
    OURS: "lakeproof",
    "wiremock": "WireMock",
    "mockserver": "MockServer",
    "prism": "Prism",
    "respx": "respx",
    "responses": "responses",
    "moto": "moto",
    "iceberg_java": "Iceberg's fixture",
}
IN_PROCESS = ("respx", "responses", "moto")
"""Libraries that answer in the process of the test, without a connection."""
SHELL = ("command", "language")
WIDTH = 120
RUNS = 3
READY_SECONDS = 60.0
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Cell:
    """Test of a tool: its lines and milliseconds."""

    lines: int
    ms: float


@cache
def rows() -> Mapping[str, Mapping[str, Any]]:
    """Return the rows of the table."""
    return tomllib.loads((HERE / "rows.toml").read_text())


def tool(name: str) -> ModuleType:
    """Return the module of a tool. Raises ImportError for a library that is not installed."""
    return import_module(f"benchmarks.mocks.tools.{name}")


def has(module: ModuleType, row: str) -> bool:
    """Return whether a tool has a test for a row."""
    return hasattr(module, row.upper() if row in SHELL else row)


def lines_of(module: ModuleType, row: str) -> int:
    """Return the lines of a test: those of a function's body, or of a command and the files that it reads."""
    if row in SHELL:
        files = module.FILES.values() if row == "command" else ()
        return sum(len(_wrapped(text)) for text in (getattr(module, row.upper()), *files))
    source = textwrap.dedent(inspect.getsource(inspect.unwrap(getattr(module, row))))
    (function,) = ast.parse(source).body
    assert isinstance(function, ast.FunctionDef)
    body = function.body[1:] if ast.get_docstring(function) else function.body
    end = body[-1].end_lineno or 0
    return sum(bool(line.strip()) for line in source.splitlines()[body[0].lineno - 1 : end])


def _wrapped(text: str) -> list[str]:
    return [part for line in text.splitlines() for part in textwrap.wrap(line, WIDTH, break_long_words=True)]


def cells(name: str, chosen: Sequence[str] = (), runs: int = RUNS) -> dict[str, Cell]:
    """Try the rows of a tool, all by default, and return its cells. Raises the error of a test that fails."""
    module, found = tool(name), dict[str, list[float]]()
    wanted = [row for row in rows() if has(module, row) and (not chosen or row in chosen)]
    for run in range(runs):
        began = time.perf_counter()
        with module.start() as mock:
            if name not in IN_PROCESS:
                client_of(module, mock).exists()
            found.setdefault("start", []).append(time.perf_counter() - began)
            for row in wanted:
                if row != "start" and (row != "tls" or run == 0):  # its tools start once more
                    found.setdefault(row, []).append(_seconds(module, row, mock))
    return {row: Cell(lines_of(module, row), round(statistics.median(found[row]) * 1000, 1)) for row in wanted}


def client_of(module: ModuleType, mock: Any) -> Client:
    """Return a client of a running mock."""
    made = getattr(module, "client", None)
    return made(mock) if made else Client(mock.url)


def _seconds(module: ModuleType, row: str, mock: Any) -> float:
    if row == "command":
        return started(module)[0]
    with tempfile.TemporaryDirectory() as folder, module.fresh(mock) as own:
        client = client_of(module, own)
        given = {"mock": own, "client": client, "folder": Path(folder)}
        if rows()[row].get("seeded", True) and row not in getattr(module, "UNSEEDED", ()) and row != "tls":
            _call(module.seed, given)
        if prepare := getattr(module, "prepare", None):
            prepare(own, client)
        if row == "language":
            return _from_a_shell(module, own, client)
        began = time.perf_counter()
        _call(getattr(module, row), given)
        return time.perf_counter() - began


def _call(test: Callable[..., None], given: Mapping[str, Any]) -> None:
    test(**{name: given[name] for name in inspect.signature(test).parameters})


def _from_a_shell(module: ModuleType, mock: Any, client: Client) -> float:
    """Send the request of another language, and load the table: after two refusals."""
    url, before, began = getattr(mock, "control_address", mock.url), client.sent, time.perf_counter()
    subprocess.run(module.LANGUAGE.format(url=url), shell=True, check=True, capture_output=True)
    client.load()
    assert client.sent - before == 3
    return time.perf_counter() - began


def started(module: ModuleType) -> tuple[float, float]:
    """Run the command of a tool; return the seconds until it answers, and its memory in MB after three requests."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in module.FILES.items():
            (Path(folder) / name).parent.mkdir(exist_ok=True)
            (Path(folder) / name).write_text(text.replace("TABLE", json.dumps(TABLE)))
        port = free_port()
        coordinates = getattr(module, "COORDINATES", "")
        command = module.COMMAND.format(port=port, jar=jar(coordinates) if coordinates else "")
        with _process(shlex.split(command), folder) as process:
            client, began = Client(f"http://127.0.0.1:{port}"), time.perf_counter()
            seconds = _until_ready(client, module.READY, began)
            client.sent = 0
            client.load()
            assert client.sent == 3
            return seconds, memory(process.pid)


@contextmanager
def _process(command: Sequence[str], folder: str) -> Iterator[subprocess.Popen[bytes]]:
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        command, cwd=folder, env=environ, stdout=quiet, stderr=quiet, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def _until_ready(client: Client, path: str, began: float) -> float:
    while time.perf_counter() - began < READY_SECONDS:
        try:
            client.http.get(client.url + path, timeout=5)
        except OSError:
            time.sleep(0.02)
        else:
            return time.perf_counter() - began
    raise RuntimeError(f"{client.url}{path} does not answer")


def memory(session: int) -> float:
    """Return the memory of a session's processes in MB."""
    return round(sum(pages for *_, pages in processes(session)) * PAGE_BYTES / MEGABYTE)


def version_of(name: str) -> str:
    """Return the version of a tool."""
    if name == "iceberg_java":
        return versions()["iceberg.version"]
    if name == "prism":
        return PRISM.rpartition("@")[2]
    return str(tool(name).COORDINATES.split(":")[2]) if hasattr(tool(name), "COORDINATES") else version(name)


def longer(found: Mapping[str, Mapping[str, Cell]]) -> dict[str, list[str]]:
    """Return the rows in which a tool has a shorter test than ours, each with these tools."""
    ours = found[OURS]
    shorter = {
        row: [name for name, its in found.items() if row in its and its[row].lines < ours[row].lines] for row in ours
    }
    return {row: names for row, names in shorter.items() if names}


HEAD = """# Mocks compared

Choose a mock for the tests of your client here: each cell is the shortest honest test of a tool for what the row says,
with its lines and its milliseconds. `python -m benchmarks mocks` runs every cell and writes this page; the tests are in
`benchmarks/mocks/tools/`. It needs Maven, Java, Node and `uv pip install --group mocks`.

"""
NOTES = """
Lines are those of the test's body at 120 columns: arrange, let the client act, assert. The client is the same in all
cells, a hundred lines over requests, for respx over httpx (`client.py`). What each tool starts with, such as a table,
is in the row `seed` and in no other. Stateless mocks need answers, such as the metadata of a table: somebody writes
them, but they count no lines here (`answers.py`). WireMock and MockServer are asked over HTTP by a helper, whose
lines do not count either: in Java, too, each of these is a statement. Milliseconds are a median of three runs on two
busy processors: compare cells of this page only. Those of `start` are until the first answer; lakeproof, respx,
responses and moto start in the process of the test, whose imports do not count.

respx and responses answer one library each, without a connection: they show nothing about connections, TLS, or a
client in another language, and they keep no state. In exchange they take no time, and nothing has to be started.
"""


def page(found: Mapping[str, Mapping[str, Cell]], resources: Mapping[str, tuple[float, float]]) -> str:
    """Return the page."""
    names = [f"{TOOLS[name]} {version_of(name)}" for name in found]
    lines = [f"| the test shows | {' | '.join(names)} |", f"|---|{'---|' * len(names)}"]
    for row, fields in rows().items():
        shown = [_shown(its.get(row)) for its in found.values()]
        lines.append(f"| **{row.replace('_', '-')}**: {fields['about']} | {' | '.join(shown)} |")
    for place, label in ((0, "ready after a start by a shell"), (1, "memory then")):
        unit = (" ms", " MB")[place]
        cells = [f"{resources[name][place]:,.0f}{unit}" if name in resources else "—" for name in found]
        lines.append(f"| {label} | {' | '.join(cells)} |")
    return "\n".join([HEAD + lines[0], *lines[1:], NOTES, *_shorter(found), *_reasons(found)]) + "\n"


def _shown(cell: Cell | None) -> str:
    return (
        "—"
        if cell is None
        else f"{cell.lines} lines, {cell.ms:,.0f} ms"
        if cell.lines > 1
        else f"1 line, {cell.ms:,.0f} ms"
    )


def _shorter(found: Mapping[str, Mapping[str, Cell]]) -> Iterator[str]:
    yield "## Where another tool is shorter\n"
    for row, names in longer(found).items():
        counts = ", ".join(f"{TOOLS[name]} {found[name][row].lines}" for name in names)
        yield f"- {row.replace('_', '-')}: lakeproof {found[OURS][row].lines}; {counts}"
    if not longer(found):
        yield "In no row."
    yield ""


def _reasons(found: Mapping[str, Mapping[str, Cell]]) -> Iterator[str]:
    yield "## Cells without a test\n"
    yield "| tool | rows | reason |\n|---|---|---|"
    for name in found:
        by_reason: dict[str, list[str]] = {}
        for row, reason in getattr(tool(name), "CANNOT", {}).items():
            by_reason.setdefault(reason, []).append(row.replace("_", "-"))
        for reason, its in by_reason.items():
            yield f"| {TOOLS[name]} | {', '.join(its)} | {reason} |"


@click.command()
@click.option("--tool", "chosen", type=click.Choice(list(TOOLS)), multiple=True, help="Try these tools; write nothing.")
def mocks(chosen: tuple[str, ...]) -> None:
    """Try the same tests with several mocks, and write docs/mock-compared.md."""
    found, resources = {}, {}
    for name in chosen or TOOLS:
        found[name] = cells(name)
        if has(tool(name), "command"):
            seconds, megabytes = started(tool(name))
            resources[name] = (seconds * 1000, megabytes)
        for row, cell in found[name].items():
            click.echo(f"{TOOLS[name]:20} {row:14} {cell.lines:3} lines {cell.ms:10,.1f} ms")
    if not chosen:
        write_file(DOCUMENT, page(found, resources))
        values = {name: {row: asdict(cell) for row, cell in its.items()} for name, its in found.items()}
        write_file(RESULTS, json.dumps(values, indent=1) + "\n")
