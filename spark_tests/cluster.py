"""Standalone Spark cluster on this machine: one master and its workers, started through Spark's own classes.

`python -m spark_tests.cluster` starts one, prints the master's URL, and stops it on Ctrl-C.
"""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from spark_tests.java import find_java
from specs.ports import free_port, listens

HOST = "127.0.0.1"
PORT = 7077  # of the cluster that a command starts
SECONDS = 180  # a limit: a busy machine starts a Java slowly
MASTER, WORKER = (f"org.apache.spark.deploy.{name}" for name in ("master.Master", "worker.Worker"))
REGISTERED = re.compile(r"Registering worker")


@contextlib.contextmanager
def cluster(folder: Path, workers: int = 2, port: int = 0) -> Iterator[str]:
    """Start a master with `workers` workers of one core each, and yield the master's URL; `folder` receives the logs.

    Port 0 means a free one.

    Raises Problem if there is no Java, and TimeoutError, with the log, if the master or a worker does not start.
    """
    port = port or free_port()
    url = f"spark://{HOST}:{port}"
    with contextlib.ExitStack() as stack:
        places = ("--host", HOST, "--port", str(port), "--webui-port", "0")
        stack.enter_context(_running(folder / "master.log", MASTER, *places))
        _wait_for(lambda: listens(port), folder / "master.log")
        for number in range(workers):
            size = ("--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(folder / f"work{number}"))
            stack.enter_context(_running(folder / f"worker{number}.log", WORKER, "--host", HOST, *size, url))
        log = folder / "master.log"
        _wait_for(lambda: len(REGISTERED.findall(log.read_text())) == workers, log)
        yield url


@contextlib.contextmanager
def _running(log: Path, name: str, *arguments: str) -> Iterator[None]:
    import pyspark  # noqa: PLC0415 - optional

    home = Path(pyspark.__file__).parent
    java = find_java()
    variables = {
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "JAVA_HOME": str(java.home),
    }
    environ = {**os.environ, **variables}
    command = [str(home / "bin" / "spark-class"), name, *arguments]
    with log.open("w") as output, subprocess.Popen(command, stdout=output, stderr=output, env=environ) as process:
        try:
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=SECONDS)


def _wait_for(ready: Callable[[], bool], log: Path) -> None:
    end = time.monotonic() + SECONDS
    while not ready():
        if time.monotonic() > end:
            raise TimeoutError(log.read_text()[-2000:])
        time.sleep(0.2)


def main() -> None:
    """Run a cluster until SIGINT."""
    with (
        contextlib.suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory() as folder,
        cluster(Path(folder), port=PORT) as url,
    ):
        sys.stdout.write(f"{url}\n")
        sys.stdout.flush()
        signal.pause()


if __name__ == "__main__":
    main()
