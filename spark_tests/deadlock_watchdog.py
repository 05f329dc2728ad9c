"""Deadlock watchdog: a deadlock in a connector's task must not count against a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASK = "Executor task launch worker"
WAITING = "WAITING"


def interrupt_deadlocked_tasks(session: SparkSession, waits: str) -> int:
    """Interrupt the tasks of this process that wait within a class, and return their number.

    Spark fails an interrupted task and runs it again; nothing is lost, since a task commits only at its end. Tasks on
    other machines cannot be interrupted.
    """
    from py4j.protocol import Py4JError  # noqa: PLC0415 - optional

    jvm = session.sparkContext._jvm
    if jvm is None or not waits:
        return 0
    interrupted = 0
    for thread in jvm.java.lang.Thread.getAllStackTraces().keySet().toArray():
        try:
            if thread.getName().startswith(TASK) and thread.getState().toString() == WAITING and _is_in(thread, waits):
                thread.interrupt()
                interrupted += 1
        except Py4JError:  # the thread has ended
            continue
    return interrupted


def _is_in(thread: object, name: str) -> bool:
    frames = thread.getStackTrace()  # type: ignore[attr-defined]
    return any(frame.getClassName() == name for frame in frames)
