"""Faults of the machine: answered with 503 and the cause, nothing half done, and gone when the machine works again."""

from __future__ import annotations

import errno
import os
import resource
import socket
import sqlite3
from pathlib import Path

import pytest
import urllib3

from lakeproof import serve
from reference_server.lance.data import pylance_errors
from reference_server.lance.data.pylance_errors import translate
from reference_server.machine import machine_fault
from tests.reference_server.iceberg.conftest import SCHEMA
from tests.reference_server.lance.arrow_streams import ARROW, stream
from tests.reference_server.machine_limits import key, limited
from tests.reference_server.served import served

TABLE = "/v1/namespaces/a/tables/t"
ROWS = 7
SMALL = 100  # bytes that a file may have while the disk is full
MANY = "x" * 20_000


def property_set(value):
    return {"requirements": [], "updates": [{"action": "set-properties", "updates": {"k": value}}]}


@pytest.mark.parametrize("storage", ["memory", "dir"])
def test_a_full_disk_is_told_and_not_kept(tmp_path, storage):
    option = "memory" if storage == "memory" else f"dir:{tmp_path / 'lake'}"
    with served("iceberg", tmp_path, "--storage", option) as server:
        server.send("POST", "/v1/namespaces", json={"namespace": ["a"]})
        assert server.send("POST", "/v1/namespaces/a/tables", json={"name": "t", "schema": SCHEMA}).status == 200
        headers, before = {"Idempotency-Key": key()}, server.send("GET", TABLE).json()
        with limited(server, resource.RLIMIT_FSIZE, SMALL):
            for _ in range(3):
                answer = server.send("POST", TABLE, json=property_set(MANY), headers=headers)
                assert answer.status == 503
                assert "larger than this process may write" in answer.json()["error"]["message"]
            assert server.send("GET", TABLE).json() == before
        folder = before["metadata-location"].removeprefix("file://").rpartition("/")[0]
        assert len(list(Path(folder).iterdir())) == 1
        answer = server.send("POST", TABLE, json=property_set(MANY), headers=headers)
        assert (answer.status, answer.json()["metadata"]["properties"]["k"]) == (200, MANY)
        assert "Traceback" not in server.log


def test_rows_that_no_disk_takes_are_not_there(tmp_path):
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    rows = pa.table({"s": [MANY] * ROWS})
    with served("lance", tmp_path, "--storage", f"dir:{tmp_path / 'lake'}") as server:
        server.send("POST", "/v1/namespace/a/create", json={})
        assert server.send("POST", "/v1/table/a$t/create", body=stream(rows), headers=ARROW).status == 200
        with limited(server, resource.RLIMIT_FSIZE, SMALL):
            for path, sent in (
                ("/v1/table/a$t/insert", {"body": stream(rows), "headers": ARROW}),
                ("/v1/table/a$u/create", {"body": stream(rows), "headers": ARROW}),
                ("/v1/namespace/b/create", {"json": {}}),
            ):
                answer = server.send("POST", path, **sent)
                assert (answer.status, "may write" in answer.json()["error"]) == (503, True)
        count = server.send("POST", "/v1/table/a$t/count_rows", json={})
        assert (count.status, count.json()) == (200, ROWS)
        assert server.send("POST", "/v1/table/a$u/exists", json={}).status == 404
        assert server.send("POST", "/v1/namespace/b/create", json={}).status == 200
        assert "Traceback" not in server.log


@pytest.mark.parametrize("api", ["iceberg", "lance"])
def test_running_out_of_descriptors_is_told_seldom(tmp_path, api):
    with served(api, tmp_path, "--storage", f"dir:{tmp_path / 'lake'}") as server:
        create = {"iceberg": ("/v1/namespaces", {"namespace": ["a"]}), "lance": ("/v1/namespace/a/create", {})}[api]
        with limited(server, resource.RLIMIT_NOFILE, 40):
            connections = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(60)]
            for connection in connections:
                connection.close()
        assert server.send("POST", create[0], json=create[1], retries=3).status == 200
        assert "Traceback" not in server.log
        assert server.log.count("\n") <= 1


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EMFILE, errno.EIO])
def test_the_machine_is_blamed_for_its_faults(number):
    message = os.strerror(number)
    for error in (OSError(number, message), RuntimeError(f"LanceError(IO): {message} (os error {number})")):
        fault = machine_fault(error)
        assert fault is not None
        assert fault.status == 503
        translated = translate(error)
        assert isinstance(translated, type(fault))
        assert translated.message == fault.message


def test_the_cause_of_an_error_counts():
    error = RuntimeError("outer")
    error.__cause__ = sqlite3.OperationalError("database or disk is full")
    assert "disk is full" in machine_fault(error).message


@pytest.mark.parametrize("error", [KeyError("x"), RuntimeError("No space left on device"), FileNotFoundError(2, "x")])
def test_other_errors_are_not_the_machines(error):
    assert machine_fault(error) is None


def test_an_error_may_be_its_own_cause():
    first, second = RuntimeError("a"), RuntimeError("b")
    first.__cause__, second.__cause__ = second, first
    assert machine_fault(first) is None


def test_an_error_that_nobody_knows_stops_nothing(tmp_path, monkeypatch, caplog):
    import pyarrow as pa  # noqa: PLC0415 - slow to import

    monkeypatch.setattr(pylance_errors, "PATTERNS", [])
    with serve("lance", storage=f"dir:{tmp_path / 'lake'}") as server, urllib3.PoolManager(retries=False) as pool:
        made = pool.request("POST", f"{server.url}/v1/table/t/create", body=stream(pa.table({"a": [1]})), headers=ARROW)
        assert made.status == 200
        for _ in range(2):
            answer = pool.request(
                "POST", f"{server.url}/v1/table/t/count_rows", json={"predicate": "b > 1"}, timeout=20
            )
            assert answer.status == 500
    assert [record.exc_info[1].__cause__ for record in caplog.records if record.exc_info] == [None, None]
