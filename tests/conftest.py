"""Fixtures that several parts of the tests share."""

from __future__ import annotations

import gc
import logging
import os
import signal
from pathlib import Path
from typing import Any

import pytest
import urllib3

from lakeproof import Server, serve
from lakeproof.cli import COLLECT_AFTER
from tests import amount, failures, tiers

gc.set_threshold(*COLLECT_AFTER)
# Helpers show the values of their assertions, as tests do.
pytest.register_assert_rewrite(
    *(f"tests.{folder.name}" for folder in Path(__file__).parent.iterdir() if folder.is_dir())
)
# No Java of a test runs for long enough to win back what its second compiler and parallel collector take, and no query
# of Spark reads enough rows to win back that it is compiled.
QUICK_TO_START = (
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    "-Dspark.sql.codegen.wholeStage=false",
    "-Dspark.sql.codegen.factoryMode=NO_CODEGEN",
)
os.environ.setdefault("JAVA_TOOL_OPTIONS", " ".join(QUICK_TO_START))

LONGEST = (
    "tests/test_style.py",
    "tests/conformance/test_whole_runs.py",
    "tests/conformance/test_backends.py",
    "tests/conformance/test_mutants.py",
    "tests/clients/test_iceberg_go.py",
    "tests/spark_tests/",
    "tests/peers/",
    "tests/website/test_site.py",
    "tests/lakeproof/test_ten_minutes.py",
    "tests/lakeproof/test_interrupting.py",
    "tests/conformance/test_different_servers.py",
    "tests/conformance/",
)
BACKENDS = ("memory", "memory:pure", "dir")


def storage_option(kind: str, folder: Path) -> str:
    """The value of --storage for one of BACKENDS."""
    return f"dir:{folder}" if kind == "dir" else kind


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options that say which tests run, and how much they try."""
    amount.add_options(parser)
    tiers.add_option(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Take over how much is tried, and have failures show the answers that they are about."""
    amount.take_options(config)
    failures.show_answers()


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of other tiers, without an import of them."""
    return tiers.is_left_out(collection_path, config.option.tier) or None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return one worker more than there are cores: tests wait for Javas, browsers and other commands meanwhile."""
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Return the scheduler that gives work to workers."""
    from tests.scheduling import ByFileAndApi  # noqa: PLC0415 - xdist is optional

    return ByFileAndApi(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what takes longest: at the end no process works alone while the others have nothing left."""
    last = len(LONGEST)
    items.sort(key=lambda item: next((at for at, start in enumerate(LONGEST) if item.nodeid.startswith(start)), last))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Show the failure at our code; `--full-trace` shows the code of others too."""
    if call.excinfo and not item.config.option.fulltrace:
        failures.show_ours(call.excinfo.value)


@pytest.fixture(params=BACKENDS)
def lance(request, tmp_path):
    """A Lance server on each backend."""
    with serve("lance", storage=storage_option(request.param, tmp_path / "lake")) as server:
        yield server


@pytest.fixture
def lance_directory(tmp_path):
    """A Lance server on a directory that other clients can open."""
    with serve("lance", storage=f"dir:{tmp_path / 'lake'}") as server:
        yield server


@pytest.fixture
def http():
    """A client that sends exactly what it is told."""
    with urllib3.PoolManager(retries=False) as pool:
        yield lambda method, url, **rest: pool.request(method, url, redirect=False, **rest)


@pytest.fixture
def interruptible():
    """SIGINT raises KeyboardInterrupt, also where a shell has it ignored; who handles it meanwhile puts that back."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.signal(signal.SIGINT, before) is signal.default_int_handler


@pytest.fixture(scope="session")
def s3_url():
    """The base URL of an S3 server on this machine; it has the bucket `lake`, and checks no keys."""
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - slow to import

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    urllib3.request("PUT", f"http://{host}:{port}/lake")
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture(scope="session")
def s3_warehouse(s3_url):
    """The value of --warehouse for one called `s3`, in the bucket of that server."""
    return f"s3=s3://key:secret@lake/house?endpoint_override={s3_url}&region=eu-west-1"


def post_json(http, server: Server, path: str, body: object = None):
    """POST a JSON body to the Lance API and return status and JSON."""
    answer = http("POST", server.url + path, json={} if body is None else body)
    return answer.status, answer.json() if answer.data else None
