"""Entry point of the image that takes the place of Iceberg's REST fixture: the variables that the fixture takes.

    CATALOG_WAREHOUSE=s3://bucket/path CATALOG_S3_ENDPOINT=http://s3:9000 python -m lakeproof.fixture

A variable CATALOG_A__B_C is the catalog property a-b.c. Properties without an effect are reported and ignored. Options
of `lakeproof serve` may follow, and LAKEPROOF_SERVE_* apply, too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from http.client import HTTPConnection
from typing import NamedTuple
from urllib.parse import urlencode

from lakeproof.__main__ import main

PREFIX = "CATALOG_"
PORT, PORT_VARIABLE = "8181", "REST_PORT"
CHECK = "--check"
KEYS = {
    "s3.access-key-id": "AWS_ACCESS_KEY_ID",
    "s3.secret-access-key": "AWS_SECRET_ACCESS_KEY",
    "s3.session-token": "AWS_SESSION_TOKEN",
}
"""Properties with keys, and the variables from which the server reads keys."""
REGIONS = ("client.region", "s3.region")
APPLIED = ("warehouse", "s3.endpoint", "include-credentials", *REGIONS, *KEYS)
WITHOUT_EFFECT = {
    "io-impl": "the server reads and writes files itself",
    "catalog-impl": "the catalog is the server's own",
    "uri": "the state is in memory; --storage dir:PATH keeps it",
    "s3.path-style-access": "buckets are always in the path",
}


class Start(NamedTuple):
    """Options of `lakeproof serve` and variables with keys that follow from properties, and what has no effect."""

    options: list[str]
    keys: dict[str, str]
    ignored: list[str]


def start_of(environ: Mapping[str, str]) -> Start:
    """Return the options, keys and ignored variables of the fixture's environment."""
    given = {_property(name): (name, text) for name, text in environ.items() if name.startswith(PREFIX)}
    values = {name: text for name, (_, text) in given.items()}
    ignored = [
        f"{variable} has no effect: {WITHOUT_EFFECT.get(name, f'there is nothing to set for {name}')}."
        for name, (variable, _) in sorted(given.items())
        if name not in APPLIED
    ]
    keys = {variable: values[name] for name, variable in KEYS.items() if name in values}
    options = ["--api", "iceberg", "--host", "0.0.0.0", "--port", environ.get(PORT_VARIABLE, PORT)]  # noqa: S104
    options.append("--plain-locations")
    if warehouse := values.get("warehouse"):
        options += ["--warehouse", f"default={_uri(warehouse, values, environ)}"]
    return Start(options, keys, ignored)


def _property(variable: str) -> str:
    """Return the catalog property of a variable: `CATALOG_IO__IMPL` is `io-impl`."""
    return variable.removeprefix(PREFIX).replace("__", "-").replace("_", ".").lower()


def _uri(warehouse: str, values: Mapping[str, str], environ: Mapping[str, str]) -> str:
    """Return a warehouse as `--warehouse` takes it; the bucket of one on S3 may come later, as with the fixture."""
    if not warehouse.startswith(("s3:", "s3a:", "s3n:")):
        return warehouse
    region = next((values[name] for name in REGIONS if name in values), environ.get("AWS_REGION", ""))
    options = {
        "endpoint_override": values.get("s3.endpoint", ""),
        "region": region,
        "credentials": "own" if values.get("include-credentials") == "true" else "none",
        "config": "none",
        "bucket": "later",
    }
    return f"{warehouse.rstrip('/')}?{urlencode({name: text for name, text in options.items() if text})}"


def is_ready(port: int) -> bool:
    """Return whether the server of this machine answers."""
    connection = HTTPConnection("127.0.0.1", port, timeout=1)
    try:
        connection.request("GET", "/_lakeproof/health")
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()


if __name__ == "__main__":
    if sys.argv[1:] == [CHECK]:
        sys.exit(0 if is_ready(int(os.environ.get(PORT_VARIABLE, PORT))) else 1)
    _start = start_of(os.environ)
    os.environ.update(_start.keys)
    for _line in _start.ignored:
        sys.stderr.write(f"{_line}\n")
    sys.argv[1:] = ["serve", *_start.options, *sys.argv[1:]]
    main()
