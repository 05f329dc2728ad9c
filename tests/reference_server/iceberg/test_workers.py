"""Scan plans that take long keep nobody from the catalog."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from lakeproof import serve
from reference_server.iceberg.api import PLANNERS
from reference_server.iceberg.scans.planner import Planner
from tests.reference_server.iceberg.committing import set_property
from tests.reference_server.iceberg.conftest import SCHEMA

REQUESTS = 8
PATIENCE = 20.0
TABLE = "/v1/namespaces/a/tables/t"


@pytest.fixture
def held(monkeypatch):
    """Let a scan plan wait until the event `end`; `begun` counts who waits."""
    begun, end = threading.Semaphore(0), threading.Event()

    def hold(_):
        begun.release()
        end.wait(PATIENCE)
        return []

    monkeypatch.setattr(Planner, "plan_tasks", property(hold))
    yield begun, end
    end.set()


def test_the_catalog_answers_while_eight_scans_are_planned(http, held):
    begun, end = held
    answered = []

    def ask(path, **body):
        answer = http("POST", server.url + path, timeout=PATIENCE, json=body)
        answered.append(path)
        return answer.status

    with serve("iceberg") as server, ThreadPoolExecutor(REQUESTS) as clients:
        assert ask("/v1/namespaces", namespace=["a"]) == 200
        assert ask("/v1/namespaces/a/tables", name="t", schema=SCHEMA) == 200
        answered.clear()
        plans = [clients.submit(ask, f"{TABLE}/plan") for _ in range(REQUESTS)]
        for _ in range(PLANNERS):
            assert begun.acquire(timeout=PATIENCE)
        assert ask(TABLE, requirements=[], updates=[set_property()]) == 200
        assert answered == [TABLE]
        end.set()
        assert [plan.result(PATIENCE) for plan in plans] == [200] * REQUESTS
