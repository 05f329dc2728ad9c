"""One request does not stop the others, whatever it is, and leaves at most a line in the log."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from reference_server import limits
from tests import children
from tests.reference_server.served import JSON, served

CREATE = "/v1/namespaces"
MOST = 0.7  # of the time that a request takes, for one answer to another client
LARGE = b'{"namespace":["a"],"properties":{' + b",".join(b'"k%d":"v"' % n for n in range(250_000)) + b"}}"


@pytest.fixture(scope="module")
def iceberg(tmp_path_factory):
    with served("iceberg", tmp_path_factory.mktemp("log")) as server:
        yield server


def test_large_bodies_are_read_beside_other_requests(iceberg):
    answer, waited = iceberg.beside("POST", CREATE, body=LARGE, headers=JSON)
    assert answer.status == 200
    assert waited < MOST


def test_json_has_a_limit(iceberg):
    answer, _ = iceberg.beside("POST", CREATE, body=b" " * (limits.JSON + 1), headers=JSON)
    assert answer.status == 413
    assert str(limits.JSON) in answer.json()["error"]["message"]


def test_a_million_faults_of_one_body_are_one_message(iceberg):
    body = b'{"namespace":[' + b",".join([b"1"] * 1_000_000) + b"]}"
    answer, _ = iceberg.beside("POST", CREATE, body=body, headers=JSON)
    assert answer.status == 400
    assert len(answer.data) < 3 * limits.MESSAGE


@pytest.mark.parametrize(
    "sent",
    [
        b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /v1/namespaces HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"GET / HTTP/1.1\r\nbroken header\r\n\r\n",
        b"POST /v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc",
    ],
)
def test_broken_clients_leave_at_most_a_line(iceberg, sent):
    before = len(iceberg.log)
    with socket.create_connection(("127.0.0.1", iceberg.port), timeout=10) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1 << 16)
    assert iceberg.send("GET", "/v1/config").status == 200
    added = iceberg.log[before:]
    assert added.count("\n") <= 1
    assert "Traceback" not in added


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_process_whatever_runs(tmp_path, name):
    with served("iceberg", tmp_path) as server:
        body = b'{"namespace":["a"],"properties":{' + b",".join(b'"%d":1' % n for n in range(400_000)) + b"}}"
        sent = {"body": body, "headers": JSON}
        for _ in range(2):
            threading.Thread(target=_send, args=(server, sent), daemon=True).start()
        time.sleep(0.5)
        server.process.send_signal(name)
        assert server.process.wait(20) == 0
        assert "Traceback" not in server.log


STARTING = """
import sys
from lakeproof.commands import serve
known = serve.Server
def starting(settings):
    print("starting", flush=True)
    return known(settings)
serve.Server = starting
serve.serve_command(sys.argv[1:])
"""


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_server_that_is_starting(tmp_path, name):
    unread = tmp_path / "log"
    os.mkfifo(unread)  # to open it for writing takes for ever
    command = [sys.executable, "-c", STARTING, "--port", "0", "--access-log", str(unread)]
    with children.start(command, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"starting\n"
            process.send_signal(name)
            assert process.wait(10) == 0
        finally:
            process.kill()


def _send(server, sent):
    try:
        server.send("POST", CREATE, **sent)
    except OSError:
        pass
    except Exception as error:  # the connection goes with the server
        assert "Connection" in repr(error) or "Protocol" in repr(error)
