"""Run Iceberg's fixture server, RESTCatalogServer, until killed.

    python -m peers.iceberg_java.fixture [port=8181] [root=DIR] [durable=true] [strict=false]

The first line of output is `ready: URL`. `root` is the folder of files, by default a temporary directory;
with `durable=true` it also contains the catalog, which is in memory otherwise. With `strict=false` tables can be
created in namespaces that do not exist. The server listens on every interface of the machine, without an
option to change that: use it only in a safe network.
"""

from __future__ import annotations

import contextlib
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from peers.iceberg_java.jars import class_path
from peers.java_server import JavaServer, run_until_killed
from spark_tests.java import find_java
from specs.ports import free_port
from specs.problems import Problem

MAIN = "org.apache.iceberg.rest.RESTCatalogServer"
MEMORY = "-Xmx1g"
OPTIONS = ("port", "root", "durable", "strict")


@contextlib.contextmanager
def fixture(port: int = 0, root: Path | None = None, *, durable: bool = False, strict: bool = True) -> Iterator[str]:
    """Run the server and yield its URL; port 0 takes a free one.

    Raises Problem if jars or Java are missing, or the server does not start.
    """
    port = port or free_port()
    with contextlib.ExitStack() as stack:
        folder = root or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="iceberg-fixture-")))
        command = find_java().command(MEMORY, "-cp", class_path(), MAIN)
        environ = environment(port, folder, durable=durable, strict=strict)
        server = JavaServer("Iceberg's fixture server", command, port, "/v1/config", 200, environ)
        yield stack.enter_context(server.running())


def environment(port: int, folder: Path, *, durable: bool, strict: bool) -> Mapping[str, str]:
    """Return the environment variables with the server's settings."""
    warehouse = folder.resolve() / "warehouse"
    warehouse.mkdir(parents=True, exist_ok=True)
    settings = {
        "CATALOG_REST_PORT": str(port),
        "CATALOG_WAREHOUSE": warehouse.as_uri(),
        "CATALOG_CATALOG__NAME": "fixture",
        "CATALOG_JDBC_SCHEMA__VERSION": "V1",  # the first schema with views
        "CATALOG_JDBC_STRICT__MODE": str(strict).lower(),
    }
    return settings | ({"CATALOG_URI": f"jdbc:sqlite:file:{folder.resolve() / 'catalog.db'}"} if durable else {})


def main() -> None:
    """Start the server and wait for a signal."""
    run_until_killed(
        lambda: fixture(**_options(sys.argv[1:])),  # type: ignore[arg-type]
        "This server listens on every interface of the machine, and has no option to change that.\n",
    )


def _options(arguments: list[str]) -> dict[str, int | Path | bool]:
    pairs = dict(word.partition("=")[::2] for word in arguments)
    unknown = sorted(set(pairs) - set(OPTIONS))
    if unknown:
        raise Problem(f"Unknown option {', '.join(unknown)}.", f"Options: {', '.join(OPTIONS)}.")
    readers = {"port": int, "root": Path, "durable": _truth, "strict": _truth}
    try:
        return {name: readers[name](value) for name, value in pairs.items()}  # type: ignore[operator]
    except (ValueError, KeyError) as error:
        raise Problem(f"An option has an invalid value: {error}.", __doc__ or "") from None


def _truth(value: str) -> bool:
    return {"true": True, "false": False}[value.lower()]


if __name__ == "__main__":
    main()
