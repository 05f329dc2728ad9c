"""Matrix of clients: which client reaches which operations of the reference server, from a run of this folder.

python -m tests.clients.matrix          builds what it needs, runs the tests, and writes the page and requests.json

It needs Go, Rust, Node and Java, and the packages of the group `clients` in pyproject.toml.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from spark_tests.connectors import TABLE
from specs.files import read_toml
from specs.profiles import find_profile
from specs.writing import write_file
from tests.clients.conftest import RECORD
from tests.clients.shapes import REQUESTS, Shape, merged, text_of
from tests.clients.steps import NAMES, SPARK, STEPS, steps_of

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "clients.md"
READERS = ("test_matrix.py", "test_shapes.py")  # tests of what the command writes
HEAD = """# Clients

After reading this page you know which clients the reference server serves, and which operations each of them calls.

The reference server is tested with the clients that people use. `python -m tests.clients.matrix` runs the tests in
`tests/clients/`, notes the operations that each client reaches, and writes this page. It needs Go, Rust, Node, Java
and the packages of `uv pip install --group clients`; pytest skips a client that
is not installed, or not built, with the reason.

| client | version | API | storage | tests | steps | operations |
|---|---|---|---|---|---|---|
"""
STEPS_OF_ALL = """
## Steps

Clients that the table shows with steps take them on both storages, with a token and without one. After the steps of its
API, each creates and drops a namespace and a table in it under each unusual name. The step `oauth` has a server of its
own, whose tokens live for a second: iceberg-rust gets a new one when its caller asks for it, the others by themselves.
"""
LACKS = """
## Missing steps

| client | steps | reason |
|---|---|---|
"""
ELSEWHERE = """
Other commands drive further clients:

| client | API | command |
|---|---|---|
"""
OPERATIONS = "\n## Operations\n"


@dataclass(frozen=True)
class Sent:
    """Requests of one test for an operation: their program and shape, the profile and the storage of the server."""

    test: str
    agent: str
    profile: str
    storage: str
    operation: str
    shape: str = ""

    @property
    def api(self) -> str:
        """The API of the profile."""
        return self.profile.partition("/")[0]


@dataclass(frozen=True)
class Row:
    """Client and API: the tests that drive the client, the storages, and the operations that were reached."""

    client: str
    version: str
    profile: str
    storages: Sequence[str]
    tests: int
    steps: str
    operations: Sequence[str]


@cache
def clients() -> dict[str, Any]:
    """Return the clients under test."""
    return tomllib.loads((HERE / "clients.toml").read_text())


def recorded() -> list[Sent]:
    """Run the tests and return what clients sent. Raises CalledProcessError if a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requests.jsonl"
        own = [f"--ignore={HERE / name}" for name in READERS]
        command = [sys.executable, "-m", "pytest", "-q", str(HERE), *own]
        subprocess.run(command, cwd=HERE.parents[1], env={**os.environ, RECORD: str(file)}, check=True)
        return [Sent(*json.loads(line)) for line in file.read_text().splitlines()]


def rows(sent: Iterable[Sent]) -> Iterator[Row]:
    """Yield a row for each client and each profile that it was driven against."""
    known = clients()["client"]
    by_row: dict[tuple[str, str], list[Sent]] = {}
    for one in sent:
        client = client_of(one)
        if client is not None and one.profile:
            by_row.setdefault((client["name"], one.profile), []).append(one)
    for client in known:
        for (name, profile), requests in sorted(by_row.items()):
            if name == client["name"]:
                storages = sorted({"directory" if one.storage == "dir" else one.storage for one in requests})
                operations = sorted({one.operation for one in requests})
                tests = len({one.test for one in requests})
                yield Row(
                    name, version_of(client), find_profile(profile).name, storages, tests, _steps(client), operations
                )


def client_of(sent: Sent) -> dict[str, Any] | None:
    """Return the client that sent requests; None for the kit's own requests."""
    known: list[dict[str, Any]] = clients()["client"]
    return next((client for client in known if _is_of(sent, client)), None)


def requests(sent: Iterable[Sent]) -> dict[str, Any]:
    """Return the shapes of the requests of each client, under its name and version."""
    by_client: dict[str, list[tuple[str, Shape]]] = {}
    for one in sent:
        if client := client_of(one):
            by_client.setdefault(f"{client['name']} {version_of(client)}", []).append(
                (one.operation, json.loads(one.shape))
            )
    return {name: merged(shapes) for name, shapes in sorted(by_client.items())}


def page(shown: Sequence[Row]) -> str:
    """Return the page."""
    lines = [
        f"| {row.client} | {row.version} | {row.profile} | {', '.join(row.storages)} | {row.tests} | {row.steps} | "
        f"{len(row.operations)} of {len(find_profile(row.profile).document().operations)} |\n"
        for row in shown
    ]
    others = [f"| {one['name']} | {one['api']} | `{one['command']}` |\n" for one in clients()["elsewhere"]]
    lists = [f"\n**{row.client}**, {row.profile}: {', '.join(row.operations)}{_sends(row)}\n" for row in shown]
    return "".join(
        [HEAD, *lines, ELSEWHERE, *others, STEPS_OF_ALL, *_described(), LACKS, *_lacks(), OPERATIONS, *lists]
    )


def _sends(row: Row) -> str:
    """Return a sentence about what differs from the document, "" for a client without one."""
    return next(
        (f". {one['sends']}" for one in clients()["client"] if one["name"] == row.client and "sends" in one), ""
    )


def _described() -> Iterator[str]:
    for api, steps in STEPS.items():
        yield f"\n{api}:\n\n"
        yield from (f"- {name}: {text}\n" for name, text in steps.items())
    yield f"\nUnusual names: {', '.join(f'{kind} (`{name}`)' for kind, name in NAMES.items())}\n"


def _lacks() -> Iterator[str]:
    for client in clients()["client"]:
        for lack in client.get("lacks", ()):
            yield f"| {client['name']} | {', '.join(lack['steps'])} | {lack['reason']} |\n"


def _steps(client: dict[str, Any]) -> str:
    return f"{len(steps_of(client))} of {len(STEPS[client['api']]) + len(NAMES)}" if "driver" in client else ""


def _is_of(sent: Sent, client: dict[str, Any]) -> bool:
    agent, module = client["agent"], Path(sent.test.partition("::")[0]).stem
    if module == "test_steps":
        ours = f"[{client.get('driver')}-" in sent.test
    else:
        ours = module in client.get("modules", [module])
    same = sent.agent.startswith(agent) if agent else not sent.agent
    return ours and same and client.get("api", sent.api) == sent.api


def version_of(client: dict[str, Any]) -> str:
    """Return the version of a client. Raises AssertionError if its project has none."""
    if "package" in client:
        return version(client["package"])
    if "npm" in client:
        return str(json.loads((HERE / "node" / "package.json").read_text())["dependencies"][client["npm"]])
    if "release" in client:
        return str(client["release"])
    if "connector" in client:
        return str(read_toml(TABLE)["spark"][SPARK][client["connector"]]).rpartition(":")[2]
    file, sign = (
        ("rust/Cargo.lock", 'name = "{}"\nversion = "(.+)"')
        if "crate" in client
        else ("iceberg_go/go.mod", r"{} v(\S+)")
    )
    found = re.search(sign.format(re.escape(client.get("crate") or client["module"])), (HERE / file).read_text())
    assert found, client
    return found[1]


if __name__ == "__main__":
    sent = recorded()
    write_file(PAGE, page(list(rows(sent))))
    write_file(REQUESTS, text_of(requests(sent)))
