"""Steps in which clients are driven against the reference server, and the programs that take them.

A driver takes the steps of an API, and reports each that is done; a check that fails ends it. After the steps come the
unusual names. With a credential, the step OAUTH is the only one. Drivers in Python are modules of `drivers/` with a
function `drive`, and `exchange` for OAUTH. The others are programs: their arguments are the address of the server, the
token, the credential and `KIND=NAME` for each unusual name, and they print a line `step NAME`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn

import pytest

from spark_tests import jars
from spark_tests.connectors import TABLE
from spark_tests.java import CLIENT_MODULE, find_java
from specs.files import read_toml
from specs.problems import Problem
from tests.amount import AMOUNT
from tests.clients.conftest import RECORD

HERE = Path(__file__).parent
WITHIN = 120  # seconds for the steps of a program
BUILT_WITHIN = 1800  # seconds
COMMAND = "python -m tests.clients.matrix"
SPARK = "3.5"  # the line whose connectors contain clients in Java
SPARK_RUNTIME = "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12"  # Iceberg's client with all that it needs
OAUTH = "oauth"
TOKEN_SECONDS = 1  # lifetime of a token in the step OAUTH
EXPIRED_AFTER = 1.1  # seconds
FOR_ARROW = "--add-opens=java.base/java.nio=ALL-UNNAMED"
NAMES = {"blank": "a b", "percent": "a%41", "plus": "a+b", "letters": "ä✓", "quotes": "a'b\"c"}
STEPS: Mapping[str, Mapping[str, str]] = {
    "iceberg": {
        "namespaces": "create a namespace, list and load it",
        "create": "create a table; a second one of its name is refused",
        "write": "append rows",
        "read": "load the table and read it",
        "list": "list tables",
        "evolve": "add a column",
        "branches": "create a branch and write to it",
        "conflict": "commit to a table that another commit has changed",
        "rename": "rename the table",
        "views": "create, load, list and drop a view",
        "drop": "drop table and namespace; they are not found any more",
        OAUTH: "exchange a credential for a token, and get a new token when it has expired",
    },
    "lance": {
        "namespaces": "create a namespace with properties, list and describe it",
        "create": "create a table with rows; a second one of its name is refused",
        "write": "insert rows",
        "read": "describe the table, count and read its rows",
        "list": "list tables",
        "evolve": "add a column",
        "branches": "create a tag",
        "conflict": "insert rows from two writers at the same time",
        "rename": "rename the table",
        "drop": "drop table and namespace; they are not found any more",
    },
}


class Session(NamedTuple):
    """Connection of a client: address of the server, its token if it wants one, and unusual names by their kind.

    A credential is exchanged for tokens at `token_endpoint`.
    """

    url: str
    token: str = ""
    names: Mapping[str, str] = MappingProxyType({})
    credential: str = ""

    @property
    def token_endpoint(self) -> str:
        """Address at which the server issues tokens."""
        return f"{self.url}/v1/oauth/tokens"


Driver = Callable[[Session], Iterator[str]]


def lacking(client: Mapping[str, Any]) -> set[str]:
    """Return the steps and kinds of names that a client does not take."""
    return {step for lack in client.get("lacks", ()) for step in lack["steps"]}


def steps_of(client: Mapping[str, Any]) -> list[str]:
    """Return the steps and kinds of names that a client takes, in order."""
    return [step for step in (*STEPS[client["api"]], *NAMES) if step not in lacking(client)]


def driver(client: Mapping[str, Any]) -> Driver:
    """Return the driver of a client. Skips the test if the client is not installed, or not built in this run."""
    kind, _, name = client["driver"].partition(":")
    return KINDS[kind](name, client)


def _missing(reason: str) -> NoReturn:
    """Skip the test; fail it in a run that writes the page."""
    (pytest.fail if os.environ.get(RECORD) else pytest.skip)(reason)


def _in_python(module: str, client: Mapping[str, Any]) -> Driver:
    try:
        version(client["package"])
    except PackageNotFoundError:
        _missing(f"{client['package']} is not installed: `uv pip install --group clients` installs it.")
    found = import_module(f"tests.clients.drivers.{module}")
    return lambda session: (found.exchange if session.credential else found.drive)(session)


def _in_rust(binary: str, _: Mapping[str, Any]) -> Driver:
    _only_in_long_runs()
    return _program([_built("rust", "cargo", "build", "--locked") / "target" / "debug" / binary])


def _in_node(script: str, _: Mapping[str, Any]) -> Driver:
    _only_in_long_runs()
    return _program(
        ["node", _built("node", "npm", "install", "--no-package-lock", "--no-audit", "--no-fund") / f"{script}.mjs"]
    )


def _in_java(source: str, client: Mapping[str, Any]) -> Driver:
    _only_in_long_runs()
    try:
        jar, java = jars.resolve(read_toml(TABLE)["spark"][SPARK][client["api"]]), find_java()
    except Problem as problem:
        _missing(str(problem))
    return _program(java.command(FOR_ARROW, "-cp", str(jar), _source(source)))


def _of_iceberg_java(release: str, _: Mapping[str, Any]) -> Driver:
    """Return the driver of a release of Iceberg; it is on Spark's class path, which has Hadoop for files."""
    _only_in_long_runs()
    try:
        jar, spark = jars.resolve(f"{SPARK_RUNTIME}:{release}"), jars.pyspark_jar("ivy").parent
        java = find_java(CLIENT_MODULE)
    except Problem as problem:
        _missing(str(problem))
    return _program(java.command("-cp", f"{jar}{os.pathsep}{spark}{os.sep}*", _source("IcebergCatalog")))


def _source(name: str) -> str:
    return str(HERE / "java" / f"{name}.java")


KINDS: Mapping[str, Callable[[str, Mapping[str, Any]], Driver]] = {
    "python": _in_python,
    "rust": _in_rust,
    "node": _in_node,
    "java": _in_java,
    "iceberg-java": _of_iceberg_java,
}


def _only_in_long_runs() -> None:
    if not (AMOUNT.thorough or os.environ.get(RECORD)):
        pytest.skip(f"`{COMMAND}` builds this client, and so does --thorough.")


@cache
def _built(folder: str, tool: str, *arguments: str) -> Path:
    """Return a folder after a tool has built the programs in it."""
    if shutil.which(tool) is None:
        _missing(f"This client needs `{tool}` on the PATH.")
    built = subprocess.run(
        [tool, *arguments], cwd=HERE / folder, timeout=BUILT_WITHIN, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stdout + built.stderr
    return HERE / folder


def _program(command: Sequence[str | Path]) -> Driver:
    def drive(session: Session) -> Iterator[str]:
        names = (f"{kind}={name}" for kind, name in session.names.items())
        ran = subprocess.run(
            [*command, session.url, session.token, session.credential, *names],
            timeout=WITHIN,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "RUST_BACKTRACE": "0"},
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        yield from (line.removeprefix("step ") for line in ran.stdout.splitlines() if line.startswith("step "))

    return drive
