"""Starting, stopping, and what is left afterwards."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest
import urllib3

from lakeproof import serve
from reference_server.lance.data.table_data import TableData
from specs.problems import Problem


def test_several_servers_run_side_by_side(http):
    with serve("lance", storage="memory:pure") as first, serve("lance", storage="memory:pure") as other:
        assert first.port != other.port
        http("POST", first.url + "/v1/namespace/a/create", json={})
        assert http("GET", other.url + "/v1/namespace/$/list").json()["namespaces"] == []


def test_every_api_has_its_mount(http):
    with serve("lance", "iceberg") as server:
        assert server.urls["lance"].endswith("/lance")
        assert http("GET", server.urls["lance"] + "/v1/table").status == 200
        elsewhere = http("GET", f"http://127.0.0.1:{server.port}/elsewhere")
        assert elsewhere.status == 404
        assert "/lance" in elsewhere.json()["error"]["message"]


def test_a_server_listens_on_loopback_only():
    with serve("lance", storage="memory:pure") as server:
        assert server.settings.host == "127.0.0.1"


def test_nothing_is_left_behind(monkeypatch):
    folders = []
    monkeypatch.setattr("tempfile.mkdtemp", record(folders, Path))
    before = threading.active_count()
    with serve("lance", storage="memory") as server:
        url = server.url
        assert folders[0].is_dir()
    assert not folders[0].exists()
    assert threading.active_count() == before
    with pytest.raises(urllib3.exceptions.HTTPError):
        urllib3.PoolManager(retries=False).request("GET", url)


def record(folders, kind):
    import tempfile  # noqa: PLC0415

    real = tempfile.mkdtemp

    def mkdtemp(*args, **kwargs):
        path = real(*args, **kwargs)
        folders.append(kind(path))
        return path

    return mkdtemp


def test_a_directory_survives_the_server(tmp_path, http):
    storage = f"dir:{tmp_path / 'lake'}"
    with serve("lance", storage=storage) as server:
        http("POST", server.url + "/v1/namespace/a/create", json={"properties": {"k": "v"}})
    with serve("lance", storage=storage) as server:
        answer = http("POST", server.url + "/v1/namespace/a/describe", json={})
    assert answer.json() == {"properties": {"k": "v"}}


def test_a_port_in_use_is_a_problem():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(Problem, match="cannot listen"), serve("lance", port=taken.getsockname()[1]):
            pass


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"storage": "tape"}, "no storage"),
        ({"storage": "dir:"}, "no storage"),
        ({"auth": "secret"}, "auth"),
        ({"faults": ("no-such-fault",)}, "no fault"),
        ({"access_log": "/proc/none/x"}, "--access-log"),
    ],
)
def test_settings_that_cannot_be_served_are_problems(settings, words):
    with pytest.raises(Problem, match=words):
        serve("lance", **settings)


def test_a_stopped_server_can_be_stopped_again():
    server = serve("lance", storage="memory:pure").start()
    server.stop()
    server.stop()


def test_locations_stay_below_the_root(tmp_path):
    data = TableData(str(tmp_path))
    assert data.relative("a/b") == "a/b"
    assert data.relative(f"{tmp_path}/a") == "a"
    assert data.relative(f"file://{tmp_path}/a%20b") == "a b"
    for location in (
        "..",
        "../x",
        "a/../../x",
        "/etc",
        "file:///etc",
        "s3://bucket/x",
        "",
        str(tmp_path),
        "a//b",
        "./a",
    ):
        with pytest.raises(Exception, match="below the root"):
            data.relative(location)


def test_one_server_has_one_revision_of_an_api():
    with pytest.raises(Problem, match=r"cannot serve both iceberg/1\.6 and iceberg/1\.11"):
        serve("iceberg/1.6", "iceberg/1.11")
    with pytest.raises(Problem, match=r"cannot serve both lance/0\.11 and lance/0\.11"):
        serve("lance", "lance")


def test_options_are_of_the_apis_that_are_served():
    with pytest.raises(Problem, match="no option warehouses for lance"):
        serve("lance", warehouses=("a",))
    with pytest.raises(Problem, match="no option color for lance, iceberg"):
        serve(color="blue")  # type: ignore[call-arg]
