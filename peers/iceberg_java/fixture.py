"""Run Iceberg's fixture server, RESTCatalogServer, until killed.

    python -m peers.iceberg_java.fixture [port=8181] [root=DIR] [durable=true] [strict=false]

The first line of output is `ready: URL`. `root` is where files go, by default a temporary directory;
with `durable=true` the catalog is kept there too, else it is in memory. `strict=false` lets tables be
made in namespaces that do not exist. The server listens on every interface of the machine and has no
option for it: use it where that is no danger.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import urllib3

from peers.iceberg_java.jars import class_path
from spark_tests.java import find_java
from specs.ports import free_port
from specs.problems import Problem

MAIN = "org.apache.iceberg.rest.RESTCatalogServer"
MEMORY = "-Xmx1g"
START_SECONDS = 60.0
STOP_SECONDS = 10.0
OPTIONS = ("port", "root", "durable", "strict")


@contextlib.contextmanager
def fixture(port: int = 0, root: Path | None = None, *, durable: bool = False, strict: bool = True) -> Iterator[str]:
    """Run the server and yield its URL; port 0 takes a free one.

    Raises Problem when there are no jars or no Java, and when the server does not start.
    """
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    with contextlib.ExitStack() as stack:
        folder = root or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="iceberg-fixture-")))
        log = stack.enter_context(tempfile.TemporaryFile("w+"))
        command = find_java().command(MEMORY, "-cp", class_path(), MAIN)
        environ = {**os.environ, **environment(port, folder, durable=durable, strict=strict)}
        process = subprocess.Popen(command, stdout=log, stderr=log, text=True, env=environ)
        stack.callback(_stop, process)
        if not _answers(url, process):
            log.seek(0)
            last = (log.read().strip().splitlines() or ["it said nothing"])[-1]
            raise Problem(f"Iceberg's fixture server did not start on port {port}: {last}", "Choose another port.")
        yield url


def environment(port: int, folder: Path, *, durable: bool, strict: bool) -> Mapping[str, str]:
    """Return the settings of the server; it reads them from its environment."""
    warehouse = folder.resolve() / "warehouse"
    warehouse.mkdir(parents=True, exist_ok=True)
    settings = {
        "CATALOG_REST_PORT": str(port),
        "CATALOG_WAREHOUSE": warehouse.as_uri(),
        "CATALOG_CATALOG__NAME": "fixture",
        "CATALOG_JDBC_SCHEMA__VERSION": "V1",  # the first schema that has views
        "CATALOG_JDBC_STRICT__MODE": str(strict).lower(),
    }
    return settings | ({"CATALOG_URI": f"jdbc:sqlite:file:{folder.resolve() / 'catalog.db'}"} if durable else {})


def _answers(url: str, process: subprocess.Popen[str]) -> bool:
    """Wait until the server answers; False when it ends instead or takes too long."""
    deadline = time.monotonic() + START_SECONDS
    with urllib3.PoolManager(retries=False) as pool:
        while process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(urllib3.exceptions.HTTPError):
                return pool.request("GET", f"{url}/v1/config", timeout=START_SECONDS).status == 200
            time.sleep(0.1)
    return False


def _stop(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    """Start the server and wait for a signal."""
    try:
        options = _options(sys.argv[1:])
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, lambda *_: sys.exit())  # also while it starts: no Java is left behind
        with fixture(**options) as url:  # type: ignore[arg-type]
            sys.stderr.write("This server listens on every interface of the machine; it has no option for that.\n")
            sys.stdout.write(f"ready: {url}\n")
            sys.stdout.flush()
            while True:
                signal.pause()
    except Problem as problem:
        sys.exit(str(problem))


def _options(arguments: list[str]) -> dict[str, int | Path | bool]:
    pairs = dict(word.partition("=")[::2] for word in arguments)
    unknown = sorted(set(pairs) - set(OPTIONS))
    if unknown:
        raise Problem(f"The fixture has no option {', '.join(unknown)}.", f"Options: {', '.join(OPTIONS)}.")
    readers = {"port": int, "root": Path, "durable": _truth, "strict": _truth}
    try:
        return {name: readers[name](value) for name, value in pairs.items()}  # type: ignore[operator]
    except (ValueError, KeyError) as error:
        raise Problem(f"An option of the fixture has no such value: {error}.", __doc__ or "") from None


def _truth(value: str) -> bool:
    return {"true": True, "false": False}[value.lower()]


if __name__ == "__main__":
    main()
