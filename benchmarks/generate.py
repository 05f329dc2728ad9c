"""Synthetic runs for testing and measuring the warehouse.

Every verdict is derived from the numbers of server, run and requirement, so that the expected aggregates can be
calculated. Files have the format of real ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import msgspec

from conformance.after.causes import with_causes
from conformance.http.exchange_log import FILE_NAME as EXCHANGES_FILE
from conformance.values.exchange import Step, StepRequest, StepResponse
from conformance.values.results import ClauseRecord, Result, Results, RunRecord, TargetRecord, Verdict
from specs.profiles import find_profile

PROFILE = "iceberg"
MANY = 50
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
FAILS_EVERY, FLAKY_EVERY, BREAKS_EVERY = 17, 101, 211
SECONDS = b'"seconds":'
PADDING = {"User-Agent": "lakeproof", "Accept": "*/*", "Content-Type": "application/json"}


@dataclass(frozen=True, slots=True)
class Amount:
    """Amount of data: runs, distributed over `servers`, and the requirements and exchanges of each run."""

    runs: int
    requirements: int
    exchanges: int
    servers: int = 8

    def of_server(self, server: int) -> int:
        """Return the number of runs of a server."""
        return len(range(server, self.runs, self.servers))


def verdict(amount: Amount, run: int, requirement: int) -> Verdict:
    """Return the verdict on a requirement in a run.

    Some requirements always fail on some servers, some fail in every other run, some only in the last run.
    """
    server, turn = run % amount.servers, run // amount.servers
    if (requirement + server) % FAILS_EVERY == 0:
        return "fail"
    if requirement % FLAKY_EVERY == server:
        return "fail" if turn % 2 else "pass"
    last = turn == amount.of_server(server) - 1
    return "fail" if last and requirement % BREAKS_EVERY == server else "pass"


def generate(folder: Path, amount: Amount) -> None:
    """Write runs below a folder, each in a folder of its own; many runs are written on all cores."""
    folder.mkdir(parents=True, exist_ok=True)
    if amount.runs < MANY:
        for run in range(amount.runs):
            write_run(folder, amount, run)
        return
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - slow to import

    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        list(pool.map(partial(write_run, folder, amount), range(amount.runs), chunksize=8))


def write_run(folder: Path, amount: Amount, run: int) -> None:
    """Write one run."""
    run_folder = folder / f"run{run:05}"
    run_folder.mkdir(exist_ok=True)
    results(amount, run).write(run_folder)
    with (run_folder / EXCHANGES_FILE).open("wb") as log:
        log.writelines(exchanges(amount, run))


def results(amount: Amount, run: int) -> Results:
    """Return the results of a run."""
    started = FIRST + timedelta(hours=run)
    profile = find_profile(PROFILE)
    about = RunRecord(
        id=f"{started:%Y%m%dT%H%M%SZ}-{run:06x}",
        started=started.isoformat(timespec="seconds"),
        seconds=12.5,
        seed=0,
        depth="gate",
        command="lakeproof check http://localhost:8181",
        kit="lakeproof 0.1.0",
        interrupted=False,
        requests=amount.exchanges,
        left_behind=[],
    )
    target = TargetRecord(
        url="http://localhost:8181",
        name=f"server {run % amount.servers}",
        api=profile.api,
        profile=profile.name,
        document="synthetic",
        server="synthetic",
        facts={},
        operations=[],
        settings={},
    )
    entries = [_result(requirement, verdict(amount, run, requirement)) for requirement in range(amount.requirements)]
    return with_causes(Results.of(about, target, entries))


def _result(number: int, verdict: Verdict) -> Result:
    return Result(
        id=f"iceberg.made_up.r{number:05}",
        level="MUST",
        kind="behaviour",
        operations=["loadTable"],
        needs=[],
        clause=ClauseRecord(id="synthetic", text="A statement of some length about a server.", source="nowhere"),
        statement="Something is as it should be.",
        where="conformance.iceberg.requirements.test_made_up:test_made_up",
        verdict=verdict,
        message="" if verdict == "pass" else "expected 200, got 500",
        seconds=0.004,
        requests=5,
        steps=[],
        reached=["loadTable 200"],
        blocked_by=None,
    )


def exchanges(amount: Amount, run: int) -> Iterator[bytes]:
    """Yield the lines of the wire log of a run. Latencies have a long tail, and differ by operation."""
    choose = random.Random(run)
    names = list(find_profile(PROFILE).document().operations)
    before = [_line(name).partition(SECONDS) for name in names]
    for number in range(amount.exchanges):
        operation = number % len(names)
        head, key, tail = before[operation]
        yield b"%s%s%.6f%s\n" % (head, key, (1 + operation) * choose.paretovariate(3) / 1000, tail)


def _line(name: str) -> bytes:
    """Return a line of a wire log without the number of seconds."""
    url = f"http://localhost:8181/v1/{name}"
    step = Step(
        operation=name,
        request=StepRequest(method="GET", url=url, headers=PADDING, body=None, curl=f"curl -sS -i -X GET {url}"),
        response=StepResponse(status=200, headers=PADDING, body={"json": {"metadata": "x" * 80}}, failure=""),
        seconds=0.0,
        mark="",
    )
    return msgspec.json.encode(step).replace(SECONDS + b"0.0", SECONDS)
