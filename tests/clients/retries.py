"""Retrying clients in Python, Java and Go, driven through failures: what each lost or doubled, as the journal has it.

python -m tests.clients.retries          runs all clients that this machine can run, and writes docs/retrying-clients.md
python -m tests.clients.retries --appends 200     PyIceberg appends so often through rules of all these kinds
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import click
import urllib3

from lakeproof import serve
from peers.iceberg_java.jars import class_path, versions
from reference_server.control.client import Controls
from reference_server.serve import Server
from spark_tests.java import CLIENT_MODULE, find_java
from specs.writing import write_file

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "retrying-clients.md"
PROGRAMS, GO_MODULE = HERE / "retrying", HERE / "iceberg_go"
AUTH = "oauth:root:s3cret"
COMMIT = "updateTable"
UNOPTIMIZED = "-gcflags=all=-N -l"  # takes the compiler half of the time
POOL = urllib3.PoolManager()


@dataclass(frozen=True)
class Failure:
    """A failure that a client meets: its name, and its rule, "" for tokens that expire."""

    name: str
    rule: str = ""

    def arrange(self, server: Controls, table: str) -> None:
        """Let the next append to a table fail in this way."""
        if self.rule:
            server.rule(f"{COMMIT} table={table}: {self.rule}")
        else:
            server.expire_tokens(419)


FAILURES = {
    "503-twice": Failure("503 twice", "503 x2"),
    "applied": Failure("504, the commit is applied", "504 applied x1"),
    "not-applied": Failure("504, it is not applied", "504 x1"),
    "cut": Failure("the connection is cut after the commit", "cut applied x1"),
    "conflict-twice": Failure("409 twice", "409 x2"),
    "token-expired": Failure(
        "419, then a new token"
    ),  # the last one: a client that gets no new token does nothing afterwards
}


@dataclass(frozen=True)
class Told:
    """Outcome of an append: what the client reported, the snapshots that it added, and its requests by status."""

    outcome: str
    added: int
    commits: Sequence[int]
    tokens: int
    notes: Sequence[str]

    @property
    def verdict(self) -> str:
        """Whether the client reported what happened."""
        if self.added > 1:
            return f"doubled: {self.added} snapshots"
        if self.outcome == "success":
            return "appended once" if self.added else "lost: reported as appended"
        return f"{'applied' if self.added else 'not applied'}, reported as {self.outcome}"


class Client:
    """A running client: it appends to each table that a line names."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def append(self, table: str) -> str:
        """Append to a table and return what the client reported: `success`, or the class of its error."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(f"{table}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith("outcome "):
                return line.split()[1]
        raise RuntimeError(f"the client ended with {self._process.wait()}")

    def stop(self) -> None:
        """End the client."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(60)


@contextmanager
def running(command: Sequence[str], url: str) -> Iterator[Client]:
    """Yield a client of a server."""
    client = Client([*command, url])
    try:
        yield client
    finally:
        client.stop()


def python_command() -> tuple[str, list[str]]:
    """Return the name of PyIceberg and its command."""
    return f"PyIceberg {version('pyiceberg')}", [sys.executable, str(PROGRAMS / "retrying_client.py")]


def java_command() -> tuple[str, list[str]]:
    """Return the name of Iceberg's Java client and its command. Raises Problem without a Java or the jars."""
    java = find_java(CLIENT_MODULE)
    source = str(PROGRAMS / "RetryingClient.java")
    return f"Iceberg {versions()['iceberg.version']}, Java", java.command("-cp", class_path(), source)


def go_command(folder: Path) -> tuple[str, list[str]]:
    """Return the name of iceberg-go and its command, which is built into a folder."""
    program = folder / "retrying"
    subprocess.run(["go", "build", UNOPTIMIZED, "-o", program, "./retrying"], cwd=GO_MODULE, check=True)
    (line,) = [line for line in (GO_MODULE / "go.mod").read_text().splitlines() if "apache/iceberg-go v" in line]
    return f"iceberg-go {line.rpartition('v')[2]}", [str(program)]


def drive(command: Sequence[str], failures: Mapping[str, Failure] = FAILURES) -> dict[str, Told]:
    """Drive a client through failures, each with a table of its own, and return what it did."""
    seed = {"tables": {f"a.{name}": {"schema": {"id": "long"}} for name in (*failures, "first")}}
    with serve("iceberg", auth=AUTH, seed=seed) as server, running(command, server.url) as client:
        assert client.append("first") == "success"
        return {name: _told(server, client, name, failure) for name, failure in failures.items()}


def _told(server: Server, client: Client, table: str, failure: Failure) -> Told:
    failure.arrange(server, table)
    server.forget_requests()
    outcome = client.append(table)
    requests = server.requests()
    commits = [request.status for request in requests if request.operation == COMMIT]
    tokens = sum(request.operation == "getToken" for request in requests)
    notes = dict.fromkeys(note.kind for request in requests for note in request.notes if note.kind != "deprecated")
    return Told(outcome, snapshots(server.url, table), commits, tokens, list(notes))


def snapshots(url: str, table: str) -> int:
    """Return the number of snapshots of a table: each append that was applied added one."""
    form = {"grant_type": "client_credentials", "client_id": "root", "client_secret": "s3cret"}
    token = POOL.request("POST", f"{url}/v1/oauth/tokens", fields=form, encode_multipart=False).json()
    headers = {"Authorization": f"Bearer {token['access_token']}"}
    loaded = POOL.request("GET", f"{url}/v1/namespaces/a/tables/{table}", headers=headers).json()
    return len(loaded["metadata"].get("snapshots", ()))


def append_often(appends: int) -> Counter[str]:
    """Let PyIceberg append to one table so often, through each failure in turn, and count how that ended.

    What is counted are the verdicts, and what the journal has of commits: those that were applied and their rows.
    """
    counted: Counter[str] = Counter()
    _, command = python_command()
    seed = {"tables": {"a.t": {"schema": {"id": "long"}}}}
    with serve("iceberg", auth=AUTH, seed=seed) as server, running(command, server.url) as client:
        before = 0
        for number in range(appends):
            failure = [None, *FAILURES.values()][number % (len(FAILURES) + 1)]
            if failure is not None:
                failure.arrange(server, "t")
            server.forget_requests()
            outcome = client.append("t")
            requests = server.requests(COMMIT)
            after = snapshots(server.url, "t")
            told = Told(outcome, after - before, [request.status for request in requests], 0, [])
            counted[f"{failure.name if failure else 'no failure'}: {told.verdict}"] += 1
            before = after
            server.control("DELETE", "/rules")
    return counted


HEAD = """# Retrying clients

After reading this page you know which failures make a client lose an append, or append twice.

`python -m tests.clients.retries` drives clients through failures of the mock and writes this page. For each failure a
client appends once to a table of its own. The table has what had happened then (counted by snapshots), what the client
reported, and the statuses of its commits in the journal, 0 for a cut connection.

"""


def page(told: Mapping[str, Mapping[str, Told]], often: Mapping[str, int]) -> str:
    """Return the page: the clients by failures, and the appends of PyIceberg."""
    lines = [f"| failure | {' | '.join(told)} |", f"|---|{'---|' * len(told)}"]
    for name, failure in FAILURES.items():
        cells = [f"{one[name].verdict}; commits {_statuses(one[name])}" for one in told.values()]
        rule = f"`{COMMIT}: {failure.rule}`" if failure.rule else "`expire_tokens(419)`"
        lines.append(f"| {failure.name}<br>{rule} | {' | '.join(cells)} |")
    notes = [
        f"- {client}, {FAILURES[name].name}: {', '.join(f'`{note}`' for note in one.notes)}\n"
        for client, by_failure in told.items()
        for name, one in by_failure.items()
        if one.notes
    ]
    about = "\nNotes of the journal about these requests:\n\n" if notes else ""
    parts = [HEAD, "\n".join(lines), "\n", about, *notes]
    if often:
        title = f"{sum(often.values())} appends of PyIceberg to one table"
        parts.append(f"\n## {title}\n\n| failure: outcome | appends |\n|---|---|\n")
        parts += [f"| {name} | {count} |\n" for name, count in sorted(often.items())]
    return "".join(parts)


def _statuses(told: Told) -> str:
    tokens = f", then {told.tokens} new token{'s' * (told.tokens > 1)}" if told.tokens else ""
    return f"{', '.join(map(str, told.commits)) or 'none'}{tokens}"


def commands(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the clients that this machine can run: name and command."""
    yield python_command()
    yield java_command()
    if shutil.which("go"):
        yield go_command(folder)


@click.command("retries")
@click.option("--appends", type=click.IntRange(0), default=200, show_default=True, help="Appends of PyIceberg.")
def main(appends: int) -> None:
    """Drive all clients through the failures, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        told = {name: drive(command) for name, command in commands(Path(folder))}
    write_file(PAGE, page(told, append_often(appends)))


if __name__ == "__main__":
    main()
