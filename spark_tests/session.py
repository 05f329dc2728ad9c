"""Spark session for one target or several: connectors by API, catalogs by name.

    with open_session(SparkSettings(), [SparkCatalog("ice", "iceberg", url)]) as spark:
        spark.sql("SHOW NAMESPACES IN ice")

A session starts in ten seconds, and a process can run only one. Further catalogs of the same APIs can
therefore be attached to a running session (`attach`).
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from conformance.values.activity import Step, doing
from spark_tests.connectors import SparkCatalog, catalog_settings, client_modules, connector, jar_files, java_module
from spark_tests.jars import cache_folder
from spark_tests.java import CLIENT_MODULE, find_java
from spark_tests.jdk_net_shim import compiled_shim
from specs.extras import missing_extra
from specs.problems import Problem

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STEPS = ("looking for Java", "collecting the connectors, which are fetched the first time", "starting Spark")
LOCAL = "local[2,4]"  # two tasks in parallel, each with up to four attempts
DRIVER_MEMORY = "2g"
STANDALONE = "spark://"
PORT = 7077
SECONDS = 5.0
ENDS = 60.0
QUERY_LOG = "SQLQueryContextLogger"  # pyspark 4 logs every rejected statement there, with its stack
LOG_SETTINGS = Path(__file__).with_name("log4j2.properties")
LOOPBACKS = ("127.0.0.1", "localhost")
ALWAYS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.memory": DRIVER_MEMORY,
    "spark.sql.session.timeZone": "UTC",
    "spark.network.timeout": "900s",  # so that a machine that pauses for minutes loses no executor
    "spark.executor.heartbeatInterval": "60s",
}


@dataclass(frozen=True, slots=True)
class SparkSettings:
    """Settings of a Spark session.

    `master` is any master of Spark, `jars` and `connectors` replace the files and coordinates in the table,
    `py_files` are files from which executors on other machines import the kit, `settings` are further properties of
    Spark, `log` is Spark's log file, by default in the user's cache folder.
    """

    master: str = LOCAL
    jars: tuple[str, ...] = ()
    py_files: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    connectors: tuple[str, ...] = ()
    log: Path | None = None


@contextlib.contextmanager
def open_session(
    spark: SparkSettings, catalogs: Sequence[SparkCatalog] = (), apis: Collection[str] = ()
) -> Iterator[SparkSession]:
    """Start a session with these catalogs and the connectors of further APIs, yield it, and stop it.

    Raises Problem if pyspark, Java, a jar or the master is missing.
    """
    with doing("") as tell:
        session = _start(spark, catalogs, apis, lambda number: tell(Step(STEPS[number], number, len(STEPS))))
    try:
        yield session
    finally:
        stop(session)


def _start(
    spark: SparkSettings, catalogs: Sequence[SparkCatalog], apis: Collection[str], at_step: Callable[[int], None]
) -> SparkSession:
    """Start a session; `at_step` receives the number of each step. Raises as `open_session`."""
    at_step(0)
    check_spark(spark)
    _prepare_environment()
    from py4j.protocol import Py4JError  # noqa: PLC0415 - optional
    from pyspark.errors import PySparkException  # noqa: PLC0415
    from pyspark.sql import SparkSession  # noqa: PLC0415

    logging.getLogger(QUERY_LOG).setLevel(logging.CRITICAL)
    builder = SparkSession.builder.master(spark.master).appName("lakeproof")
    at_step(1)
    for name, value in spark_settings(spark, catalogs, apis).items():
        builder = builder.config(name, value)
    at_step(2)
    try:
        with _sigint_handler_kept():
            return builder.getOrCreate()
    except (Py4JError, PySparkException, RuntimeError) as error:
        reason = str(getattr(error, "java_exception", None) or error).strip().splitlines()[0]
        raise Problem(f"Spark does not start on {spark.master}: {reason}.", "Check --master and JAVA_HOME.") from None


@contextlib.contextmanager
def _sigint_handler_kept() -> Iterator[None]:
    """Restore the handler of SIGINT: Spark's own handler replaces the run's, and fails once Spark has stopped."""
    handler = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, handler)


def check_spark(spark: SparkSettings) -> None:
    """Check that a session can be started. Raises Problem if pyspark, Java or the master is missing."""
    find_java(java_module(installed_line()))
    _check_master(spark.master)


def alive(session: SparkSession) -> bool:
    """True if the process of a session runs: a connector's native library may crash it."""
    process = getattr(session.sparkContext._gateway, "proc", None)
    return process is None or process.poll() is None


def stop(session: SparkSession) -> None:
    """Stop a session and its process: the next session may need other jars."""
    from pyspark import SparkContext  # noqa: PLC0415 - optional
    from pyspark.sql import SparkSession  # noqa: PLC0415

    gateway: Any = session.sparkContext._gateway
    if alive(session):
        session.stop()
        gateway.shutdown()
    if process := getattr(gateway, "proc", None):
        process.stdin.close()  # then the process ends
        process.wait(ENDS)
    SparkContext._active_spark_context = None
    SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = None


def attach(session: SparkSession, catalog: SparkCatalog, chosen: Sequence[str] = ()) -> None:
    """Attach a catalog, of an API whose connector the session has. A name can be used for only one catalog."""
    for name, value in catalog_settings(catalog, line_of(session.version), chosen).items():
        session.conf.set(name, value)


def line_of(version: str) -> str:
    """Return the line of a Spark version: 3.5 for 3.5.9."""
    return ".".join(version.split(".")[:2])


def installed_line() -> str:
    """Return the line of the installed pyspark. Raises Problem if pyspark is missing."""
    if importlib.util.find_spec("pyspark") is None:
        raise missing_extra("spark", "pyspark")
    from pyspark import __version__ as version  # noqa: PLC0415 - optional

    return line_of(version)


def spark_settings(
    spark: SparkSettings, catalogs: Sequence[SparkCatalog] = (), apis: Collection[str] = ()
) -> dict[str, str]:
    """Return the properties of a session. Raises Problem if a connector or its jar is missing."""
    line, apis_of_session = installed_line(), {*apis, *(catalog.api for catalog in catalogs)}
    cache = cache_folder()
    settings = ALWAYS | {"spark.driver.extraJavaOptions": _log_options(spark.log or cache / "spark.log")}
    settings["spark.sql.warehouse.dir"] = (cache / "warehouse").as_uri()  # for Spark's own catalog, which stays empty
    if _is_here(spark.master):
        settings |= {"spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1"}
    if CLIENT_MODULE in client_modules(apis_of_session) and (folder := compiled_shim(find_java(java_module(line)))):
        settings |= dict.fromkeys(("spark.driver.extraClassPath", "spark.executor.extraClassPath"), str(folder))
    files = list(spark.jars) or jar_files(apis_of_session, line, spark.connectors)
    extensions = dict.fromkeys(connector(api, line, spark.connectors).extensions for api in sorted(apis_of_session))
    lists = {"spark.jars": files, "spark.submit.pyFiles": spark.py_files, "spark.sql.extensions": extensions}
    settings |= {name: ",".join(filter(None, values)) for name, values in lists.items() if any(values)}
    for catalog in catalogs:
        settings |= catalog_settings(catalog, line, spark.connectors)
    return settings | dict(spark.settings)


def _log_options(log: Path) -> str:
    log.parent.mkdir(parents=True, exist_ok=True)
    return f'"-Dlog4j2.configurationFile={LOG_SETTINGS.as_uri()}" "-Dlakeproof.log={log.resolve()}"'


def _is_here(master: str) -> bool:
    return master.startswith("local") or (urlsplit(master).hostname or "") in LOOPBACKS


def _check_master(master: str) -> None:
    """Raise Problem if no master listens: Spark itself would retry for a minute."""
    if not master.startswith(STANDALONE):
        return
    places = [urlsplit(f"{STANDALONE}{part}") for part in master.removeprefix(STANDALONE).split(",")]
    for place in places:
        with contextlib.suppress(OSError), socket.create_connection((place.hostname, place.port or PORT), SECONDS):
            return
    raise Problem(f"There is no Spark master at {master}.", "Check --master; without it Spark runs on this machine.")


def _prepare_environment() -> None:
    """Set the variables by which Spark starts Java, and Python for executors on this machine."""
    java = find_java(java_module(installed_line()))
    os.environ["JAVA_HOME"] = str(java.home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if java.options:
        os.environ.setdefault("SPARK_SUBMIT_OPTS", " ".join(java.options))
