"""Requirements tested at the same time: the same report, and nothing is lost with a worker."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from threading import Condition
from typing import Any
from unittest.mock import MagicMock

import pytest

from conformance.after import runner
from conformance.lance.catalog import LanceCatalog
from conformance.run import crew, jobs
from conformance.run.job_messages import Start
from conformance.run.plugin import SuitePlugin
from conformance.run.session import Session, met
from conformance.run.waiting import Waiting
from conformance.run.worker import Worker
from conformance.target.target import connect
from conformance.values.exit_codes import EXIT_CONFORMS, EXIT_INTERRUPTED
from conformance.values.requirement import Requirement
from conformance.values.settings import Settings
from lakeproof import serve
from tests.conformance.mutants import ROOT

SOME = "namespace and (list or conflict or wire)"


@pytest.fixture(scope="module")
def server():
    with serve("lance", storage="memory:pure", allow_faults=True) as server:
        yield server


def settings_of(server, tmp_path, **more):
    given = {"select": SOME, "world": ("plain",), **more}  # each process finds out by itself what a server refuses
    return Settings(server=server.url, api="lance", report=str(tmp_path), **given)


def verdicts_of(results):
    entries = [
        (
            result.id,
            result.verdict,
            result.message,
            result.reached,
            result.blocked_by,
            [step.operation for step in result.steps],
        )
        for result in results.requirements
    ]
    causes = [(cause.sentence, cause.example, cause.requirements, cause.blocked) for cause in results.causes]
    return entries, causes, results.cells, results.run.left_behind


@pytest.mark.parametrize(("fault", "twice"), [("conflict-as-400", False), ("plain-text-errors", True)])
def test_the_report_is_that_of_one_job(server, tmp_path, fault, twice):
    """Requirements that a seemingly missing operation blocked are tested twice and cost more requests."""
    headers = (f"X-Lakeproof-Fault: {fault}",)
    alone, first = runner.run(settings_of(server, tmp_path, header=headers))
    three, second = runner.run(settings_of(server, tmp_path, header=headers, jobs=3))
    assert alone.requirements
    assert verdicts_of(three) == verdicts_of(alone)
    assert second == first
    assert three.run.requests == alone.run.requests or twice
    assert (tmp_path / "exchanges.jsonl").read_bytes().count(b"\n") == three.run.requests


def test_what_a_run_makes_once_one_worker_makes(tmp_path):
    """The grants of the matrix of access are half a thousand requests."""
    with serve("polaris", bootstrap=ROOT) as polaris:
        given: dict[str, Any] = {
            "credential": ROOT,
            "select": "access.list_views or access.load_view or access.drop_view",
        }
        settings = Settings(server=polaris.url, api="polaris", report=str(tmp_path), **given)
        alone, _ = runner.run(settings)
        two, code = runner.run(replace(settings, jobs=2))
    assert code == EXIT_CONFORMS
    assert len(two.requirements) > 4
    assert two.run.requests == alone.run.requests


def test_what_shares_a_fixture_is_first_and_has_one_worker():
    needs = {"plain": set(), "first": set(), "second": {"first"}, "third": set()}
    waiting = Waiting(needs, dict.fromkeys(("first", "second", "third"), "access"))
    assert [waiting.take(worker, (1, 2)) for worker in (1, 2, 2)] == ["first", "plain", None]
    assert waiting.take(1, (1, 2)) == "third"
    assert waiting.take(1, (1, 2)) is None
    waiting.tested("first")
    assert waiting.take(2, (1, 2)) is None
    assert waiting.take(2, (2,)) == "second"  # the holder has ended


def test_a_run_in_which_nothing_has_to_be_alone(server, tmp_path):
    chosen = "lance.namespace.describe or lance.namespace.exists"
    results, code = runner.run(settings_of(server, tmp_path, select=chosen, jobs=2))
    assert code == EXIT_CONFORMS
    assert len(results.requirements) > 1
    assert not {result.kind for result in results.requirements} & set(jobs.ALONE)


def test_the_time_of_a_run_ends_its_workers_too(server, tmp_path):
    results, code = runner.run(settings_of(server, tmp_path, select="", jobs=2, max_time=4.0))
    assert code == EXIT_INTERRUPTED
    assert results.run.stopped.message == "the run's time is over"
    assert len(results.requirements) < results.run.selected
    assert results.run.left_behind == []


ENDS_AT_ONCE = "import os; os._exit(7)"
LOST = "from conformance.run import worker; worker._next = lambda pipe: os._exit(7)"
ENDS_WHEN_FORKED = f"import os; {LOST}; {crew.CODE}"


@pytest.mark.parametrize("code", [ENDS_AT_ONCE, ENDS_WHEN_FORKED])
def test_a_worker_that_ends_costs_only_what_it_was_testing(server, tmp_path, monkeypatch, code):
    monkeypatch.setattr(crew, "CODE", code)
    results, _ = runner.run(settings_of(server, tmp_path, jobs=2))
    lost = [result for result in results.requirements if result.verdict == "error"]
    assert [result.message for result in lost] == ["its worker process ended with code 7"] * 2
    assert len(results.requirements) == results.run.selected > 10
    assert {result.blocked_by for result in results.requirements if result.verdict != "pass"} <= {
        None,
        *(result.id for result in lost),
    }


def test_what_is_forked_has_one_thread():
    code = (
        "import os; from conformance.apis import requirements; from specs.apis import apis\n"
        "for api in apis(): requirements(api)\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    environ = {**os.environ, **crew.WITHOUT_THREADS}
    assert subprocess.check_output([sys.executable, "-c", code], env=environ) == b"1\n"


def requirement(id, kind="behaviour", operations=(), needs=()):
    return Requirement(id, "MUST", kind, operations, "clause", "It is so.", "module:test", needs)


def test_what_must_be_alone():
    known = [
        requirement("lance.a.plain", operations=("Describe",)),
        requirement("lance.a.race", kind="race"),
        requirement("lance.a.wire", kind="wire"),
        requirement("lance.a.everything", operations=("ListAll",)),
        requirement("lance.a.needy", needs=("lance.a.everything",)),
        requirement("lance.a.needier", needs=("lance.a.needy",)),
        requirement("spark.lance.a", kind="scenario"),
    ]
    assert {rule.id for rule in known} - jobs.apart(known, ["ListAll"]) == {"lance.a.plain"}
    everything = {"lance.a.everything": "a fixture"}  # what shares one has one worker, and the things of the fixture
    together = {"lance.a.plain", "lance.a.everything", "lance.a.needy", "lance.a.needier"}
    assert {rule.id for rule in known} - jobs.apart(known, ["ListAll"], sharing=everything) == together


class Destroyed:
    """A listener that is interrupted where Python drops what is raised: the run must not need another signal."""

    def __init__(self):
        self.verdicts = 0

    def selected(self, requirements):
        pass

    def tested(self, result):
        self.verdicts += 1
        if self.verdicts == 1:
            with suppress(KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)


@pytest.mark.parametrize("count", [1, 3])
def test_an_interruption_that_code_has_lost_ends_the_run(server, tmp_path, interruptible, count):
    listener = Destroyed()
    results, code = runner.run(settings_of(server, tmp_path, jobs=count), listener)
    assert code == EXIT_INTERRUPTED
    assert results.run.interrupted
    assert 1 <= len(results.requirements) <= listener.verdicts < results.run.selected
    assert results.run.left_behind == []


def test_an_interruption_that_a_worker_has_lost_ends_its_next_request_but_not_clean_up(server, tmp_path):
    settings = settings_of(server, tmp_path)
    with met(settings) as target:
        worker = Worker(Start(settings, target.found(), 1, [], None), MagicMock(), [])
        catalog = LanceCatalog(worker.session.target)
        catalog.begin_example()
        assert catalog.list_namespaces(()).status == 200
        with pytest.raises(KeyboardInterrupt):
            worker.interruptions.interrupt(signal.SIGINT, None)
        with pytest.raises(KeyboardInterrupt):
            catalog.list_namespaces(())
        worker.session.target.sandbox.clean_up()
        worker.pytest_keyboard_interrupt()
        assert catalog.list_namespaces(()).status == 200
        worker.session.finish()


class Lock:
    """A lock that tells the frame that takes or gives it back."""

    acquire = release = None

    def __enter__(self):
        return sys._getframe(1)

    def __exit__(self, *_):
        return sys._getframe(1)


LOCK: Any = Lock()


@pytest.mark.parametrize(
    "frame", [Condition(LOCK).__enter__(), Condition(LOCK).__exit__(None, None, None)], ids=["take", "give back"]
)
def test_an_interruption_waits_until_a_lock_is_taken_or_given_back(server, tmp_path, frame):
    """Raised there, it left the lock of the connection pool taken: the next request waited for ever."""
    with met(settings_of(server, tmp_path)) as target:
        plugin = SuitePlugin(Session(target.settings, known=target))
        plugin.interruptions.interrupt(signal.SIGTERM, frame)
        with pytest.raises(KeyboardInterrupt):
            target.client.traffic.check_interrupted()


def test_an_interruption_waits_until_a_garbage_collection_is_over(server, tmp_path):
    """Raised in a callback of the collector it was printed and lost."""
    frames = []

    def callback(_phase, _info):
        frames.append(sys._getframe())

    with met(settings_of(server, tmp_path)) as target:
        plugin = SuitePlugin(Session(target.settings, known=target))
        gc.callbacks.append(callback)
        try:
            gc.collect()
            plugin.interruptions.interrupt(signal.SIGTERM, frames[0])
        finally:
            gc.callbacks.remove(callback)
        with pytest.raises(KeyboardInterrupt):
            target.client.traffic.check_interrupted()


def test_names_of_workers_and_of_what_runs_alone_afterwards_differ():
    main = connect(Settings(server="http://t", api="polaris"))
    start, workers = main.found(), [connect(Settings(server="http://t", api="polaris")) for _ in range(2)]
    for number, worker in enumerate(workers):
        worker.take(start)
        worker.share_names(number, 3)
    main.share_names(2, 3)
    names = [target.new_name() for target in (main, *workers) for _ in range(9)]
    assert len(set(names)) == len(names)
