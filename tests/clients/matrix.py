"""Matrix of clients: which client reaches which operations of the reference server, from a run of this folder.

python -m tests.clients.matrix          runs the tests, and writes docs/clients.md
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
from importlib.metadata import version
from pathlib import Path
from typing import Any

from specs.profiles import find_profile
from specs.writing import write_file
from tests.clients.conftest import RECORD

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "clients.md"
HEAD = """# Clients

The reference server is tested with the clients that people use. `python -m tests.clients.matrix` runs the tests in
`tests/clients/`, notes the operations that each client reaches, and writes this page.

| client | version | API | storage | tests | operations |
|---|---|---|---|---|---|
"""
ELSEWHERE = """
Other commands drive further clients:

| client | API | command |
|---|---|---|
"""
OPERATIONS = "\n## Operations\n"


@dataclass(frozen=True)
class Sent:
    """Requests of one test for an operation: the program that sent them, the profile and the storage of the server."""

    test: str
    agent: str
    profile: str
    storage: str
    operation: str

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
    operations: Sequence[str]


def clients() -> dict[str, Any]:
    """Return the clients under test."""
    return tomllib.loads((HERE / "clients.toml").read_text())


def recorded() -> list[Sent]:
    """Run the tests and return what clients sent. Raises CalledProcessError if a test fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requests.jsonl"
        own = f"--ignore={HERE / 'test_matrix.py'}"  # it reads the page
        command = [sys.executable, "-m", "pytest", "-q", str(HERE), own]
        subprocess.run(command, cwd=HERE.parents[1], env={**os.environ, RECORD: str(file)}, check=True)
        return [Sent(*json.loads(line)) for line in file.read_text().splitlines()]


def rows(sent: Iterable[Sent]) -> Iterator[Row]:
    """Yield a row for each client and each profile that it was driven against."""
    known = clients()["client"]
    by_row: dict[tuple[str, str], list[Sent]] = {}
    for one in sent:
        client = next((client for client in known if _is_of(one, client)), None)
        if client is not None and one.profile:
            by_row.setdefault((client["name"], one.profile), []).append(one)
    for client in known:
        for (name, profile), requests in sorted(by_row.items()):
            if name == client["name"]:
                storages = sorted({"directory" if one.storage == "dir" else one.storage for one in requests})
                operations = sorted({one.operation for one in requests})
                tests = len({one.test for one in requests})
                yield Row(name, _version(client), find_profile(profile).name, storages, tests, operations)


def page(shown: Sequence[Row]) -> str:
    """Return the page."""
    lines = [
        f"| {row.client} | {row.version} | {row.profile} | {', '.join(row.storages)} | {row.tests} | "
        f"{len(row.operations)} of {len(find_profile(row.profile).document().operations)} |\n"
        for row in shown
    ]
    others = [f"| {one['name']} | {one['api']} | `{one['command']}` |\n" for one in clients()["elsewhere"]]
    lists = [f"\n**{row.client}**, {row.profile}: {', '.join(row.operations)}\n" for row in shown]
    return "".join([HEAD, *lines, ELSEWHERE, *others, OPERATIONS, *lists])


def _is_of(sent: Sent, client: dict[str, Any]) -> bool:
    agent, module = client["agent"], Path(sent.test.partition("::")[0]).stem
    same = sent.agent.startswith(agent) if agent else not sent.agent
    return same and client.get("api", sent.api) == sent.api and module in client.get("modules", [module])


def _version(client: dict[str, Any]) -> str:
    if "package" in client:
        return version(client["package"])
    found = re.search(rf"{re.escape(client['module'])} v(\S+)", (HERE / "iceberg_go" / "go.mod").read_text())
    assert found, client
    return found[1]


if __name__ == "__main__":
    write_file(PAGE, page(list(rows(recorded()))))
