"""Tools in Java: their jars, which Maven fetches once, and running processes."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from peers.iceberg_java.jars import PLUGIN, run, versions
from peers.java_server import JavaServer
from spark_tests.java import find_java
from specs.cache import cache_root
from specs.ports import free_port
from specs.problems import Problem


def jar(coordinates: str) -> Path:
    """Return the jar of `group:artifact:version[:type:classifier]`. Raises Problem without Maven, or the registry."""
    folder = cache_root() / "mocks" / coordinates.replace(":", "-")
    if not folder.is_dir():
        maven = shutil.which("mvn")
        if maven is None:
            raise Problem(f"{coordinates} cannot be fetched: Maven is not installed.", "Install Maven.")
        goal = f"{PLUGIN}:{versions()['dependency.plugin.version']}:copy"
        run([maven, "-q", "-B", goal, f"-Dartifact={coordinates}", f"-DoutputDirectory={folder}"], find_java())
    return next(folder.glob("*.jar"))


def java(coordinates: str, *arguments: str, options: Sequence[str] = ()) -> list[str]:
    """Return the command that runs a jar, with options for Java."""
    return find_java().command(*options, "-jar", str(jar(coordinates)), *arguments)


@contextlib.contextmanager
def running(command: Callable[[int], list[str]], ready: str, status: int = 200) -> Iterator[str]:
    """Run the command for a port, wait until it answers at a path, and yield its URL."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:  # for what it writes where it starts
        server = JavaServer("The mock", command(port), port, ready, status, folder=Path(folder))
        with server.running() as url:
            yield url
