"""Starting Spark: what is missing is said at once, and what hangs by itself is freed."""

from __future__ import annotations

import importlib.util
import re
import signal

import pytest

from specs.problems import Problem

WAITS = "java.util.concurrent.LinkedBlockingQueue"
MISSING = "com.lancedb:lance-spark-bundle-3.5_2.12:9.9.9"
NOWHERE = """<ivysettings><settings defaultResolver="files"/><resolvers><filesystem name="files">
  <artifact pattern="{folder}/[artifact].[ext]"/>
</filesystem></resolvers></ivysettings>"""
TASK = "Executor task launch worker for a test"


@pytest.fixture
def session_module(spark_can_run):
    from spark_tests import session  # noqa: PLC0415 - optional

    return session


@pytest.fixture
def waiting_task(spark):
    """A thread that looks like a task and waits for ever within WAITS."""
    java = spark.sparkContext._jvm.java
    pool = java.util.concurrent.Executors.newFixedThreadPool(1)
    known = {thread.getId() for thread in java.lang.Thread.getAllStackTraces().keySet().toArray()}
    pool.submit(java.lang.Thread()).get()
    threads = java.lang.Thread.getAllStackTraces().keySet().toArray()
    (thread,) = [
        candidate for candidate in threads if candidate.getId() not in known and candidate.getName().startswith("pool-")
    ]
    thread.setName(TASK)
    while thread.getState().toString() != "WAITING":
        pass
    yield thread
    pool.shutdownNow()


def test_only_what_waits_there_is_freed(spark, waiting_task):
    from spark_tests.deadlock_watchdog import interrupt_deadlocked_tasks  # noqa: PLC0415 - optional

    assert interrupt_deadlocked_tasks(spark, "") == 0
    assert interrupt_deadlocked_tasks(spark, "com.example.Other") == 0
    assert interrupt_deadlocked_tasks(spark, WAITS) == 1
    waiting_task.setName("something else")
    assert interrupt_deadlocked_tasks(spark, WAITS) == 0


def test_spark_does_not_handle_interruptions(spark):
    assert "pyspark" not in signal.getsignal(signal.SIGINT).__module__


def test_a_master_that_is_not_there_is_said_at_once(session_module):
    with pytest.raises(Problem, match="no Spark master at spark://"):
        session_module.check_spark(session_module.SparkSettings(master="spark://127.0.0.1:1"))


def test_no_pyspark_is_said_with_what_to_install(session_module, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(Problem, match=r"pip install .*\[spark\]"):
        session_module.check_spark(session_module.SparkSettings())


def test_a_jar_that_no_registry_has_is_named(session_module, monkeypatch, tmp_path):
    from spark_tests import jars  # noqa: PLC0415 - optional

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(jars, "SETTINGS", NOWHERE.format(folder=tmp_path))
    with pytest.raises(Problem, match=re.escape(MISSING)):
        jars.resolve(MISSING)


def test_coordinates_of_something_else_are_refused(session_module):
    chosen = session_module.SparkSettings(connectors=("org.example:thing:1",))
    with pytest.raises(Problem, match="unknown connector"):
        session_module.spark_settings(chosen, apis=("lance",))


def test_classes_that_a_java_lacks_are_compiled(spark_can_run, monkeypatch, tmp_path):
    from spark_tests import jdk_net_shim  # noqa: PLC0415 - optional
    from spark_tests.java import Java, find_java  # noqa: PLC0415

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    java = find_java()
    monkeypatch.setattr(Java, "has_module", lambda java, name: False)
    folder = jdk_net_shim.compiled_shim(java)
    assert sorted(path.name for path in folder.rglob("*.class")) == ["ExtendedSocketOptions.class", "Sockets.class"]
    assert jdk_net_shim.compiled_shim(java) == folder
    monkeypatch.setattr(Java, "has_module", lambda java, name: True)
    assert jdk_net_shim.compiled_shim(java) is None
