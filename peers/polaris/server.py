"""Run Apache Polaris until killed: state in memory, catalogs with files on this machine allowed.

    python -m peers.polaris.server [port=8181] [credential=root:s3cr3t]

The first line of output is `ready: URL`. The credential is the first principal's. The server listens only on this
machine. Catalogs may use any folder that the user can write to: use it only with trusted clients.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from peers.java_server import JavaServer, run_until_killed
from peers.polaris.application import build, java
from specs.ports import free_port
from specs.problems import Problem

MEMORY = "-Xmx1g"
REALM = "POLARIS"
CREDENTIAL = "root:s3cr3t"
START_SECONDS = 120.0
OPTIONS = ("port", "credential")


@contextlib.contextmanager
def polaris(port: int = 0, credential: str = CREDENTIAL) -> Iterator[str]:
    """Run the server and yield its URL; port 0 takes a free one.

    Raises Problem if the server cannot be built, Java is missing, or the server does not start.
    """
    port = port or free_port()
    with tempfile.TemporaryDirectory(prefix="polaris-") as folder:
        command = java().command(MEMORY, *ports(port), "-jar", str(build() / "quarkus-run.jar"))
        start = (command, port, "/api/catalog/v1/config", 401, environment(credential), Path(folder), START_SECONDS)
        with JavaServer("Polaris", *start).running() as url:
            yield url


def ports(port: int) -> tuple[str, ...]:
    """Return the options for the ports; health and metrics have their own port."""
    return f"-Dquarkus.http.port={port}", f"-Dquarkus.management.port={free_port()}"


def environment(credential: str) -> Mapping[str, str]:
    """Return the environment variables with the server's settings."""
    return {"POLARIS_BOOTSTRAP_CREDENTIALS": ",".join([REALM, *credential.split(":", 1)])}


def main() -> None:
    """Start the server and wait for a signal."""
    run_until_killed(lambda: polaris(**_options(sys.argv[1:])))


def _options(arguments: list[str]) -> dict[str, Any]:
    """Parse the options of the command line. Raises Problem for unknown options and invalid values."""
    options = dict(word.partition("=")[::2] for word in arguments)
    unknown = sorted(set(options) - set(OPTIONS))
    if unknown:
        raise Problem(f"Unknown option {', '.join(unknown)}.", f"Options: {', '.join(OPTIONS)}.")
    if not options.get("port", "0").isdigit() or ":" not in options.get("credential", CREDENTIAL):
        raise Problem("An option has an invalid value.", __doc__ or "")
    return {**options, "port": int(options.get("port", 0))}


if __name__ == "__main__":
    main()
