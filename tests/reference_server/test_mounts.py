"""A disk that fills up or becomes read-only, and descriptors that run out, under writers.

Each refusal is a 503 with the cause, what is refused is not there, and writing goes on by itself afterwards.
"""

from __future__ import annotations

import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable

import pyarrow as pa
import pytest

from tests.reference_server.iceberg.conftest import SCHEMA
from tests.reference_server.lance.arrow_streams import ARROW, stream
from tests.reference_server.machine_limits import bind, full, key, mounted, out_of_descriptors, read_only
from tests.reference_server.polaris import drawing as polaris
from tests.reference_server.served import served

SIZE = "64m"
WRITERS = 3
STEPS = 3  # of each writer, before, during and after the fault
PATIENCE = 60.0
PAUSE = 0.02
TEXT = "x" * 20_000
ROWS = pa.table({"s": [TEXT] * 3})


class Writer(ABC):
    """Writes again and again; what is refused for the machine's sake it sends once more."""

    def __init__(self, server, number):
        self.server, self.name = server, f"t{number}"
        self.done, self.refused = 0, []
        self.wrong = None

    @abstractmethod
    def prepare(self): ...

    @abstractmethod
    def write(self, number, keys): ...

    @abstractmethod
    def written(self): ...

    def work(self, stop):
        keys = {"Idempotency-Key": key()}
        while not stop.is_set() and self.wrong is None:
            answer = self.write(self.done + 1, keys)
            if answer.status in (200, 201):
                self.done += 1
                keys = {"Idempotency-Key": key()}
            elif answer.status == 503:
                self.refused.append(answer.data.decode())
                time.sleep(PAUSE)
            else:
                self.wrong = (answer.status, answer.data)


class IcebergWriter(Writer):
    def prepare(self):
        self.server.send("POST", "/v1/namespaces", json={"namespace": ["a"]})
        body = {"name": self.name, "schema": SCHEMA}
        assert self.server.send("POST", "/v1/namespaces/a/tables", json=body).status == 200

    def write(self, number, keys):
        body = {"requirements": [], "updates": [{"action": "set-properties", "updates": {"n": str(number), "k": TEXT}}]}
        return self.server.send("POST", f"/v1/namespaces/a/tables/{self.name}", json=body, headers=keys)

    def written(self):
        metadata = self.server.send("GET", f"/v1/namespaces/a/tables/{self.name}").json()["metadata"]
        assert len(metadata["metadata-log"]) == min(100, self.done)
        return int(metadata["properties"]["n"])


class LanceWriter(Writer):
    def prepare(self):
        self.server.send("POST", "/v1/namespace/a/create", json={})
        path = f"/v1/table/a${self.name}/create"
        assert self.server.send("POST", path, body=stream(ROWS), headers=ARROW).status == 200

    def write(self, _number, _keys):
        return self.server.send("POST", f"/v1/table/a${self.name}/insert", body=stream(ROWS), headers=ARROW)

    def written(self):
        rows = self.server.send("POST", f"/v1/table/a${self.name}/count_rows", json={}).json()
        return rows / len(ROWS) - 1


class PolarisWriter(Writer):
    roles = "/api/management/v1/principal-roles"

    def prepare(self):
        if not self.server.headers:
            polaris.prepare(self.server)

    def write(self, number, _keys):
        role = {"name": f"{self.name}-{number}", "properties": {"k": TEXT}}
        return self.server.send("POST", self.roles, json={"principalRole": role})

    def written(self):
        names = [role["name"] for role in self.server.send("GET", self.roles).json()["roles"]]
        return len([name for name in names if name.startswith(f"{self.name}-")])


WRITERS_OF: dict[str, Callable[..., Writer]] = {
    "iceberg": IcebergWriter,
    "lance": LanceWriter,
    "polaris": PolarisWriter,
}
CASES = [
    ("iceberg", full, "full"),
    ("iceberg", read_only, "read-only"),
    ("iceberg", out_of_descriptors, "descriptors"),
    ("lance", full, "full"),
    ("lance", read_only, "read-only"),
    ("lance", out_of_descriptors, "descriptors"),
    ("polaris", full, "full"),  # it writes to its database alone, which the other faults leave as it is
]


def until(writers, reached):
    """Wait until all writers are where they should be, or one was answered what it should not be."""
    end = time.monotonic() + PATIENCE
    while not all(reached(writer) for writer in writers) and time.monotonic() < end:
        assert [writer.wrong for writer in writers if writer.wrong] == []
        time.sleep(PAUSE)
    assert all(reached(writer) for writer in writers), [(writer.done, writer.refused[-1:]) for writer in writers]


@pytest.mark.parametrize(("api", "fault", "cause"), CASES, ids=lambda value: getattr(value, "__name__", value))
def test_writers_go_on_when_the_machine_does(tmp_path, api, fault, cause):
    with mounted(tmp_path, SIZE) as (disk, database):
        if fault is read_only:
            bind(database, disk, api)
        options = polaris.OPTIONS if api == "polaris" else ()
        with served(api, tmp_path, "--storage", f"dir:{disk}", *options) as server:
            writers = [WRITERS_OF[api](server, number) for number in range(WRITERS)]
            for writer in writers:
                writer.prepare()
            stop = threading.Event()
            threads = [threading.Thread(target=writer.work, args=(stop,)) for writer in writers]
            for thread in threads:
                thread.start()
            try:
                until(writers, lambda writer: writer.done >= STEPS)
                with fault(server, disk):
                    until(writers, lambda writer: len(writer.refused) >= STEPS)
                done = {writer: writer.done for writer in writers}
                until(writers, lambda writer: writer.done >= done[writer] + STEPS)
            finally:
                stop.set()
                for thread in threads:
                    thread.join()
            assert [writer.written() for writer in writers] == [writer.done for writer in writers]
            assert {text for writer in writers for text in writer.refused if cause not in text} == set()
            assert "Traceback" not in server.log
