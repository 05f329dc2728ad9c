"""Growing collections of the Lance API: the tables of a namespace, and the versions of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import urllib3

from benchmarks.growing import CHUNK, Growing, Measurement, Start, sent
from benchmarks.load import request, run_once
from benchmarks.servers import Running, reference, rest_adapter
from benchmarks.workloads import RequestLoad
from conformance.author.strategies import tables
from conformance.lance.client import STREAM_TYPE
from conformance.lance.support.arrow import stream

REST_ADAPTER = "RestAdapter"
BATCH = 500  # tables per request
STARTS: dict[str, Start] = {
    "memory": lambda _: reference("lance", "memory"),
    "directory": lambda folder: reference("lance", f"dir:{folder}"),
    REST_ADAPTER: rest_adapter,
}


def _path(number: int) -> str:
    """Return the beginning of a table's paths."""
    return f"/v1/table/ns%24t{number:06}/"


TABLE = _path(0)
LIST = "/v1/namespace/ns/table/list?limit=100&n={n}"
DECLARE = RequestLoad("DeclareTable", "/v1/table/ns%24x{n}/declare")
LIST_DECLARED = RequestLoad("ListTables, declared ones too", LIST + "&include_declared=true", "GET")
LIST_TABLES = RequestLoad("ListTables, with data", LIST + "&include_declared=false", "GET")
LIST_ALL = RequestLoad("ListAllTables", "/v1/table?limit=100&include_declared=true&n={n}", "GET")
DESCRIBE = RequestLoad("DescribeTable", TABLE + "describe?n={n}")
VERSION_PAGE = TABLE + "version/list?limit=100&n={n}"


def _made(server: Running, *paths: str) -> None:
    """Send requests with an empty body. Raises RuntimeError for a rejected request."""
    if run_once(server.url, [request(server.url, "POST", path, b"{}") for path in paths], connections=1).errors:
        raise RuntimeError(f"{server.name} rejected one of {', '.join(paths)}")


def _declared(server: Running, size: int) -> Iterator[int]:
    """Declare tables in a namespace, in batches if the server offers them."""
    _made(server, "/v1/namespace/ns/create")
    if server.name == REST_ADAPTER:
        return sent(server, (request(server.url, "POST", _path(number) + "declare", b"{}") for number in range(size)))
    batch = min(size, BATCH)
    return sent(server, (_batch(server, first, batch) for first in range(0, size, batch)), 2, batch)


def _batch(server: Running, first: int, count: int) -> bytes:
    ids = (["ns", f"t{number:06}"] for number in range(first, first + count))
    operations = [{"declare_table": {"id": id}} for id in ids]
    return request(server.url, "POST", "/v1/table/batch-commit", json.dumps({"operations": operations}).encode())


def _versions(server: Running, size: int) -> Iterator[int]:
    """Create versions of a table, like a client that has opened it at its location."""
    import lance  # noqa: PLC0415 - slow to import

    _made(server, "/v1/namespace/ns/create")
    create = request(server.url, "POST", TABLE + "create", stream(tables(3)), STREAM_TYPE)
    if run_once(server.url, [create], connections=1).errors:
        raise RuntimeError(f"{server.name} rejected the creation of a table")
    answer = urllib3.request("POST", server.url + TABLE + "describe", json={})
    dataset = lance.dataset(answer.json()["location"])
    for number in range(1, size):
        dataset.update_metadata({"n": str(number)})
        if number % CHUNK == 0:
            yield number
    yield size


def _manifest(folder: Path, size: int) -> dict[str, float]:
    """Return the size of a directory's manifest table, files of old versions included."""
    manifest = next(folder.rglob("__manifest"), folder / "none")
    files = [path for path in manifest.rglob("*") if path.is_file()]
    versions = sum(path.suffix == ".manifest" for path in files)
    kilobytes = sum(path.stat().st_size for path in files) / 1000
    return {"versions of the manifest": versions, "kB of the manifest per table": kilobytes / size} if files else {}


TABLES = Growing(
    "tables",
    STARTS,
    _declared,
    (
        Measurement(DECLARE),
        Measurement(LIST_DECLARED),
        Measurement(RequestLoad("ListTables, declared, after a write", LIST_DECLARED.path, "GET"), after=DECLARE),
        Measurement(LIST_TABLES),
        Measurement(LIST_ALL),
        Measurement(DESCRIBE),
        Measurement(RequestLoad("DescribeTable, after a write", DESCRIBE.path), after=DECLARE),
    ),
    _manifest,
)
VERSIONS = Growing(
    "versions",
    STARTS,
    _versions,
    (
        Measurement(RequestLoad("ListTableVersions", VERSION_PAGE)),
        Measurement(RequestLoad("ListTableVersions, newest first", VERSION_PAGE + "&descending=true")),
        Measurement(RequestLoad("DescribeTableVersion", TABLE + "version/describe?n={n}", body=b'{"version": 1}')),
        Measurement(DESCRIBE),
    ),
)
GROWING = (TABLES, VERSIONS)
