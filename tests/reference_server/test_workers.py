"""Work in threads: it has a deadline, and what never ends stops nobody."""

from __future__ import annotations

import asyncio
import queue
import threading
import time
from typing import Any

import pytest

from reference_server import limits
from reference_server.context import run_in_thread
from reference_server.errors import ServiceUnavailable
from reference_server.workers import Workers

PATIENCE = 10.0


@pytest.fixture
def never():
    """Work that ends with the test."""
    end = threading.Event()
    yield lambda: end.wait(PATIENCE)
    end.set()


def test_results_and_errors_reach_the_caller():
    workers = Workers(2, "test")
    assert workers.submit(max, 1, 2).result(PATIENCE) == 2
    assert isinstance(workers.submit(int, "x").exception(PATIENCE), ValueError)
    workers.shutdown()


def test_threads_whose_work_never_ends_are_replaced(never):
    workers = Workers(1, "test", deadline=0.05)
    workers.submit(never)
    time.sleep(0.1)
    assert workers.submit(max, 1, 2).result(PATIENCE) == 2


class SlowlyTaken(queue.SimpleQueue[Any]):
    """Jobs whose thread needs a while from taking one to being busy with it."""

    def get(self, block=True, timeout=None):
        job = super().get(block, timeout)
        time.sleep(0.1)
        return job


def test_a_thread_that_has_taken_a_job_waits_for_no_other(never):
    workers = Workers(2, "test")
    workers._jobs = SlowlyTaken()
    workers.submit(max, 1, 2).result(PATIENCE)
    workers.submit(never)
    time.sleep(0.05)
    assert workers.submit(max, 1, 2).result(PATIENCE) == 2


def test_the_end_does_not_wait_for_work_that_never_ends(never, monkeypatch):
    monkeypatch.setattr(limits, "STOP", 0.05)
    workers = Workers(1, "test")
    running, waiting = workers.submit(never), workers.submit(max, 1, 2)
    workers.shutdown(cancel_futures=True)
    assert waiting.cancelled()
    assert not running.done()


def test_work_that_takes_too_long_is_given_up(never, monkeypatch):
    monkeypatch.setattr(limits, "DEADLINE", 0.05)
    with pytest.raises(ServiceUnavailable, match="took longer"):
        asyncio.run(run_in_thread(Workers(1, "test"), never))


def test_a_timeout_of_the_work_itself_stays_one():
    def late():
        raise TimeoutError("from the work")

    with pytest.raises(TimeoutError, match="from the work"):
        asyncio.run(run_in_thread(Workers(1, "test"), late))
