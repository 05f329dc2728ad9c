"""The quickstart of Apache Polaris: a catalog and a principal that its published command line makes on our server."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pyarrow as pa
from apache_polaris.cli.options.parser import Parser
from apache_polaris.cli.polaris_cli import PolarisCli
from pyiceberg.catalog import Catalog, load_catalog

from lakeproof import serve

Parser.build_parser = staticmethod(
    cache(Parser.build_parser)
)  # else each command builds it anew, in a tenth of a second
ROOT = "root:s3cr3t"
PROFILES = ["polaris/2024-09", "polaris/1.7"]
NAME = "lake"
EVERYTHING = ("--catalog", NAME, "--catalog-role", "owner", "CATALOG_MANAGE_CONTENT")
ROWS = pa.table({"id": [1, 2], "name": ["a", "b"]})


class CommandLine:
    """The command `polaris` of the package apache-polaris, as somebody; in this process, to import it once."""

    def __init__(self, url: str, credential: str) -> None:
        place, (client_id, _, secret) = urlsplit(url), credential.partition(":")
        self._start = ["--host", place.hostname, "--port", str(place.port)]
        self._start += ["--client-id", client_id, "--client-secret", secret]

    def __call__(self, *arguments: str, fails: bool = False) -> str:
        output, errors, code = io.StringIO(), io.StringIO(), None
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                PolarisCli.execute([*self._start, *arguments])
            except SystemExit as end:
                code = end.code
        assert bool(code) == fails, output.getvalue() + errors.getvalue()
        return errors.getvalue() if fails else output.getvalue()


@dataclass(frozen=True)
class Quickstart:
    """A server, its command line as root, and the credential of a principal that may do everything in a catalog."""

    url: str
    polaris: CommandLine
    user: str

    def settings(self, credential: str = "") -> dict[str, str]:
        """Return the settings of a client of the catalog beside its address; without a credential, as the user."""
        return {"credential": credential or self.user, "scope": "PRINCIPAL_ROLE:ALL", "warehouse": NAME}

    def catalog(self, credential: str = "") -> Catalog:
        """The catalog through PyIceberg."""
        delegated = {"header.X-Iceberg-Access-Delegation": "vended-credentials"}
        return load_catalog(NAME, type="rest", uri=f"{self.url}/api/catalog", **self.settings(credential), **delegated)

    def change(self, way: str) -> None:
        """Grant or revoke what the user may do."""
        self.polaris("privileges", "catalog", way, *EVERYTHING)


@contextlib.contextmanager
def quickstart(profile: str, folder: Path) -> Iterator[Quickstart]:
    """A server with what the commands of docs/polaris.md make."""
    with serve(profile, storage=f"dir:{folder / 'polaris'}", bootstrap=ROOT) as server:
        polaris = CommandLine(server.url, ROOT)
        location = f"file://{folder / 'warehouse'}"
        polaris("catalogs", "create", "--storage-type", "file", "--default-base-location", location, NAME)
        credentials = json.loads(polaris("principals", "create", "reader").replace("'", '"'))
        polaris("principal-roles", "create", "people")
        polaris("catalog-roles", "create", "--catalog", NAME, "owner")
        polaris("principal-roles", "grant", "--principal", "reader", "people")
        polaris("catalog-roles", "grant", "--catalog", NAME, "--principal-role", "people", "owner")
        start = Quickstart(server.url, polaris, f"{credentials['clientId']}:{credentials['clientSecret']}")
        start.change("grant")
        yield start
