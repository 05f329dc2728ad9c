"""What grows in the Lance API: the tables of a namespace, and the versions of a table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import urllib3

from benchmarks.growing import CHUNK, Growing, Operation, Start, sent
from benchmarks.load import request, run_once
from benchmarks.servers import Running, reference, rest_adapter
from benchmarks.workloads import Workload
from conformance.author.strategies import tables
from conformance.lance.support.arrow import STREAM_TYPE, stream

REST_ADAPTER = "RestAdapter"
BATCH = 500  # tables that a request declares
STARTS: dict[str, Start] = {
    "memory": lambda _: reference("lance", "memory"),
    "directory": lambda folder: reference("lance", f"dir:{folder}"),
    REST_ADAPTER: rest_adapter,
}


def _path(number: int) -> str:
    """Return what paths of a table begin with."""
    return f"/v1/table/ns%24t{number:06}/"


TABLE = _path(0)
LIST = "/v1/namespace/ns/table/list?limit=100&n={n}"
DECLARE = Workload("DeclareTable", "/v1/table/ns%24x{n}/declare")
LIST_DECLARED = Workload("ListTables, declared ones too", LIST + "&include_declared=true", "GET")
LIST_TABLES = Workload("ListTables, with data", LIST + "&include_declared=false", "GET")
LIST_ALL = Workload("ListAllTables", "/v1/table?limit=100&include_declared=true&n={n}", "GET")
DESCRIBE = Workload("DescribeTable", TABLE + "describe?n={n}")
VERSION_PAGE = TABLE + "version/list?limit=100&n={n}"


def _made(server: Running, *paths: str) -> None:
    """Send requests with an empty body. Raises RuntimeError when one is refused."""
    if run_once(server.url, [request(server.url, "POST", path, b"{}") for path in paths], connections=1).errors:
        raise RuntimeError(f"{server.name} refused one of {', '.join(paths)}")


def _declared(server: Running, size: int) -> Iterator[int]:
    """Declare tables in a namespace, many at once on a server that has batches."""
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
    """Make versions of a table, as a client does who has opened it where it lies."""
    import lance  # noqa: PLC0415 - slow to import

    _made(server, "/v1/namespace/ns/create")
    create = request(server.url, "POST", TABLE + "create", stream(tables(3)), STREAM_TYPE)
    if run_once(server.url, [create], connections=1).errors:
        raise RuntimeError(f"{server.name} refused to create a table")
    answer = urllib3.request("POST", server.url + TABLE + "describe", json={})
    dataset = lance.dataset(answer.json()["location"])
    for number in range(1, size):
        dataset.update_metadata({"n": str(number)})
        if number % CHUNK == 0:
            yield number
    yield size


def _manifest(folder: Path, size: int) -> dict[str, float]:
    """Return what the manifest table of a directory takes: files of old versions are part of it."""
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
        Operation(DECLARE),
        Operation(LIST_DECLARED),
        Operation(Workload("ListTables, declared, after a write", LIST_DECLARED.path, "GET"), after=DECLARE),
        Operation(LIST_TABLES),
        Operation(LIST_ALL),
        Operation(DESCRIBE),
        Operation(Workload("DescribeTable, after a write", DESCRIBE.path), after=DECLARE),
    ),
    _manifest,
)
VERSIONS = Growing(
    "versions",
    STARTS,
    _versions,
    (
        Operation(Workload("ListTableVersions", VERSION_PAGE)),
        Operation(Workload("ListTableVersions, newest first", VERSION_PAGE + "&descending=true")),
        Operation(Workload("DescribeTableVersion", TABLE + "version/describe?n={n}", body=b'{"version": 1}')),
        Operation(DESCRIBE),
    ),
)
GROWING = (TABLES, VERSIONS)
